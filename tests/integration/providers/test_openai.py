"""What the adapter says to OpenAI: one message's rounds as a chain, everything else from the neutral conversation."""

import json
from typing import Any

import pytest
from fakes.openai import OpenAIServer, completed, error
from fakes.server import Reply
from pydantic import BaseModel, Field

from rondas.history import Entry, Round, ToolResult, Turn, UserMessage
from rondas.providers import Provider, connect
from rondas.providers.errors import ProviderError
from rondas.tools import Arguments, Tool

QUESTION = UserMessage("How much did I lift?")


def answered(turn: Turn, *texts: str) -> Round:
    """The round of a turn whose calls brought these results."""
    return Round(turn, tuple(ToolResult(call.id, text) for call, text in zip(turn.calls, texts, strict=True)))


def test_first_request_of_a_message(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    openai_service.add(completed("Hello."))
    # when
    openai_model.turn([QUESTION], seconds=5)
    # then
    body = openai_service.bodies[0]
    key = body.pop("prompt_cache_key")
    assert 0 < len(key) <= 64
    assert [tool.pop("parameters")["type"] for tool in body["tools"]] == ["object", "object"]
    assert body == {
        "model": "gpt-6.2-sol",
        "instructions": "You are a coach.",
        "input": [{"role": "user", "content": "How much did I lift?"}],
        "tools": [
            {"type": "function", "name": "look", "description": "Looks something up.", "strict": True},
            {"type": "function", "name": "save", "description": "Saves something.", "strict": True},
        ],
        "tool_choice": "auto",
        "max_output_tokens": 4096,
        "store": True,
    }


def test_two_rounds_with_parallel_calls_then_closing(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    first = completed("I will look.", [("call_1", "look", {"query": "a"}), ("call_2", "look", {"query": "b"})])
    second = completed("", [("call_3", "look", {"query": "c"}), ("call_4", "save", {"query": "d"})])
    openai_service.add(first, second, completed("60 kg. Shall I go on?"))
    history: list[Entry] = [QUESTION]
    # when
    history.append(answered(openai_model.turn(history, seconds=5), "A", "B"))
    turn = openai_model.turn(history, seconds=5)
    declined = tuple(ToolResult(call.id, "Not executed: limit.", "not_executed") for call in turn.calls)
    history.append(Round(turn, declined))
    last = openai_model.turn(history, seconds=5, closing="Close now.")
    # then
    assert last.text == "60 kg. Shall I go on?"
    _, two, three = openai_service.bodies
    assert two["input"] == [
        {"type": "function_call_output", "call_id": "call_1", "output": "A"},
        {"type": "function_call_output", "call_id": "call_2", "output": "B"},
    ]
    assert three["input"] == [
        {"type": "function_call_output", "call_id": "call_3", "output": "Not executed: limit."},
        {"type": "function_call_output", "call_id": "call_4", "output": "Not executed: limit."},
    ]
    assert [two["previous_response_id"], three["previous_response_id"]] == [response_id(first), response_id(second)]
    assert three["tool_choice"] == "none"


def test_trap_9_nothing_but_items_is_inherited_so_the_rest_is_repeated(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given
    openai_service.add(completed("", [("call_1", "look", {"query": "a"})]), completed("A."))
    # when
    history: list[Entry] = [QUESTION]
    history.append(answered(openai_model.turn(history, seconds=5), "A"))
    openai_model.turn(history, seconds=5)
    # then
    first, second = openai_service.bodies
    assert second.pop("previous_response_id")
    assert first.pop("input") != second.pop("input")
    assert first == second


def test_trap_10_strict_is_always_said_and_only_of_schemas_that_qualify(
    openai_service: OpenAIServer, tools: list[Tool]
) -> None:
    # given a tool with an optional argument, one with an open object inside, one with what strict mode does not know
    class Optional(Arguments):
        query: str = ""

    class Inner(BaseModel):
        value: int

    class Nested(Arguments):
        inner: Inner

    class Short(Arguments):
        query: str = Field(max_length=3)

    class Many(Arguments):
        names: list[str] | None = Field(description="Names, or nothing.")

    declared = [_tool(model) for model in (Optional, Nested, Short, Many)]
    openai_service.add(completed("Hello."))
    # when
    connect("openai:m", lambda _: "key", "p", [*tools, *declared], 99).turn([QUESTION], seconds=5)
    # then
    strict = {each["name"]: each["strict"] for each in openai_service.bodies[0]["tools"]}
    assert strict == {"look": True, "save": True, "Optional": False, "Nested": False, "Short": False, "Many": True}


def test_trap_13_forgotten_response_is_made_good_by_one_full_request(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given
    openai_service.add(completed("I look.", [("call_1", "look", {"query": "a"})]), completed("A."))
    history: list[Entry] = [QUESTION]
    history.append(answered(openai_model.turn(history, seconds=5), "A"))
    openai_service.forget()
    # when
    turn = openai_model.turn(history, seconds=5, closing="Close now.")
    # then
    assert turn.text == "A."
    _, refused, full = openai_service.bodies
    assert openai_service.refusals.pop()["error"]["code"] == "previous_response_not_found"
    assert refused.pop("previous_response_id")
    assert refused.pop("input") != full.pop("input")
    assert refused == full
    assert json.loads(openai_service.requests[2].raw)["input"] == [
        {"role": "user", "content": "How much did I lift?"},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": '{"query": "a"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "A"},
    ]


ZERO_RETENTION = "Previous response cannot be used for this organization due to Zero Data Retention."


@pytest.mark.parametrize(
    "refusal",
    [
        error(400, "previous_response_not_found", "Gone.", "previous_response_id"),
        error(400, None, "Previous response with id 'resp_x' not found."),
        error(400, "unsupported_parameter", ZERO_RETENTION, "previous_response_id"),
        error(404, "404", "Response with id 'resp_mine' not found."),
    ],
)
def test_trap_13_full_request_is_sent_once_only(
    openai_service: OpenAIServer, openai_model: Provider, refusal: Reply
) -> None:
    # given
    openai_service.add(completed("", [("call_1", "look", {})], id="resp_mine"), refusal, refusal)
    history: list[Entry] = [QUESTION]
    history.append(answered(openai_model.turn(history, seconds=5), "A"))
    # when
    with pytest.raises(ProviderError) as failure:
        openai_model.turn(history, seconds=5)
    # then
    assert not failure.value.retryable
    assert ["previous_response_id" in body for body in openai_service.bodies] == [False, True, False]


def test_trap_13_other_refusals_are_not_asked_twice(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    openai_service.add(completed("", [("call_1", "look", {})]), error(400, "invalid_value", "No.", "input"))
    history: list[Entry] = [QUESTION]
    history.append(answered(openai_model.turn(history, seconds=5), "A"))
    # when, then
    with pytest.raises(ProviderError):
        openai_model.turn(history, seconds=5)
    assert len(openai_service.requests) == 2


def test_trap_13_response_that_was_not_stored_is_not_built_upon(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given
    openai_service.add(completed("", [("call_1", "look", {})], store=False), completed("A."))
    # when
    history: list[Entry] = [QUESTION]
    history.append(answered(openai_model.turn(history, seconds=5), "A"))
    openai_model.turn(history, seconds=5)
    # then
    assert "previous_response_id" not in openai_service.bodies[1]


def test_trap_15_closing_instruction_stays_out_of_the_cached_input(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given
    openai_service.add(completed("A."), completed("B."))
    # when
    openai_model.turn([QUESTION], seconds=5)
    openai_model.turn([QUESTION], seconds=5, closing="Close now.")
    # then
    ordinary, closing = openai_service.bodies
    assert closing.pop("instructions") == "You are a coach.\n\nClose now."
    assert [ordinary.pop("tool_choice"), closing.pop("tool_choice")] == ["auto", "none"]
    assert ordinary.pop("instructions") == "You are a coach."
    assert closing == ordinary


def test_without_tools_nothing_is_said_about_them(openai_service: OpenAIServer) -> None:
    # given
    openai_service.add(completed("A."))
    # when
    connect("openai:m", lambda _: "key", "p", [], 99).turn([QUESTION], seconds=5, closing="Close.")
    # then
    assert not {"tools", "tool_choice"}.intersection(openai_service.bodies[0])


def response_id(reply: Reply) -> str:
    body: Any = reply.body
    return body["id"]


def _tool(arguments: type[BaseModel]) -> Tool:
    return Tool(arguments.__name__, "Does something.", arguments, arguments, lambda given, _: given)
