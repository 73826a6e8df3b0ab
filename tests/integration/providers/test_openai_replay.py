"""What OpenAI is told of what it does not remember: earlier messages, rounds of other models, forgotten responses."""

import pytest
from fakes.openai import OpenAIServer, completed

from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, Turn, UserMessage
from rondas.providers import Provider, connect
from rondas.tools import Tool

QUESTION = UserMessage("How much did I lift?")


def answered(turn: Turn, *texts: str) -> Round:
    """The round of a turn whose calls brought these results."""
    return Round(turn, tuple(ToolResult(call.id, text) for call, text in zip(turn.calls, texts, strict=True)))


def test_trap_11_invalid_arguments_are_passed_on_and_can_be_replayed(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given
    openai_service.add(completed("", [("call_1", "look", '{"query":')]), completed("Sorry."), completed("Again."))
    # when
    turn = openai_model.turn([QUESTION], seconds=5)
    history: list[Entry] = [QUESTION, Round(turn, (ToolResult("call_1", "Invalid JSON.", "failed"),))]
    openai_model.turn(history, seconds=5)
    openai_model.turn([*history, Answer("Sorry."), UserMessage("And now?")], seconds=5)
    # then
    assert turn.calls == (ToolCall("call_1", "look", '{"query":'),)
    output = {"type": "function_call_output", "call_id": "call_1", "output": "Error: Invalid JSON."}
    _, chained, replayed = openai_service.bodies
    assert chained["input"] == [output]
    call = {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"}
    assert replayed["input"][1:3] == [call, output]


def test_trap_14_new_message_starts_from_the_neutral_conversation(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given
    openai_service.add(completed("I look.", [("call_1", "look", {"query": "a"})]), completed("A."), completed("B."))
    history: list[Entry] = [QUESTION]
    history.append(answered(openai_model.turn(history, seconds=5), "A"))
    history.append(Answer(openai_model.turn(history, seconds=5).text))
    # when
    openai_model.turn([*history, UserMessage("And now?")], seconds=5)
    # then no ids of items, no reasoning, no phases, no response before
    body = openai_service.bodies[2]
    assert "previous_response_id" not in body
    assert body["input"] == [
        {"role": "user", "content": "How much did I lift?"},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": '{"query": "a"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "A"},
        {"role": "assistant", "content": "A."},
        {"role": "user", "content": "And now?"},
    ]


def test_trap_15_input_only_grows_and_keeps_its_cache_key(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    openai_service.add(completed("A."), completed("B."), completed("C."))
    longer: list[Entry] = [QUESTION, Answer("A."), UserMessage("And now?")]
    # when
    for history in ([QUESTION], longer, [UserMessage("Somebody else's question")]):
        openai_model.turn(history, seconds=5)
    # then
    first, second, other = openai_service.bodies
    assert second["input"][: len(first["input"])] == first["input"]
    assert first["prompt_cache_key"] == second["prompt_cache_key"] != other["prompt_cache_key"]


def test_trap_26_requests_hold_no_nulls_and_no_names_of_python(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given
    openai_service.add(completed("I look.", [("call_1", "look", {"query": "a"})]), completed("A."), completed("B."))
    # when
    history: list[Entry] = [QUESTION]
    history.append(answered(openai_model.turn(history, seconds=5), "A"))
    openai_model.turn(history, seconds=5)
    openai_model.turn([*history, Answer("A."), QUESTION], seconds=5)
    # then
    for request in openai_service.requests:
        assert b"null" not in request.raw
        assert b"async_" not in request.raw


def test_failover_into_openai_in_the_middle_of_a_message(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given rounds of three models in the message, the last one after OpenAI's
    openai_service.add(completed("", [("call_1", "look", {"query": "b"})]), completed("C."))
    claude = Turn(
        "I look.",
        (ToolCall("toolu_1", "look", '{"query":"a"}'),),
        model="anthropic:claude",
        opaque=[{"type": "thinking", "thinking": "", "signature": "EqQB"}],
    )
    gemini = Turn(
        "", (ToolCall("call_1", "wrong name!", "{}"),), model="google:gemini", opaque={"thoughtSignature": "A"}
    )
    history: list[Entry] = [QUESTION, answered(claude, "A")]
    # when
    mine = openai_model.turn(history, seconds=5)
    history += [answered(mine, "B"), answered(gemini, "C")]
    openai_model.turn(history, seconds=5)
    # then
    first, second = openai_service.bodies
    assert first["input"] == [
        {"role": "user", "content": "How much did I lift?"},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "toolu_1", "name": "look", "arguments": '{"query":"a"}'},
        {"type": "function_call_output", "call_id": "toolu_1", "output": "A"},
    ]
    assert second["previous_response_id"]
    assert second["input"] == [
        {"type": "function_call_output", "call_id": "call_1", "output": "B"},
        {"type": "function_call", "call_id": "call_1_2", "name": "wrong_name_", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1_2", "output": "C"},
    ]


@pytest.mark.parametrize(
    "foreign",
    [
        Turn("", (ToolCall("c", "look"),), model="openai:gpt-6-luna", opaque={"response_id": "resp_other"}),
        Turn("", (ToolCall("c", "look"),), model="openai:gpt-6.2-sol", opaque=["not", "ours"]),
    ],
)
def test_responses_of_another_model_are_not_built_upon(
    openai_service: OpenAIServer, openai_model: Provider, foreign: Turn
) -> None:
    # given
    openai_service.add(completed("A."))
    # when
    openai_model.turn([QUESTION, answered(foreign, "A")], seconds=5)
    # then
    assert "previous_response_id" not in openai_service.bodies[0]


def test_blank_turns_are_skipped(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    openai_service.add(completed("A."))
    # when
    openai_model.turn([QUESTION, Round(Turn(" \n", model="anthropic:claude", stop="paused"))], seconds=5)
    # then
    assert openai_service.bodies[0]["input"] == [{"role": "user", "content": "How much did I lift?"}]


def test_resumed_run_goes_on_where_the_service_stands(
    openai_service: OpenAIServer, openai_model: Provider, tools: list[Tool]
) -> None:
    # given a round that another process stored
    openai_service.add(completed("", [("call_1", "look", {"query": "a"})]), completed("A."))
    stored = answered(openai_model.turn([QUESTION], seconds=5), "A")
    resumed = connect("openai:gpt-6.2-sol", lambda _: "key", "You are a coach.", tools, 4096)
    # when
    resumed.turn([QUESTION, stored], seconds=5)
    # then
    assert openai_service.bodies[1]["previous_response_id"] == stored.turn.opaque["response_id"]
