from typing import Any

import pytest

from local.demo_rules import Refused, check

type Json = dict[str, Any]

TOOLS = [{"name": "look", "description": "d", "input_schema": {"type": "object"}}]
QUESTION = {"role": "user", "content": "hi"}


def call(*ids: str) -> Json:
    blocks: list[Json] = [{"type": "tool_use", "id": call_id, "name": "look", "input": {}} for call_id in ids]
    return {"role": "assistant", "content": blocks}


def results(*ids: str) -> Json:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": found, "content": "x"} for found in ids]}


def request(*messages: Json, **fields: Any) -> Json:
    return {"model": "demo", "max_tokens": 10, "tools": TOOLS, "messages": list(messages) or [QUESTION], **fields}


@pytest.mark.parametrize(
    "taken",
    [
        request(),
        request(QUESTION, call("a", "b"), results("a", "b")),
        request(QUESTION, call("a"), results("a"), QUESTION),
        request(QUESTION, call("a"), results("a"), {"role": "system", "content": "stop"}),
        request(QUESTION, QUESTION, {"role": "assistant", "content": [{"type": "text", "text": "ok"}]}, QUESTION),
        request(
            system=[{"type": "text", "text": "s", "cache_control": {"type": "ephemeral"}}], tool_choice={"type": "none"}
        ),
        request(system="s", cache_control={"type": "ephemeral"}),
    ],
)
def test_takes_what_the_api_takes(taken: Json) -> None:
    assert check(taken) is taken


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        ([], "should be an object"),
        (request(temperature=0.5), "temperature: Extra inputs are not permitted"),
        (request(model=""), "model: Field required"),
        (request(max_tokens=0), "max_tokens: must be greater than 0"),
        (request(max_tokens=None), "max_tokens: Field required"),
        (request(stream=True), "does not stream"),
        (request(system=[{"type": "text", "text": " "}]), "system.0: text content blocks must be non-empty"),
        (request(tools=[{"name": "a b", "input_schema": {"type": "object"}}]), "String should match pattern"),
        (request(tools=[{"name": "a", "input_schema": {}}]), "input_schema.type: Field required"),
        (request(tools=TOOLS * 2), "Tool names must be unique"),
        (request(tools=[], tool_choice={"type": "none"}), "only be specified while providing tools"),
        (request(tool_choice={"type": "maybe"}), "tool_choice.type"),
        (request(messages=[]), "at least one message is required"),
        (request({"role": "tool", "content": "x"}), "messages.0.role"),
        (request({"role": "user", "content": ""}), "must be non-empty"),
        (request({"role": "user", "content": []}), "non-empty content"),
        (request({"role": "user", "content": [{"type": "text", "text": "\n"}]}), "must be non-empty"),
        (request({"role": "user", "content": [{"type": "tool_use"}]}), "not permitted in a user message"),
        (request({"role": "user", "content": [{"type": "text", "text": "x", "id": 1}]}), "id: Extra inputs"),
        (request(call("a")), "first message must use the `user` role"),
        (request(QUESTION, {"role": "assistant", "content": "so"}), "does not support assistant message prefill"),
        (
            request(QUESTION, {"role": "assistant", "content": "so"}, {"role": "system", "content": "x"}),
            "role 'system'",
        ),
        (request(QUESTION, call("a b"), results("a b")), "tool_use.id"),
        (request(QUESTION, call("a"), QUESTION), "without `tool_result` blocks immediately after: a"),
        (request(QUESTION, call("a", "b"), results("a")), "without `tool_result` blocks immediately after: b"),
        (request(QUESTION, call("a"), results("a", "c")), "unexpected `tool_use_id`.* c"),
        (request(results("a")), "unexpected `tool_use_id`"),
        (request(QUESTION, call("a"), results("a", "a")), "a single result"),
        (request(QUESTION, call("a"), results("a"), call("a"), results("a")), "ids must be unique"),
        (request(QUESTION, call("a"), QUESTION, results("a")), "must come first"),
        (request(QUESTION, call("a"), results("a"), tools=[]), "must define tools"),
    ],
)
def test_refuses_what_the_api_refuses(refused: Any, message: str) -> None:
    with pytest.raises(Refused, match=message):
        check(refused)
