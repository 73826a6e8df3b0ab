"""What the operator is told about each run: one structured log line, without a word of the person."""

import sys

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging import utils

from rondas.history import Answer, ToolCall, ToolResult, Turn

# Lambda keeps both streams; on a laptop the reply goes to the one and the log to the other.
logger = Logger(service="rondas", stream=sys.stderr)
utils.copy_config_to_registered_loggers(logger, include={"rondas"})


class Telemetry:
    """The watcher that keeps account of where the time of a run went."""

    def __init__(self) -> None:
        self._model_seconds = 0.0
        self._tool_seconds = 0.0

    def on_turn(self, turn: Turn, seconds: float) -> None:  # noqa: ARG002 - the port's signature
        """Counts the time of the model."""
        self._model_seconds += seconds

    def on_result(self, call: ToolCall, result: ToolResult, seconds: float) -> None:  # noqa: ARG002
        """Counts the time of the tools."""
        self._tool_seconds += seconds

    def on_answer(self, answer: Answer, seconds: float) -> None:
        """Writes the line and starts from zero for the next run of this process."""
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
        self._model_seconds = self._tool_seconds = 0.0
