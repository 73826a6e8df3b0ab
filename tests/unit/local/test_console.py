import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest

from local.console import Console, show_warnings
from rondas.history import Answer, ToolCall, ToolResult, Turn


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def logger() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A logger of a function's, and what its own handler writes."""
    log = io.StringIO()
    logger = logging.getLogger("a function's")
    logger.addHandler(logging.StreamHandler(log))
    yield logger, log
    logger.handlers.clear()


def turn(*calls: ToolCall, text: str = "I will look.") -> Turn:
    return Turn(text, calls)


def response(code: int, body: dict[str, Any]) -> dict[str, Any]:
    return {"statusCode": code, "body": json.dumps(body)}


def test_a_round_is_printed_as_it_happens() -> None:
    # given
    out = io.StringIO()
    console = Console(out)
    call = ToolCall("a", "read_goals", '{"exercise": "squat"}')
    # when
    console.on_turn(turn(call), 0.25)
    before = out.getvalue()
    console.on_result(call, ToolResult("a", "fine"), 0.002)
    # then
    assert before == "\nmodel  250 ms  I will look.\n"
    assert out.getvalue() == before + 'round 1  → read_goals exercise="squat"  2 ms\n'


def test_the_calls_of_one_round_share_its_number() -> None:
    out = io.StringIO()
    console = Console(out)
    calls = (ToolCall("a", "read_goals"), ToolCall("b", "read_goals"))
    for _ in range(2):
        console.on_turn(turn(*calls), 0)
        for call in calls:
            console.on_result(call, ToolResult(call.id, "fine"), 0)
    assert [line[:8].strip() for line in out.getvalue().splitlines() if "→" in line] == ["round 1", "", "round 2", ""]


def test_what_became_of_a_call_is_told_only_where_it_was_not_simply_done() -> None:
    out = io.StringIO()
    console = Console(out)
    call = ToolCall("a", "read_goals")
    console.on_turn(turn(call), 0)
    console.on_result(call, ToolResult("a", "No such\nthing.", "failed"), 0)
    assert "failed" in out.getvalue()
    assert " No such thing.\n" in out.getvalue()


def test_calls_that_never_ran_are_shown_before_the_answer() -> None:
    out = io.StringIO()
    console = Console(out)
    console.on_turn(turn(ToolCall("a", "read_goals")), 0)
    console.on_turn(Turn("Closing words."), 0)
    console.on_answer(Answer("Closing words."), 0)
    assert out.getvalue().count("not executed") == 1
    assert "Closing words." not in out.getvalue()


def test_the_reply_comes_with_one_line_of_facts() -> None:
    out = io.StringIO()
    usage = {"input_tokens": 900, "cached_tokens": 300, "output_tokens": 20, "reasoning_tokens": 0}
    reply = response(
        200, {"status": "answered", "reply": "All good.", "rounds": 1, "model": "anthropic:demo", "usage": usage}
    )
    Console(out).response(reply, 0.5)
    assert out.getvalue().splitlines() == [
        "",
        "All good.",
        "",
        "200 · answered · 1 round · anthropic:demo · 900 tokens in (300 cached), 20 out · 500 ms",
    ]


def test_an_error_is_printed_readably() -> None:
    out = io.StringIO()
    Console(out).response(
        response(409, {"title": "Conflict", "code": "conversation_busy", "detail": "One at a time."}), 0.01
    )
    assert out.getvalue().splitlines() == ["", "409 · conversation_busy  10 ms", "  One at a time."]


def test_an_answer_that_is_no_json_is_printed_as_it_is() -> None:
    out = io.StringIO()
    Console(out).response({"statusCode": 500, "body": "ValueError: boom"}, 0)
    assert "500" in out.getvalue()
    assert "ValueError: boom" in out.getvalue()


def test_a_message_that_goes_on_without_the_app_is_told_with_where_to_look() -> None:
    out = io.StringIO()
    accepted = response(202, {"status": "running", "message_id": "m"}) | {"headers": {"Location": "/conversations/c"}}
    Console(out).response(accepted, 0.01)
    assert out.getvalue().splitlines() == ["", "202 · running  10 ms", "  goes on at /conversations/c"]


def test_a_message_that_has_no_reply_yet_is_told_with_what_it_has() -> None:
    out = io.StringIO()
    Console(out).response(response(200, {"status": "running", "reply": None, "rounds": 3}), 0.01)
    assert out.getvalue().splitlines() == [
        "",
        "200 · running  10 ms",
        '  {"status": "running", "reply": null, "rounds": 3}',
    ]


@pytest.mark.parametrize(
    ("error", "shown"), [("", "done · 10 ms"), ("InProgress: 1", "500 · to be delivered again  10 ms\n  InProgress: 1")]
)
def test_a_delivery_is_told_with_the_message_the_function_and_what_became_of_it(error: str, shown: str) -> None:
    out = io.StringIO()
    console = Console(out)
    console.begin({"Records": [{"body": '{"message_id": "m"}'}]}, "WorkerFunction")
    console.delivered(error, 0.01)
    assert out.getvalue() == f"\ndelivered to WorkerFunction\n> m\n\n{shown}\n"


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch, no_color: str, coloured: bool) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    out = Terminal()
    Console(out).response(response(500, {"code": "internal"}), 0)
    assert ("\033[" in out.getvalue()) is coloured


def test_rounds_are_counted_anew_for_each_event() -> None:
    out = io.StringIO()
    console = Console(out)
    for _ in range(2):
        console.begin({"routeKey": "POST /x", "body": '{"text": "hi"}'})
        console.on_turn(turn(ToolCall("a", "read_goals")), 0)
        console.on_result(ToolCall("a", "read_goals"), ToolResult("a", "fine"), 0)
    assert out.getvalue().count("round 1 ") == 2
    assert out.getvalue().count("> hi") == 2


@pytest.mark.parametrize(
    ("model", "cause", "advice"),
    [
        ("anthropic:claude-haiku-5-5", "401 AuthenticationError", " (check ANTHROPIC_API_KEY)"),
        ("google:gemini", "403 ClientError", " (check GEMINI_API_KEY)"),
        ("openai:gpt", "529 OverloadedError", ""),
    ],
)
def test_a_model_that_failed_is_one_line_with_the_key_to_check(
    logger: tuple[logging.Logger, io.StringIO], model: str, cause: str, advice: str
) -> None:
    # given
    out = io.StringIO()
    show_warnings(Console(out), "a function's")
    # when
    logger[0].warning("model failed", extra={"model": model, "cause": cause})
    # then
    assert out.getvalue() == f"  ! model failed: {model} · {cause}{advice}\n"
    assert logger[1].getvalue() == ""


def test_a_warning_is_shown_in_one_line_and_what_is_less_is_not(logger: tuple[logging.Logger, io.StringIO]) -> None:
    out = io.StringIO()
    show_warnings(Console(out), "a function's")
    logger[0].info("run ended")
    logger[0].warning("tool %s\nraised", "x")
    assert out.getvalue() == "  ! tool x raised\n"
