"""What the operator is told about each run: one log line and its metrics, without a word of the person."""

import os
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging import utils
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit, single_metric

from rondas.history import Answer, Status, ToolCall, ToolResult, Turn
from rondas.prices import Price
from rondas.providers.errors import ProviderError
from rondas.store.allowance import OverAllowance
from rondas.store.claim import Message
from rondas.watcher import Mishap

NAMESPACE = "rondas"
"""Of the metrics in CloudWatch, where the deployment names none: two stacks must not count for each other."""

MOST_VALUES = 99
"""Of one metric in one document, whose 100 Powertools would write out before the rest is known."""

# Lambda keeps both streams; on a laptop the reply goes to the one and the log to the other.
logger = Logger(service="rondas", stream=sys.stderr)
utils.copy_config_to_registered_loggers(logger, include={"rondas"})


MISHAPS: dict[Mishap, str] = {
    "retry": "Retries",
    "failover": "Failovers",
    "repair": "Repairs",
    "takeover": "Takeovers",
}

STATUSES: tuple[Status, ...] = get_args(Status.__value__)


@dataclass(slots=True)
class Account:
    """What a run has taken: seconds of each model call and each tool call, seconds of the table, dollars, mishaps."""

    models: list[float] = field(default_factory=list[float])
    tools: list[float] = field(default_factory=list[float])
    store: float = 0.0
    dollars: float = 0.0
    mishaps: Counter[Mishap] = field(default_factory=Counter[Mishap])

    def parts(self, whole: float) -> dict[str, float]:
        """Returns where `whole` seconds went; what is left of them is our own code's."""
        known = {"Model": sum(self.models), "Tools": sum(self.tools), "Store": self.store}
        return known | {"Own": max(0.0, whole - sum(known.values()))}


class Telemetry:
    """The watcher that keeps account of a run.

    Args:
        prices: of the models, for the estimate of the cost; a model without one costs nothing in it.
        run_time: what the metric of a run's time is called. That of runs for which nobody waits has a name of its own.
    """

    def __init__(self, prices: Mapping[str, Price], run_time: str = "RunTime") -> None:
        self._prices = prices
        self._run_time = run_time
        self._account = Account()

    def on_message(self, message: Message) -> None:
        """Names the message in every line of its run; the ids are the app's own, and no words of the person."""
        logger.append_keys(conversation_id=message.conversation, message_id=message.key)
        self._account = Account()

    def on_turn(self, turn: Turn | None, seconds: float) -> None:
        """Counts the time of a model call, and its cost."""
        self._account.models.append(seconds)
        price = self._prices.get(turn.model) if turn else None
        if turn and price:
            self._account.dollars += price.of(turn.usage)

    def on_result(self, call: ToolCall, result: ToolResult, seconds: float) -> None:  # noqa: ARG002 - the port's signature
        """Counts the time of a tool call."""
        self._account.tools.append(seconds)

    def on_store(self, seconds: float) -> None:
        """Counts the time of the table."""
        self._account.store += seconds

    def on_mishap(self, mishap: Mishap) -> None:
        """Counts it."""
        self._account.mishaps[mishap] += 1

    def on_handed_on(self, seconds: float) -> None:
        """Writes a line, and counts it and what it has cost so far; its tokens are counted with its end."""
        logger.info("message handed on", seconds=round(seconds, 3))
        metrics = EphemeralMetrics(namespace=namespace())
        metrics.add_metric("HandedOn", MetricUnit.Count, 1)
        metrics.add_metric("Cost", MetricUnit.NoUnit, self._account.dollars)
        metrics.flush_metrics()

    def on_answer(self, answer: Answer, seconds: float) -> None:
        """Writes the line and the metrics."""
        spent = self._account.parts(seconds)
        logger.info(
            "run ended",
            status=answer.status,
            reason=answer.reason,
            rounds=answer.rounds,
            model=answer.model,
            seconds=round(seconds, 3),
            model_seconds=round(spent["Model"], 3),
            tool_seconds=round(spent["Tools"], 3),
            store_seconds=round(spent["Store"], 3),
            own_seconds=round(spent["Own"], 3),
            input_tokens=answer.usage.input,
            cached_tokens=answer.usage.cached,
            output_tokens=answer.usage.output,
            cost_usd=round(self._account.dollars, 6),
            retries=self._account.mishaps["retry"],
            failovers=self._account.mishaps["failover"],
            repairs=self._account.mishaps["repair"],
            takeovers=self._account.mishaps["takeover"],
        )
        self._write_metrics(answer, seconds, spent)

    def _write_metrics(self, answer: Answer, seconds: float, spent: Mapping[str, float]) -> None:
        """Writes one document. It has no dimensions: each status is a metric of its own, 1 or 0.

        So its average is the share of the runs that ended in it, its sum their number, and an alarm needs no formula.
        """
        metrics = EphemeralMetrics(namespace=namespace())
        metrics.add_metadata("status", answer.status)
        for status in STATUSES:
            metrics.add_metric(status.title().replace("_", ""), MetricUnit.Count, int(status == answer.status))
        metrics.add_metric("Rounds", MetricUnit.Count, answer.rounds)
        metrics.add_metric(self._run_time, MetricUnit.Milliseconds, 1000 * seconds)
        for name, part in spent.items():
            metrics.add_metric(f"{name}Time", MetricUnit.Milliseconds, 1000 * part)
        for name, calls in (("ModelLatency", self._account.models), ("ToolLatency", self._account.tools)):
            for call in calls[-MOST_VALUES:]:
                metrics.add_metric(name, MetricUnit.Milliseconds, 1000 * call)
        metrics.add_metric("InputTokens", MetricUnit.Count, answer.usage.input)
        metrics.add_metric("CachedTokens", MetricUnit.Count, answer.usage.cached)
        metrics.add_metric("OutputTokens", MetricUnit.Count, answer.usage.output)
        metrics.add_metric("Cost", MetricUnit.NoUnit, self._account.dollars)
        for mishap, name in MISHAPS.items():
            metrics.add_metric(name, MetricUnit.Count, self._account.mishaps[mishap])
        metrics.flush_metrics()

    def on_failure(self, error: ProviderError) -> None:
        """Tells of a model that could not give a turn: a line and a metric that name it and the cause."""
        logger.warning("model failed", model=error.model, cause=error.cause)
        with single_metric("ModelFailures", MetricUnit.Count, 1, namespace=namespace()) as metric:
            metric.add_dimension("model", error.model)
            metric.add_dimension("cause", error.cause)

    def on_refused(self, refused: OverAllowance) -> None:
        """Tells of a message that is not taken because its person has used what they may, and of what."""
        logger.info("message refused", limit=refused.limit)
        metrics = EphemeralMetrics(namespace=namespace())
        metrics.add_metric("QuotaHits", MetricUnit.Count, 1)
        metrics.flush_metrics()


def namespace() -> str:
    """Returns the namespace of the metrics."""
    return os.environ.get("POWERTOOLS_METRICS_NAMESPACE") or NAMESPACE
