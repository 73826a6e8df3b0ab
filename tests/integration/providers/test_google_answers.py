"""What Gemini answers, over HTTP, and how it is understood."""

import json
import logging

import pytest
from fakes.google import MODEL, blocked, candidates, content, serving_gemini, strict
from fakes.server import Json, Reply

from rondas.history import Round, Stop, ToolResult, Turn, Usage, UserMessage
from rondas.providers.errors import ProviderError
from rondas.tools import Tool

HELLO = UserMessage("How am I doing?")

ONE_CALL = [("g1", "look", {"query": "bench"})]


def read(reply: Reply, tools: list[Tool]) -> Turn:
    """Returns the turn that is understood from a reply."""
    with serving_gemini(tools, reply) as (server, gemini):
        turn = gemini.turn([HELLO], seconds=5)
        server.check_used_up()
    return turn


def of_parts(*parts: Json, finish: str = "STOP") -> Reply:
    return candidates([{"content": {"role": "model", "parts": list(parts)}, "finishReason": finish}])


def test_text_and_calls_are_read_without_thoughts(tools: list[Tool]) -> None:
    # given
    reply = content("I look.", [*ONE_CALL, ("g2", "save", {"query": "é"})], thought="They want numbers.")
    # when
    turn = read(reply, tools)
    # then
    assert turn.text == "I look."
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [
        ("g1", "look", '{"query":"bench"}'),
        ("g2", "save", '{"query":"é"}'),
    ]
    assert (turn.stop, turn.model) == ("end", MODEL)


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("STOP", "end"),
        (None, "end"),
        ("MAX_TOKENS", "truncated"),
        ("CONTINUATION", "truncated"),
        ("TOO_MANY_TOOL_CALLS", "unknown"),
        ("MISSING_THOUGHT_SIGNATURE", "unknown"),
        ("OTHER", "unknown"),
        ("NO_IMAGE", "unknown"),
        ("FINISH_REASON_UNSPECIFIED", "unknown"),
        ("A_REASON_OF_NEXT_YEAR", "unknown"),
    ],
)
def test_trap_19_finish_reasons(tools: list[Tool], finish: str | None, stop: Stop) -> None:
    turn = read(content("Words.", ONE_CALL, finish=finish), tools)
    assert turn.stop == stop
    assert turn.text == "Words."
    assert len(turn.calls) == 1


@pytest.mark.parametrize(
    "finish",
    [
        "SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "ESCALATION",
        "PUP_LIMITED_DISABLED", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "IMAGE_OTHER",
    ],
)  # fmt: skip
def test_trap_19_refusals_keep_nothing_of_what_was_said(tools: list[Tool], finish: str) -> None:
    turn = read(content("Half a sent", ONE_CALL, finish=finish), tools)
    assert turn == Turn(stop="refused", usage=Usage(10, 0, 5), model=MODEL)


@pytest.mark.parametrize(
    "reason", ["SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "MODEL_ARMOR", "JAILBREAK", "NEW"]
)
def test_trap_19_a_blocked_prompt_is_a_refusal(tools: list[Tool], reason: str) -> None:
    turn = read(blocked(reason), tools)
    assert turn == Turn(stop="refused", usage=Usage(10, 0, 0), model=MODEL)


@pytest.mark.parametrize("finish", ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"])
def test_trap_19_what_the_model_botched_is_asked_for_again(tools: list[Tool], finish: str) -> None:
    with pytest.raises(ProviderError) as caught:
        read(content("", finish=finish), tools)
    assert caught.value.retryable
    assert str(caught.value) == f"{MODEL}: {finish}"


@pytest.mark.parametrize(
    "reply",
    [
        Reply({"usageMetadata": {}}),
        candidates([]),
        candidates([{}]),
        candidates([{"finishReason": "STOP"}]),
        candidates([{"finishReason": "STOP", "content": None}]),
        candidates([{"finishReason": "STOP", "content": {}}]),
        candidates([{"finishReason": "STOP", "content": {"role": "model", "parts": None}}]),
        of_parts(),
        of_parts({"text": ""}),
        of_parts({"text": "A thought.", "thought": True}),
    ],
)
def test_trap_19_what_is_missing_is_an_empty_turn(tools: list[Tool], reply: Reply) -> None:
    turn = read(reply, tools)
    assert (turn.text, turn.calls, turn.stop) == ("", (), "end")


def test_trap_19_a_closing_call_may_still_call(tools: list[Tool]) -> None:
    with serving_gemini(tools, content("", ONE_CALL)) as (_, gemini):
        turn = gemini.turn([HELLO], seconds=5, closing="Close.")
    assert len(turn.calls) == 1


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ({"name": "look"}, "{}"),
        ({"name": "look", "args": None}, "{}"),
        ({"name": "look", "args": {}}, "{}"),
        ({"name": "look", "args": ["bench"]}, '["bench"]'),
        ({"id": "", "args": {"query": "x"}}, '{"query":"x"}'),
        ({"id": 7, "name": "look", "args": {"query": "x"}, "willContinue": False}, '{"query":"x"}'),
    ],
)
def test_trap_21_calls_that_lack_something_are_readable_and_answerable(
    tools: list[Tool], call: Json, arguments: str, *, signed: bool
) -> None:
    # given
    part: Json = {"functionCall": call, "thoughtSignature": "c2lnbmVk"} if signed else {"functionCall": call}
    steps = of_parts(part, {"functionCall": {"name": "look"}}), content("Well.")
    with serving_gemini(tools, *steps, rule=strict(["c2lnbmVk"])) as (server, gemini):
        # when
        turn = gemini.turn([HELLO], seconds=5)
        gemini.turn([HELLO, Round(turn, tuple(ToolResult(each.id, "x") for each in turn.calls))], seconds=5)
        # then
        server.check_used_up()
    assert turn.calls[0].arguments == arguments
    assert all(each.id for each in turn.calls)
    assert turn.calls[0].id != turn.calls[1].id


def test_trap_25_parts_nobody_knows_are_neither_text_nor_sent_back(tools: list[Tool]) -> None:
    # given
    call = json.loads(content("", ONE_CALL).raw())["candidates"][0]["content"]["parts"][0]
    steps = of_parts({"hologram": {"x": 1}}, {**call, "mood": "good"}, {"text": "", "thoughtSignature": "AAAA"})
    with serving_gemini(tools, steps, content("Well.")) as (server, gemini):
        # when
        turn = gemini.turn([HELLO], seconds=5)
        gemini.turn([HELLO, Round(turn, (ToolResult("g1", "x"),))], seconds=5)
        # then
        server.check_used_up()
    assert turn.text == ""
    assert len(server.bodies[1]["contents"][1]["parts"]) == 1


def test_unknown_finish_reasons_are_no_warnings(tools: list[Tool], caplog: pytest.LogCaptureFixture) -> None:
    """Warnings are errors in these tests, and there is none in the log either."""
    with caplog.at_level(logging.WARNING):
        read(content("Words.", finish="A_REASON_OF_NEXT_YEAR"), tools)
    assert caplog.records == []


def test_trap_28_lone_surrogates_and_nul_bytes_are_cleaned(tools: list[Tool]) -> None:
    # given
    calls = [("g\ud800", "look\ud800", {"query": "a\ud800b", "\udfff": ["\ud83d"]})]
    steps = Reply(content("cut \ud83d\x00.", calls).raw()), content("Well.")
    with serving_gemini(tools, *steps, rule=lambda _: None) as (server, gemini):
        # when
        turn = gemini.turn([HELLO], seconds=5)
        gemini.turn([HELLO, Round(turn, (ToolResult(turn.calls[0].id, "x"),))], seconds=5)
        # then
        server.check_used_up()
    assert turn.text == "cut ?."
    assert turn.calls[0].name == "look?"
    assert json.loads(turn.calls[0].arguments) == {"query": "a?b", "?": ["?"]}
    assert b"\\ud" not in server.requests[1].raw


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        (
            {
                "promptTokenCount": 100, "toolUsePromptTokenCount": 7, "cachedContentTokenCount": 64,
                "candidatesTokenCount": 5, "thoughtsTokenCount": 3, "totalTokenCount": 115,
            },
            Usage(input=107, cached=64, output=8, reasoning=3),
        ),
        ({"promptTokenCount": 9, "thoughtsTokenCount": None}, Usage(input=9)),
        ({"other": 1}, Usage()),
    ],
)  # fmt: skip
def test_tokens_are_counted_as_everywhere(tools: list[Tool], usage: Json, counted: Usage) -> None:
    assert read(content("Words.", usage=usage), tools).usage == counted
