"""What the operator is told about each run: one structured log line, without a word of the person."""

import sys

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging import utils
from aws_lambda_powertools.metrics import MetricUnit, single_metric

from rondas.history import Answer, ToolCall, ToolResult, Turn
from rondas.providers.errors import ProviderError
from rondas.store.claim import Message

NAMESPACE = "Rondas"
"""Of the metrics in CloudWatch."""

# Lambda keeps both streams; on a laptop the reply goes to the one and the log to the other.
logger = Logger(service="rondas", stream=sys.stderr)
utils.copy_config_to_registered_loggers(logger, include={"rondas"})


class Telemetry:
    """The watcher that keeps account of where the time of a run went."""

    def __init__(self) -> None:
        self._model_seconds = 0.0
        self._tool_seconds = 0.0

    def on_message(self, message: Message) -> None:
        """Names the message in every line of its run; the ids are the app's own, and no words of the person."""
        logger.append_keys(conversation_id=message.conversation, message_id=message.key)
        self._model_seconds = self._tool_seconds = 0.0

    def on_turn(self, turn: Turn, seconds: float) -> None:  # noqa: ARG002 - the port's signature
        """Counts the time of the model."""
        self._model_seconds += seconds

    def on_result(self, call: ToolCall, result: ToolResult, seconds: float) -> None:  # noqa: ARG002
        """Counts the time of the tools."""
        self._tool_seconds += seconds

    def on_answer(self, answer: Answer, seconds: float) -> None:
        """Writes the line."""
        logger.info(
            "run ended",
            status=answer.status,
            reason=answer.reason,
            rounds=answer.rounds,
            model=answer.model,
            seconds=round(seconds, 3),
            model_seconds=round(self._model_seconds, 3),
            tool_seconds=round(self._tool_seconds, 3),
            input_tokens=answer.usage.input,
            cached_tokens=answer.usage.cached,
            output_tokens=answer.usage.output,
        )

    def on_failure(self, error: ProviderError) -> None:
        """Tells of a model that could not give a turn: a line and a metric that name it and the cause."""
        logger.warning("model failed", model=error.model, cause=error.cause)
        with single_metric("ModelFailures", MetricUnit.Count, 1, namespace=NAMESPACE) as metric:
            metric.add_dimension("model", error.model)
            metric.add_dimension("cause", error.cause)
