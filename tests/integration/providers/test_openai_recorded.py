"""What the real service sent is understood, and what it was sent next is what the adapter sends next."""

from itertools import pairwise
from typing import Any

import pytest
from fakes.openai import OpenAIServer, completed
from fakes.player import Exchange, recorded

from rondas.history import Answer, Entry, Turn, UserMessage, settle
from rondas.providers import Provider
from rondas.providers.errors import ProviderError

RECORDED = recorded("openai")
ANSWERED = [(name, e) for name, exchanges in RECORDED for e in exchanges if e.status == 200]
REFUSED = [(name, e) for name, exchanges in RECORDED for e in exchanges if e.status != 200]
CONTINUED = [(name, pair) for name, exchanges in RECORDED for pair in pairwise(exchanges)]

QUESTION = UserMessage("A question")


def named(cases: list[tuple[str, Any]]) -> Any:
    return pytest.mark.parametrize("played", [each for _, each in cases], ids=[name for name, _ in cases])


def test_there_is_something_to_play() -> None:
    assert ANSWERED
    assert REFUSED
    assert CONTINUED


@named(ANSWERED)
def test_recorded_response_is_understood(
    openai_service: OpenAIServer, openai_model: Provider, played: Exchange
) -> None:
    # given
    openai_service.add(played.reply)
    # when
    turn = openai_model.turn([QUESTION], seconds=5)
    # then
    output = played.response["output"]
    calls = [item for item in output if item["type"] == "function_call"]
    texts = [part["text"] for item in output if item["type"] == "message" for part in item["content"]]
    usage = played.response["usage"]
    assert turn.stop == "end"
    assert [(call.id, call.name, call.arguments) for call in turn.calls] == [
        (item["call_id"], item["name"], item["arguments"]) for item in calls
    ]
    assert turn.text == "\n\n".join(texts)
    assert turn.text or turn.calls
    assert (turn.usage.input, turn.usage.output) == (usage["input_tokens"], usage["output_tokens"])
    assert turn.opaque == ({"response_id": played.response["id"]} if calls else None)


@named(ANSWERED)
def test_next_request_builds_upon_the_recorded_response(
    openai_service: OpenAIServer, openai_model: Provider, played: Exchange
) -> None:
    # given
    openai_service.add(played.reply, completed("Done."))
    turn = openai_model.turn([QUESTION], seconds=5)
    # when: the rounds of the same message, or the next message
    following: list[Entry] = [settle(turn, "found", "done")] if turn.calls else [Answer(turn.text), QUESTION]
    openai_model.turn([QUESTION, *following], seconds=5)
    # then the service, which remembers what it was told, takes it
    body = openai_service.bodies[1]
    assert body.get("previous_response_id") == (played.response["id"] if turn.calls else None)
    outputs = [item["call_id"] for item in body["input"] if item.get("type") == "function_call_output"]
    assert outputs == [item["call_id"] for item in played.response["output"] if item["type"] == "function_call"]


@named(CONTINUED)
def test_full_request_says_what_the_real_service_accepted(
    openai_service: OpenAIServer, openai_model: Provider, played: tuple[Exchange, Exchange]
) -> None:
    # given
    exchange, accepted = played
    openai_service.add(exchange.reply, completed("Done."))
    turn = openai_model.turn([QUESTION], seconds=5)
    result = next(item["output"] for item in accepted.request["input"] if item.get("type") == "function_call_output")
    # when
    neutral = Turn(turn.text, turn.calls, model="another:model")
    openai_model.turn([QUESTION, settle(neutral, result, "done")], seconds=5)
    # then
    kinds = ("function_call", "function_call_output")
    fields = {"type", "call_id", "name", "arguments", "output"}
    expected = [
        {name: value for name, value in item.items() if name in fields}
        for item in accepted.request["input"]
        if item.get("type") in kinds
    ]
    assert openai_service.bodies[1]["input"][1:] == expected


@named(REFUSED)
def test_recorded_refusal_is_not_tried_again(
    openai_service: OpenAIServer, openai_model: Provider, played: Exchange
) -> None:
    # given
    openai_service.add(played.reply)
    # when
    with pytest.raises(ProviderError) as failure:
        openai_model.turn([QUESTION], seconds=5)
    # then the operator reads the code, and nothing of the text
    assert not failure.value.retryable
    assert failure.value.cause.endswith(f"{played.status} BadRequestError {played.response['error']['code']}")
