"""Exchanges that really took place with Gemini, played again (tests/data/recorded)."""

from typing import Any

import pytest
from fakes.google import content, serving_gemini, strict
from fakes.player import Exchange, recorded
from fakes.server import Json

from rondas.history import Entry, Round, ToolResult, Turn, UserMessage
from rondas.providers.errors import ProviderError
from rondas.tools import Tool

RECORDED = recorded("google")

conversations = pytest.mark.parametrize("exchanges", [pytest.param(each, id=name) for name, each in RECORDED])


def parts(body: Json, kind: str) -> list[Any]:
    """The parts of an answer, or of all contents of a request, that hold something of a kind."""
    contents = body.get("contents") or [candidate["content"] for candidate in body.get("candidates", [])]
    return [part for entry in contents for part in entry.get("parts", []) if kind in part]


def signatures(body: Json) -> list[str | None]:
    """The signatures of the calls, spelt as the service itself spells them."""
    given = [part.get("thoughtSignature") for part in parts(body, "functionCall")]
    return [each and each.translate(str.maketrans("-_", "+/")) for each in given]


def question(exchanges: list[Exchange]) -> UserMessage:
    return UserMessage(exchanges[0].request["contents"][0]["parts"][0]["text"])


def answered(turn: Turn) -> Round:
    return Round(turn, tuple(ToolResult(call.id, "it is done") for call in turn.calls))


@conversations
def test_every_recorded_answer_is_understood(tools: list[Tool], exchanges: list[Exchange]) -> None:
    for exchange in exchanges:
        with serving_gemini(tools, exchange.reply) as (server, gemini):
            # when
            if exchange.status != 200:
                with pytest.raises(ProviderError, match=str(exchange.status)):
                    gemini.turn([question(exchanges)], seconds=5)
                continue
            turn = gemini.turn([question(exchanges)], seconds=5)
            server.check_used_up()
        # then
        finish = exchange.response["candidates"][0]["finishReason"]
        usage = exchange.response["usageMetadata"]
        calls = [part["functionCall"] for part in parts(exchange.response, "functionCall")]
        assert turn.text == "".join(part["text"] for part in parts(exchange.response, "text"))
        assert [(call.name, call.arguments_object()) for call in turn.calls] == [(c["name"], c["args"]) for c in calls]
        assert turn.stop == {"STOP": "end", "MAX_TOKENS": "truncated", "SAFETY": "refused"}[finish]
        assert turn.usage.input + turn.usage.output == usage["totalTokenCount"]


@conversations
def test_the_calls_of_recorded_answers_come_back_as_they_were(tools: list[Tool], exchanges: list[Exchange]) -> None:
    # given: the service as it answered, and one more answer to what it asked last
    understood = [each for each in exchanges if each.status == 200]
    known = [each for exchange in understood for each in signatures(exchange.response) if each]
    steps = [*(each.reply for each in understood), content("Well.")]
    with serving_gemini(tools, *steps, rule=strict(known)) as (server, gemini):
        # when: every call is answered, in the recorded conversation and in the request beyond its end
        history: list[Entry] = [question(exchanges)]
        for _ in steps:
            turn = gemini.turn(history, seconds=5)
            history += [answered(turn)] if turn.calls else []
        # then
        server.check_used_up()
    said = [part for exchange in understood for part in parts(exchange.response, "functionCall")]
    last = server.bodies[-1]
    assert [part["functionCall"] for part in parts(last, "functionCall")] == [part["functionCall"] for part in said]
    assert signatures(last) == [part.get("thoughtSignature") for part in said]
    responses = [part["functionResponse"] for part in parts(last, "functionResponse")]
    assert [(each["name"], each.get("id")) for each in responses] == [
        (part["functionCall"]["name"], part["functionCall"].get("id")) for part in said
    ]
