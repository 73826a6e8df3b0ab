"""What the adapter understands of OpenAI's responses: words, calls, why it stopped, what it cost."""

import json
from typing import Any

import pytest
from doubles import FakeClock, MemoryJournal, RecordingTools, a_budget
from fakes.openai import (
    OpenAIServer,
    call,
    completed,
    error,
    failed,
    incomplete,
    message,
    unfinished,
)
from fakes.openai_rules import problems_of_response
from fakes.server import Reply

from rondas.history import Entry, ToolCall, Turn, Usage, UserMessage, settle
from rondas.loop import Loop
from rondas.providers import Provider
from rondas.providers.errors import ProviderError
from rondas.providers.failover import Failover

QUESTION = UserMessage("How much did I lift?")
REASONING: Any = {"type": "reasoning", "id": "rs_x", "summary": []}


def read(service: OpenAIServer, model: Provider, reply: Reply) -> Turn:
    service.add(reply)
    return model.turn([QUESTION], seconds=5)


def test_turn_is_read_whole(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    reply = completed("I look.", [("call_1", "look", '{"query": "a"}'), ("call_2", "save", {})], id="resp_mine")
    # when
    turn = read(openai_service, openai_model, reply)
    # then
    assert turn == Turn(
        text="I look.",
        calls=(ToolCall("call_1", "look", '{"query": "a"}'), ToolCall("call_2", "save", "{}")),
        stop="end",
        usage=Usage(input=100, cached=64, output=7, reasoning=3),
        model="openai:gpt-6.2-sol",
        opaque={"response_id": "resp_mine"},
    )


@pytest.mark.parametrize("usage", [{}, {"input_tokens": None, "input_tokens_details": None}, {"output_tokens": "7"}])
def test_usage_that_is_missing_counts_nothing(openai_service: OpenAIServer, openai_model: Provider, usage: Any) -> None:
    assert read(openai_service, openai_model, completed("A.", usage={"x": 1} | usage)).usage == Usage()


COMMENT = message("I look.", phase="commentary")
WORDS: list[tuple[list[Any], str]] = [
    ([message("One"), message("Two")], "One\n\nTwo"),
    ([COMMENT, message("60 kg.", phase="final_answer")], "60 kg."),
    ([COMMENT], "I look."),
    ([COMMENT, message(" ", phase="final_answer")], "I look."),
    ([COMMENT, message("So.", phase="final_answer"), call("c", "look", {})], "I look.\n\nSo."),
    ([REASONING], ""),
    ([], ""),
]


@pytest.mark.parametrize(("output", "text"), WORDS)
def test_words_of_a_turn(openai_service: OpenAIServer, openai_model: Provider, output: Any, text: str) -> None:
    assert read(openai_service, openai_model, completed(output=output)).text == text


@pytest.mark.parametrize(
    ("reply", "stop", "text"),
    [
        (completed("A."), "end", "A."),
        (incomplete("max_output_tokens", "A"), "truncated", "A"),
        (incomplete("max_messages", "A"), "truncated", "A"),
        (incomplete("content_filter", "A"), "refused", ""),
        (incomplete("steered", "A"), "unknown", "A"),
        (incomplete("a new reason", "A"), "unknown", "A"),
        (incomplete(None, "A"), "unknown", "A"),
        (completed("A.", status="a new status"), "unknown", "A."),
        (completed(output=[message(refusal="I can't help with that.")]), "refused", "I can't help with that."),
        (completed(output=[message("Well,"), message(refusal="No."), call("c", "look", {})]), "refused", "No."),
        (failed("invalid_prompt"), "refused", ""),
        (failed("bio_policy"), "refused", ""),
        (failed("misalignment_policy_violation"), "refused", ""),
        (failed("image_content_policy_violation"), "refused", ""),
        (error(400, "invalid_prompt", "Your prompt was flagged."), "refused", ""),
    ],
)
def test_every_stop_reason(
    openai_service: OpenAIServer, openai_model: Provider, reply: Reply, stop: str, text: str
) -> None:
    # when
    turn = read(openai_service, openai_model, reply)
    # then
    assert (turn.stop, turn.text, turn.calls, turn.opaque) == (stop, text, (), None)


@pytest.mark.parametrize(
    ("reply", "retryable"),
    [
        (failed("server_error"), True),
        (failed("rate_limit_exceeded"), True),
        (failed("vector_store_timeout"), True),
        (failed(None), True),
        (failed("data_residency_mismatch"), False),
        (failed("invalid_image"), False),
        (failed("a_code_nobody_knows"), False),
        (unfinished("queued"), True),
        (unfinished("in_progress"), True),
        (unfinished("cancelled"), True),
    ],
)
def test_trap_12_failure_that_came_with_http_200_is_an_error(
    openai_service: OpenAIServer, openai_model: Provider, reply: Reply, *, retryable: bool
) -> None:
    with pytest.raises(ProviderError) as failure:
        read(openai_service, openai_model, reply)
    assert failure.value.retryable is retryable
    assert "prompt" not in str(failure.value)


def test_cut_off_turn_keeps_its_calls_and_is_not_built_upon(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given a turn that was cut off in the middle of a call (case 18)
    turn = read(openai_service, openai_model, incomplete("max_output_tokens", "I", [("call_1", "look", '{"que')]))
    openai_service.add(completed("A."))
    # when the loop goes on
    history: list[Entry] = [QUESTION, settle(turn, "Not executed: the turn was cut off.", "not_executed")]
    openai_model.turn(history, seconds=5)
    # then the conversation is told in full
    assert (turn.stop, turn.calls) == ("truncated", (ToolCall("call_1", "look", '{"que'),))
    assert openai_service.bodies[1]["input"][1:] == [
        {"role": "assistant", "content": "I"},
        {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1", "output": "Not executed: the turn was cut off."},
    ]


@pytest.mark.parametrize("ids", [(None, "call_2"), ("", "call_2"), ("same", "same"), (7, "call_2")])
def test_missing_and_repeated_ids_are_mended(openai_service: OpenAIServer, openai_model: Provider, ids: Any) -> None:
    # given
    output = [call(own, "look", {"query": "a"}) for own in ids]
    # when
    turn = read(openai_service, openai_model, completed(output=output))
    openai_service.add(completed("A."))
    openai_model.turn([QUESTION, settle(turn, "A", "done")], seconds=5)
    # then the service, which knows other ids, is told everything
    assert len({call.id for call in turn.calls if call.id}) == 2
    assert "previous_response_id" not in openai_service.bodies[1]
    assert [item.get("call_id") for item in openai_service.bodies[1]["input"][1:]] == [c.id for c in turn.calls * 2]


def test_ids_that_come_again_in_a_later_response_are_told_apart(
    openai_service: OpenAIServer, openai_model: Provider
) -> None:
    # given a service that counts its calls anew in each response
    openai_service.add(completed("", [("call_0", "look", {"query": "a"})]))
    history: list[Entry] = [QUESTION, settle(openai_model.turn([QUESTION], seconds=5), "A", "done")]
    again = Turn("", (ToolCall("call_0", "look", "{}"),), model="openai:gpt-6.2-sol", opaque={"response_id": "resp_2"})
    openai_service.add(completed("B."))
    # when
    openai_model.turn([*history, settle(again, "B", "done")], seconds=5)
    # then the response with the ambiguous id is not built upon
    assert [item["call_id"] for item in openai_service.bodies[1]["input"]] == ["call_0", "call_0_2", "call_0_2"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"a": 1}, '{"a":1}'),
        (None, "null"),
        ([], "[]"),
        ("", ""),
        ('{"q": "\\u00f1"', '{"q": "\\u00f1"'),
        ('{"q": "\\ud83d\\ude00 \\ud83d"}', '{"q":"😀 ?"}'),
        ('{"q": "a\\u0000c", "path": "C:\\\\u0000"}', '{"q":"ac","path":"C:\\\\u0000"}'),
    ],
)
def test_arguments_are_text(openai_service: OpenAIServer, openai_model: Provider, arguments: Any, text: str) -> None:
    # given
    item = call("call_1", "look", {}) | {"arguments": arguments}
    # when
    turn = read(openai_service, openai_model, completed(output=[item]))
    # then
    assert turn.calls == (ToolCall("call_1", "look", text),)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<html>Service unavailable</html>", content_type="text/html"),
        Reply(b"", content_type="application/json"),
        Reply(b'{"id": "resp_1", "outp'),
        Reply({}),
        Reply([]),
        Reply({"object": "list", "data": []}),
        Reply({"status": "completed", "output": None}),
    ],
)
def test_trap_24_answer_that_is_none_is_an_error(
    openai_service: OpenAIServer, openai_model: Provider, reply: Reply
) -> None:
    with pytest.raises(ProviderError) as failure:
        read(openai_service, openai_model, reply)
    assert failure.value.retryable


def test_trap_25_unknown_kinds_are_left_out(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    words = message("A.")
    words["content"] += [{"type": "hologram", "text": "boo"}, {"type": "output_text", "text": None}, "nonsense"]
    output: Any = [{"type": "telepathy", "content": [{"type": "output_text", "text": "boo"}]}, words, "nonsense", None]
    output += [{"type": "message", "role": "assistant", "content": None}]
    # when
    turn = read(openai_service, openai_model, completed(output=output))
    # then
    assert (turn.text, turn.calls, turn.stop) == ("A.", (), "end")


def test_trap_28_lone_surrogates_are_replaced(openai_service: OpenAIServer, openai_model: Provider) -> None:
    # given
    raw = json.dumps(completed("half \ud83d", [("call_1", "lo\ud83dok", '{"query":"\ud83d\x00"}')]).body).encode()
    # when
    turn = read(openai_service, openai_model, Reply(raw))
    openai_service.add(completed("A."))
    openai_model.turn([QUESTION, settle(turn, "A", "done"), UserMessage("Go on")], seconds=5)
    # then
    assert (turn.text, turn.calls) == ("half ?", (ToolCall("call_1", "lo?ok", '{"query":"?"}'),))


@pytest.mark.parametrize(
    "last",
    [completed("Wait,", [("call_9", "save", {"query": "x"})]), completed(""), incomplete("steered", "A"), failed("x")],
)
def test_trap_30_closing_call_without_words_gives_the_fixed_reply(
    openai_service: OpenAIServer, openai_model: Provider, last: Reply
) -> None:
    # given a model that asks for ever and does not close
    openai_service.add(
        completed("", [("call_1", "look", {"query": "a"})]), completed("", [("call_2", "look", {})]), last
    )
    clock = FakeClock()
    tools = RecordingTools(clock)
    loop = Loop(
        model=Failover({"openai:gpt-6.2-sol": openai_model}),
        tools=tools,
        history=[QUESTION],
        budget=a_budget(clock),
        journal=MemoryJournal(),
        max_rounds=1,
    )
    # when
    ending = loop.run()
    # then nothing more runs, and there is a reply
    assert ending.answer.status == "step_limit"
    assert ending.answer.text == "I reached the limit of steps for one answer before I finished. Shall I continue?"
    assert [ran[0] for ran in tools.ran] == ["call_1"]


def test_the_fake_speaks_as_the_published_schema_says() -> None:
    reply = completed("A.", [("call_1", "look", {})])
    assert isinstance(reply.body, dict)
    assert problems_of_response(reply.body) == []
