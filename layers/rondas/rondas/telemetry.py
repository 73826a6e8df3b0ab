"""What the operator is told about each run: one log line and its metrics, without a word of the person."""

import sys
from dataclasses import dataclass

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging import utils
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit, single_metric

from rondas.history import Answer, ToolCall, ToolResult, Turn
from rondas.providers.errors import ProviderError
from rondas.store.allowance import OverAllowance
from rondas.store.claim import Message

NAMESPACE = "Rondas"
"""Of the metrics in CloudWatch."""

# Lambda keeps both streams; on a laptop the reply goes to the one and the log to the other.
logger = Logger(service="rondas", stream=sys.stderr)
utils.copy_config_to_registered_loggers(logger, include={"rondas"})


@dataclass(slots=True)
class Spent:
    """Where the seconds of a run went; what is left of the whole is our own code's."""

    model: float = 0.0
    tools: float = 0.0
    store: float = 0.0

    def by_name(self, whole: float) -> dict[str, float]:
        """Returns the parts of `whole`, our own included."""
        known = {"model": self.model, "tools": self.tools, "store": self.store}
        return known | {"own": max(0.0, whole - sum(known.values()))}


class Telemetry:
    """The watcher that keeps account of a run."""

    def __init__(self) -> None:
        self._spent = Spent()

    def on_message(self, message: Message) -> None:
        """Names the message in every line of its run; the ids are the app's own, and no words of the person."""
        logger.append_keys(conversation_id=message.conversation, message_id=message.key)
        self._spent = Spent()

    def on_turn(self, turn: Turn | None, seconds: float) -> None:  # noqa: ARG002 - the port's signature
        """Counts the time of the model."""
        self._spent.model += seconds

    def on_result(self, call: ToolCall, result: ToolResult, seconds: float) -> None:  # noqa: ARG002
        """Counts the time of the tools."""
        self._spent.tools += seconds

    def on_store(self, seconds: float) -> None:
        """Counts the time of the table."""
        self._spent.store += seconds

    def on_answer(self, answer: Answer, seconds: float) -> None:
        """Writes the line and the metrics."""
        spent = self._spent.by_name(seconds)
        logger.info(
            "run ended",
            status=answer.status,
            reason=answer.reason,
            rounds=answer.rounds,
            model=answer.model,
            seconds=round(seconds, 3),
            model_seconds=round(spent["model"], 3),
            tool_seconds=round(spent["tools"], 3),
            store_seconds=round(spent["store"], 3),
            own_seconds=round(spent["own"], 3),
            input_tokens=answer.usage.input,
            cached_tokens=answer.usage.cached,
            output_tokens=answer.usage.output,
        )
        metrics = EphemeralMetrics(namespace=NAMESPACE)
        metrics.add_dimension("status", answer.status)
        metrics.add_metric("Rounds", MetricUnit.Count, answer.rounds)
        metrics.add_metric("RunTime", MetricUnit.Milliseconds, 1000 * seconds)
        for name, part in spent.items():
            metrics.add_metric(f"{name.title()}Time", MetricUnit.Milliseconds, 1000 * part)
        metrics.flush_metrics()

    def on_failure(self, error: ProviderError) -> None:
        """Tells of a model that could not give a turn: a line and a metric that name it and the cause."""
        logger.warning("model failed", model=error.model, cause=error.cause)
        with single_metric("ModelFailures", MetricUnit.Count, 1, namespace=NAMESPACE) as metric:
            metric.add_dimension("model", error.model)
            metric.add_dimension("cause", error.cause)

    def on_refused(self, refused: OverAllowance) -> None:
        """Tells of a message that is not taken because its person has used what they may, and of what."""
        logger.info("message refused", limit=refused.limit)
        with single_metric("QuotaHits", MetricUnit.Count, 1, namespace=NAMESPACE) as metric:
            metric.add_dimension("limit", refused.limit)
