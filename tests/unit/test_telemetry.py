"""What the operator is told about a run: the metrics of one document, from which alarms need no formula."""

import json
from typing import Any

import pytest

from rondas.history import Answer, Status, ToolCall, ToolResult, Turn, Usage
from rondas.prices import Price
from rondas.store.claim import Message
from rondas.telemetry import MOST_VALUES, NAMESPACE, STATUSES, Telemetry

MODEL = "anthropic:claude-sonnet-5-5"
CALL, RESULT = ToolCall("1", "read_goals", "{}"), ToolResult("1", "none")


@pytest.fixture
def telemetry() -> Telemetry:
    watcher = Telemetry({MODEL: Price(2, 0.1, 10)})
    watcher.on_message(Message("ana", "c", "k", "hello"))
    return watcher


def written(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (document,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return document


@pytest.mark.parametrize("status", STATUSES)
def test_each_status_is_a_metric_whose_average_is_its_share(
    telemetry: Telemetry, capsys: pytest.CaptureFixture[str], status: Status
) -> None:
    telemetry.on_answer(Answer("Hi.", status), 1.0)

    metrics = written(capsys)
    found = {name: metrics[name.title().replace("_", "")] for name in STATUSES}
    assert found == {name: [int(name == status)] for name in STATUSES}


def test_there_is_one_document_in_the_namespace_of_the_stack_and_without_dimensions(
    telemetry: Telemetry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a stack with a name
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "rondas-test")
    # When a run ends
    telemetry.on_answer(Answer("Hi."), 1.0)
    # Then all is in one document
    (directive,) = written(capsys)["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "rondas-test" != NAMESPACE
    assert directive["Dimensions"] == [[]]


def test_every_call_counts_with_its_own_time_and_the_run_with_their_sum(
    telemetry: Telemetry, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given two model calls, one of them in vain, and more tool calls than one metric may have values
    telemetry.on_turn(Turn("Hi", model=MODEL), 2.0)
    telemetry.on_turn(None, 1.0)
    for _ in range(150):
        telemetry.on_result(CALL, RESULT, 0.01)
    # When the run ends
    telemetry.on_answer(Answer("Hi."), 5.0)
    # Then each latency is there, as many as go into one document, and the sums are of all
    metrics = written(capsys)
    assert metrics["ModelLatency"] == [2000, 1000]
    assert len(metrics["ToolLatency"]) == MOST_VALUES
    assert metrics["ModelTime"] == [3000]
    assert metrics["ToolsTime"] == [pytest.approx(1500)]


def test_the_cost_is_of_each_turn_at_the_price_of_its_model(
    telemetry: Telemetry, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a turn of a model with a price, and one of a model without
    telemetry.on_turn(Turn("Hi", usage=Usage(1000, 500, 100), model=MODEL), 1.0)
    telemetry.on_turn(Turn("Hi", usage=Usage(1000, 500, 100), model="openai:new"), 1.0)
    # When the run ends, then what is known is added up
    telemetry.on_answer(Answer("Hi."), 1.0)
    assert written(capsys)["Cost"] == [pytest.approx((500 * 2 + 500 * 0.1 + 100 * 10) / 1e6)]


def test_mishaps_are_counted_for_their_own_run(telemetry: Telemetry, capsys: pytest.CaptureFixture[str]) -> None:
    # Given a run with mishaps
    for mishap in ("retry", "retry", "failover", "takeover", "repair"):
        telemetry.on_mishap(mishap)
    telemetry.on_answer(Answer("Hi."), 1.0)
    metrics = written(capsys)
    assert [metrics[name] for name in ("Retries", "Failovers", "Takeovers", "Repairs")] == [[2], [1], [1], [1]]
    # When the next one goes well, then it has none
    telemetry.on_message(Message("ana", "c", "k2", "hello"))
    telemetry.on_answer(Answer("Hi."), 1.0)
    assert written(capsys)["Retries"] == [0]
