"""How Gemini is told a conversation, over HTTP, with a service as strict as the real one."""

import base64
from collections.abc import Sequence
from typing import Any

import pytest
from fakes.google import DUMMY, MODEL, content, serving_gemini
from fakes.server import Json

from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, Turn, UserMessage
from rondas.tools import Tool

HELLO = UserMessage("How am I doing?")
TWO_CALLS = [("g1", "look", {"query": "bench"}), ("g2", "save", {"query": "goal"})]


def answered(turn: Turn, *texts: str) -> Round:
    """The round of a turn, its calls answered with the texts, or each with its number."""
    given = texts or [f"result {number}" for number in range(len(turn.calls))]
    return Round(turn, tuple(ToolResult(call.id, text) for call, text in zip(turn.calls, given, strict=True)))


def foreign_round(number: int) -> Round:
    """A round as Claude leaves it, two calls and a thought of its own."""
    calls = tuple(ToolCall(f"toolu_{number}{letter}", "look", '{"query":"bench"}') for letter in "ab")
    opaque = [{"type": "thinking", "thinking": "", "signature": "EqQB"}, {"type": "tool_use", "id": "toolu_1"}]
    return answered(Turn("I look.", calls, model="anthropic:claude-sonnet-5-5", opaque=opaque))


def functions(body: Json, kind: str) -> list[Any]:
    return [part[kind] for entry in body["contents"] for part in entry["parts"] if kind in part]


def signatures(body: Json) -> list[bytes | None]:
    """The signatures of the calls, in order."""
    parts = [part for entry in body["contents"] for part in entry["parts"] if "functionCall" in part]
    given = [part.get("thoughtSignature") for part in parts]
    return [None if each is None else base64.urlsafe_b64decode(each) for each in given]


def test_two_rounds_of_parallel_calls_then_the_closing_call(tools: list[Tool]) -> None:
    # given
    again = [("g3", "look", {"query": "squat"}), ("g4", "look", {"query": "row"})]
    steps = content("I look.", TWO_CALLS, thought="hm"), content("", again), content("All is well.")
    with serving_gemini(tools, *steps) as (server, gemini):
        # when
        first = gemini.turn([HELLO], seconds=5)
        history: list[Entry] = [HELLO, answered(first, "80 kg", "saved")]
        second = gemini.turn(history, seconds=5)
        history.append(answered(second))
        last = gemini.turn(history, seconds=5, closing="Close now.")
        # then
        server.check_used_up()
    assert [call.name for call in first.calls] == ["look", "save"]
    assert first.text == "I look."
    assert last.text == "All is well."
    closing = server.bodies[2]
    assert [entry["role"] for entry in closing["contents"]] == ["user", "model", "user", "model", "user"]
    assert [call["id"] for call in functions(closing, "functionCall")] == ["g1", "g2", "g3", "g4"]
    assert functions(closing, "functionResponse")[:2] == [
        {"id": "g1", "name": "look", "response": {"output": "80 kg"}},
        {"id": "g2", "name": "save", "response": {"output": "saved"}},
    ]
    assert closing["tools"] == server.bodies[0]["tools"]
    assert closing["toolConfig"] == {"functionCallingConfig": {"mode": "NONE"}}
    assert closing["systemInstruction"]["parts"] == [{"text": "You help.\n\nClose now."}]


def test_a_result_that_is_none_is_told_as_an_error(tools: list[Tool]) -> None:
    # given
    with serving_gemini(tools, content("", TWO_CALLS), content("Well.")) as (server, gemini):
        turn = gemini.turn([HELLO], seconds=5)
        results = ToolResult("g1", "no such exercise", "failed"), ToolResult("g2", "Not executed.", "not_executed")
        # when
        gemini.turn([HELLO, Round(turn, results)], seconds=5)
        # then
        server.check_used_up()
    responses = functions(server.bodies[1], "functionResponse")
    assert [each["response"] for each in responses] == [{"error": "no such exercise"}, {"error": "Not executed."}]


def test_trap_18_signatures_come_back_on_the_first_call_of_each_step(tools: list[Tool]) -> None:
    # given
    steps = content("", TWO_CALLS), content("", [("g3", "look", {})]), content("Well.")
    with serving_gemini(tools, *steps) as (server, gemini):
        history: list[Entry] = [HELLO]
        # when
        for _ in range(2):
            history.append(answered(gemini.turn(history, seconds=5)))
        gemini.turn(history, seconds=5)
        # then: the service has checked that each is its own
        server.check_used_up()
    first, sibling, second = signatures(server.bodies[2])
    assert first
    assert sibling is None
    assert second
    assert DUMMY not in {first, second}


def test_what_is_echoed_stays_as_it_was_kept(tools: list[Tool]) -> None:
    with serving_gemini(tools, content("", TWO_CALLS), content("Well.")) as (_, gemini):
        turn = gemini.turn([HELLO], seconds=5)
        before = repr(turn)
        gemini.turn([HELLO, answered(turn)], seconds=5)
    assert repr(turn) == before


def test_trap_21_calls_without_ids_are_answered_by_their_order(tools: list[Tool]) -> None:
    # given
    calls = [(None, "look", {"query": "a"}), (None, "look", {"query": "b"})]
    with serving_gemini(tools, content("", calls), content("Well.")) as (server, gemini):
        # when
        turn = gemini.turn([HELLO], seconds=5)
        gemini.turn([HELLO, answered(turn, "first", "second")], seconds=5)
        # then
        server.check_used_up()
    assert len({call.id for call in turn.calls} - {"", "None", "null"}) == 2
    assert [call for call in functions(server.bodies[1], "functionCall") if "id" in call] == []
    assert functions(server.bodies[1], "functionResponse") == [
        {"name": "look", "response": {"output": "first"}},
        {"name": "look", "response": {"output": "second"}},
    ]


def test_trap_26_no_nulls_and_no_renamed_fields_are_sent_back(tools: list[Tool]) -> None:
    """The service refuses both."""
    with serving_gemini(tools, content("I look.", TWO_CALLS, thought="hm"), content("Well.")) as (server, gemini):
        gemini.turn([HELLO, answered(gemini.turn([HELLO], seconds=5))], seconds=5)
        server.check_used_up()
    assert b"null" not in server.requests[1].raw


def test_new_message_after_rounds_shows_them_anew(tools: list[Tool]) -> None:
    # given
    with serving_gemini(tools, content("", TWO_CALLS), content("Well."), content("Better.")) as (server, gemini):
        done = answered(gemini.turn([HELLO], seconds=5))
        answer = gemini.turn([HELLO, done], seconds=5)
        history: list[Entry] = [HELLO, done, Answer(answer.text), UserMessage("And now?")]
        # when
        gemini.turn(history, seconds=5)
        # then
        server.check_used_up()
    roles = [entry["role"] for entry in server.bodies[2]["contents"]]
    assert roles == ["user", "model", "user", "model", "user"]
    assert [call["id"] for call in functions(server.bodies[2], "functionCall")] == ["g1", "g2"]
    assert signatures(server.bodies[2]) == [DUMMY, None]


@pytest.mark.parametrize("own", ["before", "after"])
def test_failover_inside_a_message_carries_the_dummy_signature(tools: list[Tool], own: str) -> None:
    # given
    with serving_gemini(tools, content("", TWO_CALLS), content("Well.")) as (server, gemini):
        ours = answered(gemini.turn([HELLO], seconds=5))
        rounds = [ours, foreign_round(1)] if own == "before" else [foreign_round(1), ours]
        # when
        gemini.turn([HELLO, *rounds], seconds=5)
        # then
        server.check_used_up()
    given = signatures(server.bodies[1])
    dummy, signed = (given[2], given[0]) if own == "before" else (given[0], given[2])
    assert dummy == DUMMY
    assert signed not in {None, DUMMY}
    assert (given[1], given[3]) == (None, None)


def test_the_signature_of_another_gemini_is_not_shown(tools: list[Tool]) -> None:
    # given
    other = Turn("", (ToolCall("x", "look"),), model=f"{MODEL}-lite", opaque=[{"text": "", "thoughtSignature": "AA=="}])
    with serving_gemini(tools, content("Well.")) as (server, gemini):
        # when
        gemini.turn([HELLO, answered(other)], seconds=5)
        # then
        server.check_used_up()
    assert signatures(server.bodies[0]) == [DUMMY]


@pytest.mark.parametrize(
    "rounds",
    [
        [Round(Turn("Wait…", stop="paused", model="anthropic:c"))],
        [Round(Turn("Wait…", stop="paused", model="anthropic:c")), foreign_round(2)],
        [Round(Turn(" ", stop="paused", model="anthropic:c")), foreign_round(2)],
        [foreign_round(1), foreign_round(1)],
        [answered(Turn("", (ToolCall("call|1 é", "no such\ntool!", "{"),), model="openai:o"), "")],
        [answered(Turn("", (ToolCall("same", "look"), ToolCall("same", "look")), model="openai:o"))],
    ],
    ids=["paused", "paused then calls", "paused without words", "same ids twice", "odd name and arguments", "same id"],
)
def test_rounds_of_other_models_are_accepted(tools: list[Tool], rounds: Sequence[Round]) -> None:
    with serving_gemini(tools, content("Well.")) as (server, gemini):
        gemini.turn([HELLO, *rounds], seconds=5)
        server.check_used_up()
