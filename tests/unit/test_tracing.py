"""The run in the trace of its request: a subsegment for each model call and each tool call."""

import json
import socket
from collections.abc import Iterator

import pytest

from rondas.history import Answer, ToolCall, ToolResult, Turn, Usage
from rondas.tracing import HEADER, Tracing

TRACE = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=a87bd80c:0"


@pytest.fixture
def daemon() -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.settimeout(5)
        yield daemon


def tracing(daemon: socket.socket, trace: str = TRACE) -> Tracing:
    address = f"127.0.0.1:{daemon.getsockname()[1]}"
    return Tracing({"_X_AMZN_TRACE_ID": trace, "AWS_XRAY_DAEMON_ADDRESS": address}, clock=lambda: 1000.0)


def received(daemon: socket.socket) -> dict[str, object]:
    text = daemon.recv(65_535).decode()
    assert text.startswith(HEADER)
    return json.loads(text.removeprefix(HEADER))


def test_a_model_call_is_a_subsegment_of_the_request(daemon: socket.socket) -> None:
    # When a turn has taken two seconds
    tracing(daemon).on_turn(Turn("Hi", usage=Usage(10, 0, 5), model="anthropic:claude-sonnet-5-5"), 2.0)
    # Then the daemon gets it, in the trace and under the segment that Lambda has named
    found = received(daemon)
    assert len(str(found.pop("id"))) == 16
    assert found == {
        "name": "anthropic:claude-sonnet-5-5",
        "trace_id": "1-5759e988-bd862e3fe1be46a994272793",
        "parent_id": "53995c3f42cd8ad8",
        "type": "subsegment",
        "namespace": "remote",
        "start_time": 998.0,
        "end_time": 1000.0,
        "annotations": {"input_tokens": 10, "output_tokens": 5},
    }


def test_a_tool_call_and_its_outcome_are_drawn_and_no_word_of_its_result(daemon: socket.socket) -> None:
    tracing(daemon).on_result(ToolCall("1", "read_goals", '{"of": "ana"}'), ToolResult("1", "secret", "failed"), 0.5)

    found = received(daemon)
    assert (found["name"], found["error"], found["annotations"]) == ("read_goals", True, {"outcome": "failed"})
    assert "secret" not in str(found)
    assert "ana" not in str(found)


def test_a_call_without_a_turn_is_a_fault_and_the_run_says_how_it_ended(daemon: socket.socket) -> None:
    watcher = tracing(daemon)

    watcher.on_turn(None, 1.0)
    watcher.on_answer(Answer("No.", "failed", rounds=2), 3.0)

    assert received(daemon)["fault"] is True
    assert received(daemon)["annotations"] == {"status": "failed", "rounds": 2}


def test_a_name_that_a_model_made_up_is_written_as_the_daemon_takes_it(daemon: socket.socket) -> None:
    tracing(daemon).on_result(ToolCall("1", "<ñandú>" * 100, "{}"), ToolResult("1", "no", "failed"), 0)

    assert str(received(daemon)["name"]) == ("__and__" * 100)[:200]


@pytest.mark.parametrize("trace", ["", TRACE.replace("Sampled=1", "Sampled=0"), "nonsense"])
def test_a_request_that_is_not_traced_sends_nothing(daemon: socket.socket, trace: str) -> None:
    tracing(daemon, trace).on_turn(None, 1.0)

    daemon.setblocking(False)
    with pytest.raises(BlockingIOError):
        daemon.recv(1)


@pytest.mark.parametrize("address", ["", "127.0.0.1", "127.0.0.1:nowhere", "127.0.0.1:1"])
def test_a_daemon_that_is_not_there_is_no_mishap(address: str) -> None:
    Tracing({"_X_AMZN_TRACE_ID": TRACE, "AWS_XRAY_DAEMON_ADDRESS": address}).on_turn(None, 1.0)
