"""Gemini's generateContent as its service behaves: what it answers, and what it refuses, in its own words.

It is stricter than the real service where that is not documented: ids and names of
responses must be those of their calls, and no signature may come from anywhere but `content`, or be the dummy.
"""

import base64
import hashlib
import json
import re
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import cast

import pytest

from fakes.schemas import google_problem
from fakes.server import Json, ModelServer, Reply, Request, Rule, Step, serving
from rondas.providers import Provider, connect
from rondas.tools import Tool

MODEL = "google:gemini-3.8-flash"
PROMPT = "You help."

DUMMY = b"skip_thought_signature_validator"
REFUSED_KEY = "refused-key"

type Call = tuple[str | None, str, Json]
"""A call as id, name and arguments; None for a call without an id."""

_PATH = re.compile(r"/v1(beta)?/models/[a-z0-9.-]+:generateContent")
_NAME = re.compile(r"[a-zA-Z0-9_.:-]{1,128}")
_FOREIGN_ID = re.compile(r"(rs|msg|fc|resp)_.*")

_REQUEST = {"contents", "systemInstruction", "tools", "toolConfig", "generationConfig"}
_PART = {"text", "functionCall", "functionResponse", "thought", "thoughtSignature"}
_DATA = ("text", "functionCall", "functionResponse")

_UNEQUAL = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
_MISPLACED = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
_UNSIGNED = "Function call is missing a thought_signature in functionCall parts."
_FORGED = "Thought signature is not valid."


@contextmanager
def serving_gemini(
    tools: Sequence[Tool], *steps: Step, rule: Rule | None = None, key: str = "test-key"
) -> Generator[tuple[ModelServer, Provider]]:
    """Runs the service for as long as the block lasts, with a model bound to it."""
    with serving(ModelServer(steps, rule or strict())) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        patch.setenv("NO_PROXY", "127.0.0.1")
        yield server, connect(MODEL, lambda _: key, prompt=PROMPT, tools=tools, max_output_tokens=500)


# What it answers


def content(
    text: str = "",
    calls: Sequence[Call] = (),
    finish: str | None = "STOP",
    usage: Json | None = None,
    thought: str = "",
) -> Reply:
    """Returns an answer whose first call is signed, as Gemini signs it."""
    parts: list[Json] = [{"text": thought, "thought": True}] if thought else []
    parts += [{"text": text}] if text else []
    for index, (call_id, name, args) in enumerate(calls):
        call: Json = {"name": name, "args": args} if call_id is None else {"id": call_id, "name": name, "args": args}
        parts.append({"functionCall": call} if index else {"functionCall": call, "thoughtSignature": signature(call)})
    candidate: Json = {"index": 0, "content": {"role": "model", "parts": parts}}
    return candidates([candidate if finish is None else {**candidate, "finishReason": finish}], usage)


def candidates(given: list[Json], usage: Json | None = None) -> Reply:
    """Returns an answer with these candidates, whatever they are."""
    counted = usage or {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return Reply({"candidates": given, "usageMetadata": counted, "modelVersion": "gemini", "responseId": "r"})


def blocked(reason: str) -> Reply:
    """Returns the answer to a prompt that the service does not let through."""
    return Reply({"promptFeedback": {"blockReason": reason}, "usageMetadata": {"promptTokenCount": 10}})


def error(status: int, message: str, word: str = "INVALID_ARGUMENT", details: Sequence[Json] = ()) -> Reply:
    """Returns an error in the form of Google's services."""
    body: Json = {"code": status, "message": message, "status": word}
    return Reply({"error": {**body, "details": list(details)} if details else body}, status)


def signature(call: Json) -> str:
    """Returns the signature that this service gives a call: standard base64, with all its characters."""
    digest = hashlib.sha512(json.dumps([call["name"], call.get("args"), call.get("id")]).encode()).digest()
    return base64.b64encode(b"\xfb\xef\xbe\xff" + digest).decode()


# What it refuses


class _RefusedError(Exception):
    def __init__(self, message: str, status: int = 400, word: str = "INVALID_ARGUMENT") -> None:
        super().__init__(message)
        self.reply = error(status, message, word)


def strict(signatures: Iterable[str] = ()) -> Rule:
    """Returns the rule of the service.

    Args:
        signatures: those that it has given elsewhere.
    """
    known = frozenset(map(_decoded, signatures))

    def rule(request: Request) -> Reply | None:
        try:
            _check_access(request)
            _check_fields(request.body, _REQUEST, "")
            contents: list[Json] = request.body.get("contents", [])
            _check_contents(contents)
            _check_order(contents)
            _check_signatures(contents, known)
            _check_tools(request.body)
        except _RefusedError as refusal:
            return refusal.reply
        return None

    return rule


def _check_access(request: Request) -> None:
    if not _PATH.fullmatch(request.path):
        raise _RefusedError(f"{request.path} is not found for API version v1", 404, "NOT_FOUND")
    deadline = float(request.headers.get("x-server-timeout", 10))
    if deadline < 10:
        raise _RefusedError(f"Manually set deadline {deadline}s is too short. Minimum allowed deadline is 10s.")
    key = request.headers.get("x-goog-api-key")
    if not key:
        raise _RefusedError("Method doesn't allow unregistered callers.", 403, "PERMISSION_DENIED")
    if key == REFUSED_KEY:
        raise _RefusedError("API key not valid. Please pass a valid API key.")


def _check_fields(value: Json, names: set[str], where: str) -> None:
    for name, given in value.items():
        if name not in names or given is None:
            raise _RefusedError(
                f"Invalid JSON payload received. Unknown name \"{name}\" at '{where}': Cannot find field."
            )


def _check_contents(contents: list[Json]) -> None:
    if not contents:
        raise _RefusedError("* GenerateContentRequest.contents: contents is not specified")
    for number, entry in enumerate(contents):
        _check_content(entry, f"contents[{number}]")


def _check_content(entry: Json, where: str) -> None:
    _check_fields(entry, {"role", "parts"}, where)
    if entry.get("role") not in {"user", "model"}:
        raise _RefusedError("Please use a valid role: user, model.")
    if not entry.get("parts"):
        raise _RefusedError(f"* GenerateContentRequest.{where}.parts: contents.parts must not be empty.")
    for number, part in enumerate(entry["parts"]):
        _check_part(part, entry["role"], f"{where}.parts[{number}]")


def _check_part(part: Json, role: str, where: str) -> None:
    _check_fields(part, _PART, where)
    data = [name for name in _DATA if name in part]
    if len(data) != 1 or part.get("text") == "":
        raise _RefusedError(
            f"* GenerateContentRequest.{where}.data: required oneof field 'data' must have one initialized"
        )
    function: Json = part.get("functionCall") or part.get("functionResponse") or {}
    if "text" in part:
        return
    if role != ("model" if "functionCall" in part else "user"):
        raise _RefusedError(f"* GenerateContentRequest.{where}: {data[0]} may not stand in a content of role {role}")
    value = "args" if "functionCall" in part else "response"
    _check_fields(function, {"id", "name", value}, f"{where}.{data[0]}")
    if not function.get("name"):
        raise _RefusedError(f"* GenerateContentRequest.{where}.name: Name cannot be empty.")
    if not _NAME.fullmatch(function["name"]) or _FOREIGN_ID.fullmatch(function.get("id", "")):
        raise _RefusedError(f"* GenerateContentRequest.{where}: Invalid function name or id.")
    if not isinstance(function.get(value, {}), dict):
        raise _RefusedError(f"Invalid value at '{where}.{value}' (type.googleapis.com/google.protobuf.Struct)")


def _check_order(contents: list[Json]) -> None:
    if contents[-1]["role"] != "user":
        raise _RefusedError("Please ensure that single turn requests end with a user role or the role field is empty.")
    for before, entry, after in zip([{}, *contents[:-1]], contents, [*contents[1:], {}], strict=True):
        calls, responses = _functions(entry, "functionCall"), _functions(after, "functionResponse")
        if calls and before.get("role") != "user":
            raise _RefusedError(_MISPLACED)
        if len(calls) != len(responses):
            raise _RefusedError(_UNEQUAL)
        for call, response in zip(calls, responses, strict=True):
            if (call["name"], call.get("id")) != (response["name"], response.get("id")):
                raise _RefusedError(f"Function response {response['name']} does not match its call {call['name']}.")


def _check_signatures(contents: list[Json], known: frozenset[bytes]) -> None:
    """Every signature must stand where it was given; the first call of each step since the person's words needs one."""
    asked = max(number for number, entry in enumerate(contents) if entry["role"] == "user" and _has_text(entry))
    for number, entry in enumerate(contents):
        calls = 0
        for part in entry["parts"]:
            calls += "functionCall" in part
            given = _decoded(part["thoughtSignature"]) if "thoughtSignature" in part else None
            if given is None:
                if "functionCall" in part and calls == 1 and number > asked:
                    raise _RefusedError(_UNSIGNED)
            elif "functionCall" not in part or calls > 1:
                if given not in known:
                    raise _RefusedError(_FORGED)
            elif given not in {DUMMY, _decoded(signature(part["functionCall"])), *known}:
                raise _RefusedError(_FORGED)


def _check_tools(body: Json) -> None:
    declared = [each for tool in body.get("tools", []) for each in tool["functionDeclarations"]]
    for each in declared:
        _check_fields(each, {"name", "description", "parameters_json_schema", "parametersJsonSchema"}, "tools")
        if not _NAME.fullmatch(each.get("name", "")):
            raise _RefusedError("Invalid function name.")
        schema: Json = each.get("parameters_json_schema") or each.get("parametersJsonSchema") or {"type": "object"}
        if problem := google_problem(schema):
            raise _RefusedError(f"* GenerateContentRequest.tools[0].function_declarations: {problem}")
    mode = cast("Json", body.get("toolConfig", {})).get("functionCallingConfig", {}).get("mode", "AUTO")
    if mode not in {"AUTO", "ANY", "NONE", "VALIDATED"}:
        raise _RefusedError(f"Invalid value at 'tool_config.function_calling_config.mode': {mode}")
    if any(_functions(entry, "functionCall") for entry in body["contents"]) and not declared:
        raise _RefusedError("Function calls in the contents need their declarations.")


def _functions(entry: Json, kind: str) -> list[Json]:
    return [part[kind] for part in entry.get("parts", []) if kind in part]


def _has_text(entry: Json) -> bool:
    return any("text" in part for part in entry["parts"])


def _decoded(given: str) -> bytes:
    return base64.b64decode(given.translate(str.maketrans("-_", "+/")))
