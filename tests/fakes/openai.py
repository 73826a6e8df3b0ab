"""The Responses API on loopback: what it says and remembers; its rules are in openai_rules."""

import itertools
import json
from typing import Any, cast

from fakes.openai_rules import Conversation, Refused, checked
from fakes.server import Json, ModelServer, Reply, Request, Step

_ids = itertools.count(1)


# What the service says


def completed(
    text: str = "",
    calls: list[tuple[str, str, Any]] | None = None,
    *,
    output: list[Json] | None = None,
    usage: Json | None = None,
    **fields: Any,
) -> Reply:
    """A finished response: reasoning, words, then `calls` as (call id, name, arguments); or exactly `output`."""
    if output is None:
        output = [{"type": "reasoning", "id": f"rs_{next(_ids)}", "summary": [], "encrypted_content": "gAAAopaque"}]
        output += [message(text)] if text else []
        output += [call(call_id, name, arguments) for call_id, name, arguments in calls or []]
    return Reply(_response("completed", output, usage=usage or USAGE) | fields)


USAGE: Json = {
    "input_tokens": 100,
    "input_tokens_details": {"cached_tokens": 64, "cache_write_tokens": 10},
    "output_tokens": 7,
    "output_tokens_details": {"reasoning_tokens": 3},
    "total_tokens": 107,
}


def incomplete(reason: str | None, text: str = "", calls: list[tuple[str, str, Any]] | None = None) -> Reply:
    """A response that was cut off."""
    output = [message(text, status="incomplete")] if text else []
    output += [call(*each, status="incomplete") for each in calls or []]
    return Reply(_response("incomplete", output, usage=USAGE) | {"incomplete_details": reason and {"reason": reason}})


def failed(code: str | None) -> Reply:
    """A response that failed, which comes with HTTP 200."""
    error = {"code": code, "message": "Something about the prompt."} if code else None
    return Reply(_response("failed", []) | {"error": error})


def unfinished(status: str) -> Reply:
    """A response that is still being made, or was called off."""
    return Reply(_response(status, []))


def error(status: int, code: str | None, text: str = "refused", param: str | None = None, **headers: str) -> Reply:
    """An error as the service sends it."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    body = {"error": {"message": text, "type": kind, "param": param, "code": code}}
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def message(text: str = "", *, refusal: str | None = None, phase: str | None = None, status: str = "completed") -> Json:
    """A message item."""
    part: Json = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    if refusal is not None:
        part = {"type": "refusal", "refusal": refusal}
    item = {"type": "message", "id": f"msg_{next(_ids)}", "role": "assistant", "status": status, "content": [part]}
    return item | ({"phase": phase} if phase else {})


def call(call_id: str, name: str, arguments: Any, *, status: str = "completed") -> Json:
    """A call item; `arguments` as an object, or as the text the model wrote."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    item = {"type": "function_call", "id": f"fc_{next(_ids)}", "status": status}
    return item | {"call_id": call_id, "name": name, "arguments": text}


def _response(status: str, output: list[Json], usage: Json | None = None) -> Json:
    return {
        "id": f"resp_{next(_ids)}",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": "gpt-6.2-sol",
        "output": output,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": None,
        "top_p": None,
        "tool_choice": "auto",
        "tools": [],
        "store": True,
        **({"usage": usage} if usage else {}),
    }


# What the service does


class OpenAIServer(ModelServer):
    """The service: plays its script, checks every request, and remembers the responses it gave."""

    def __init__(self, *steps: Reply, key: str = "key") -> None:
        self._key = key
        self._memory: dict[str, list[Json]] = {}
        super().__init__([], self.refusal)
        self.add(*steps)

    def add(self, *steps: Step) -> None:
        """Appends to the script; what is served as a response can be built upon."""
        super().add(*(self._remembering(step) if isinstance(step, Reply) else step for step in steps))

    def forget(self) -> None:
        """Loses all responses, as the service does after their time."""
        self._memory.clear()

    def refusal(self, request: Request) -> Reply | None:
        """Returns what the service answers to a request that it does not take."""
        try:
            self._check(request)
        except Refused as refused:
            return error(refused.status, refused.code, str(refused), refused.param)
        return None

    def _remembering(self, reply: Reply) -> Step:
        def serve(request: Request) -> Reply:
            body = reply.body
            if isinstance(body, dict) and reply.status == 200 and body.get("store", True) and "id" in body:
                given: list[Json] = request.body["input"]
                before = self._memory.get(request.body.get("previous_response_id", ""), [])
                self._memory[body["id"]] = [*before, *given, *cast("list[Json]", body["output"])]
            return reply

        return serve

    def _check(self, request: Request) -> None:
        if request.path != "/v1/responses":
            raise Refused(f"Invalid URL (POST {request.path})", status=404)
        if request.headers.get("authorization") != f"Bearer {self._key}":
            raise Refused("Incorrect API key provided: sk-sec***ret.", "invalid_api_key", status=401)
        body = checked(request.raw)
        previous: str = body.get("previous_response_id") or ""
        if previous and previous not in self._memory:
            text = f"Previous response with id '{previous}' not found."
            raise Refused(text, "previous_response_not_found", "previous_response_id")
        Conversation(self._memory.get(previous, [])).go_on(body["input"])
