"""The fake refuses what the real service refuses; otherwise the other tests would prove nothing."""

import json
from typing import Any

import httpx2
import pytest
from fakes.openai import OpenAIServer, completed, message

type Json = dict[str, Any]

TOOL: Json = {"type": "function", "name": "look", "strict": False, "parameters": {"type": "object", "properties": {}}}
CALL: Json = {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{}"}
OUTPUT: Json = {"type": "function_call_output", "call_id": "c", "output": "found"}
USER: Json = {"role": "user", "content": "Hi"}
OPEN: Json = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
OPTIONAL: Json = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}


def without(value: Json, name: str) -> Json:
    return {key: each for key, each in value.items() if key != name}


def ask(service: OpenAIServer, *, path: str = "/v1/responses", key: str = "key", **fields: Any) -> httpx2.Response:
    body = {"model": "gpt-6.2-sol", "input": [USER], "tools": [TOOL]} | fields
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    return httpx2.post(f"{service.url}{path}", content=json.dumps(body), headers=headers)


REFUSALS: list[tuple[Json, str]] = [
    ({"key": "wrong"}, "Incorrect API key"),
    ({"path": "/v1/chat/completions"}, "Invalid URL"),
    ({"temperature": 0}, "'temperature' is not supported"),
    ({"thinking": {}}, "Unknown parameter: 'thinking'"),
    ({"max_output_tokens": 1}, "max_output_tokens"),
    ({"input": [{"role": "user", "content": "half \ud83d"}]}, "could not parse"),
    ({"tools": [without(TOOL, "strict")]}, "Invalid value: 'tools.0'"),
    ({"tools": [TOOL | {"strict": None}]}, "strict"),
    ({"tools": [TOOL | {"name": "no spaces"}]}, "tools[0].name"),
    ({"tools": [TOOL | {"strict": True, "parameters": OPEN}]}, "'additionalProperties' is required"),
    ({"tools": [TOOL | {"strict": True, "parameters": OPTIONAL}]}, "'required' is required"),
    ({"tool_choice": {"type": "none"}}, "tool_choice"),
    ({"input": [USER, OUTPUT]}, "No tool call found for function call output with call_id c."),
    ({"input": [USER, OUTPUT, CALL]}, "No tool call found for function call output with call_id c."),
    ({"input": [USER, CALL]}, "No tool output found for function call c."),
    ({"input": [USER, CALL, OUTPUT, OUTPUT]}, "No tool call found"),
    ({"input": [USER, CALL, CALL, OUTPUT, OUTPUT]}, "Duplicate"),
    ({"input": [USER, CALL | {"name": "no spaces"}, OUTPUT]}, "name"),
    ({"input": [USER, CALL | {"arguments": {}}, OUTPUT]}, "Invalid value"),
    ({"input": [USER, CALL | {"thoughtSignature": "x"}, OUTPUT]}, "thoughtSignature"),
    ({"input": [USER, CALL | {"id": "fc_1"}, OUTPUT]}, "without its required preceding item"),
    ({"input": [USER, message("A.")]}, "without its required preceding item"),
    ({"input": [USER, {"type": "reasoning", "id": "rs_1", "summary": []}]}, "without its required following item"),
    ({"input": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]}]}, "Invalid value"),
    ({"input": [USER, {"type": "thinking", "thinking": "", "signature": "x"}]}, "Invalid value"),
    ({"previous_response_id": "resp_0"}, "Previous response with id 'resp_0' not found."),
]


@pytest.mark.parametrize(("fields", "text"), REFUSALS)
def test_refusals(openai_service: OpenAIServer, fields: Json, text: str) -> None:
    # when
    refusal = ask(openai_service, **fields)
    # then
    assert refusal.status_code in (400, 401, 404)
    assert text in refusal.json()["error"]["message"]
    openai_service.refusals.clear()


def test_calls_of_the_response_before_wait_for_their_outputs(openai_service: OpenAIServer) -> None:
    # given
    openai_service.add(completed("", [("c", "look", {})], id="resp_1"), completed("Done."))
    assert ask(openai_service).status_code == 200
    # when
    missing = ask(openai_service, previous_response_id="resp_1")
    given = ask(openai_service, previous_response_id="resp_1", input=[OUTPUT])
    # then
    assert missing.json()["error"]["message"] == "No tool output found for function call c."
    assert given.status_code == 200
    openai_service.refusals.clear()


def test_response_that_was_not_stored_is_not_known(openai_service: OpenAIServer) -> None:
    # given
    openai_service.add(completed("A.", id="resp_1", store=False))
    assert ask(openai_service).status_code == 200
    # when
    refusal = ask(openai_service, previous_response_id="resp_1")
    # then
    assert refusal.json()["error"]["code"] == "previous_response_not_found"
    openai_service.refusals.clear()
