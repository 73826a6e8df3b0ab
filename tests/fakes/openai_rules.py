"""What the Responses API refuses, in its words.

Shapes are checked against the published schema. What no schema says is checked by hand: strict tools, calls and
their outputs, reasoning and the items that belong to it.
"""

import functools
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator, ValidationError

from fakes.schemas import openai_problem
from fakes.server import Json

_SCHEMA: Json = json.loads((Path(__file__).parents[1] / "data" / "openai-responses.schema.json").read_text("utf-8"))
_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
_SAMPLING = ("temperature", "top_p", "top_logprobs")
_FIELDS = {
    "message": {"type", "role", "content", "phase", "id", "status"},
    "function_call": {"type", "call_id", "name", "arguments", "id", "status"},
    "function_call_output": {"type", "call_id", "output", "id", "status"},
    "reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"},
}


class Refused(Exception):  # noqa: N818 - what the service does with the request
    """The service does not take the request."""

    def __init__(self, text: str, code: str | None = None, param: str | None = None, *, status: int = 400) -> None:
        super().__init__(text)
        self.code = code
        self.param = param
        self.status = status


def checked(raw: bytes) -> Json:
    """Returns the request if the service takes its parts, each for itself."""
    body = _parsed(raw)
    _check_shape(body)
    for tool in body.get("tools", []):
        _check_tool(tool)
    return body


def problems_of_response(body: Json) -> list[str]:
    """Returns in what the published schema would not know a response again."""
    return [problem.message for problem in _problems("response", body)]


def _parsed(raw: bytes) -> Json:
    try:
        body = json.loads(raw.decode())
        json.dumps(body, ensure_ascii=False).encode()  # lone surrogates can be written as escapes only
    except ValueError:
        raise Refused("We could not parse the JSON body of your request.") from None
    return body


def _check_shape(body: Json) -> None:
    known = set(_properties({"$ref": "#/components/schemas/CreateResponse"}))
    for name in body:
        if name in _SAMPLING:
            raise Refused(f"Unsupported parameter: '{name}' is not supported with this model.", "unsupported_parameter")
        if name not in known:
            raise Refused(f"Unknown parameter: '{name}'.", "unknown_parameter", name)
    for problem in _problems("request", body):
        where = ".".join(map(str, problem.absolute_path))
        raise Refused(f"Invalid value: '{where}': {problem.message}"[:400], "invalid_value", where)
    if not isinstance(body["input"], list):
        raise Refused("Invalid type for 'input': a tool loop sends items.", "invalid_type", "input")
    for number, item in enumerate(cast("list[Json]", body["input"])):
        kind = item.get("type", "message")
        if kind not in _FIELDS:
            raise Refused(f"Invalid value: '{kind}'.", "invalid_value", f"input[{number}]")
        if foreign := set(item) - _FIELDS[kind]:
            raise Refused(f"Unknown parameter: 'input[{number}].{min(foreign)}'.", "unknown_parameter")
        if kind == "function_call" and not _NAME.match(item["name"]):
            raise Refused(f"Invalid 'input[{number}].name': string does not match pattern.", "invalid_value")


def _check_tool(tool: Json) -> None:
    if not _NAME.match(tool["name"]):
        raise Refused("Invalid 'tools[0].name': string does not match pattern.", "invalid_value", "tools[0].name")
    if not isinstance(tool["strict"], bool):
        raise Refused("Invalid type for 'tools[0].strict': say it.", "invalid_type", "tools[0].strict")
    if problem := openai_problem(tool["parameters"], strict=tool["strict"]):
        text = f"Invalid schema for function '{tool['name']}': {problem}"
        raise Refused(text, "invalid_function_parameters", "tools[0].parameters")


@dataclass
class Conversation:
    """The items so far; each call waits for one output, and an item with an id needs the reasoning it came with."""

    items: list[Json]
    _calls: set[str] = field(default_factory=set[str])
    _open: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        for item in self.items:
            self._take(item)

    def go_on(self, given: list[Json]) -> None:
        for item, following in itertools.zip_longest(given, given[1:]):
            if item.get("type") == "reasoning" and not str((following or {}).get("id", "")).startswith(("msg_", "fc_")):
                text = f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
                raise Refused(text, param="input")
        for before, item in zip([{}, *given], given, strict=False):
            if str(item.get("id", "")).startswith(("msg_", "fc_")) and before.get("type") != "reasoning":
                raise Refused(
                    f"Item '{item['id']}' of type '{item.get('type')}' was provided without its required preceding "
                    "item of type 'reasoning'.",
                    param="input",
                )
            self._take(item)
        if self._open:
            raise Refused(f"No tool output found for function call {self._open[0]}.", param="input")

    def _take(self, item: Json) -> None:
        call_id = item.get("call_id", "")
        if item.get("type") == "function_call":
            if call_id in self._calls:
                raise Refused(f"Duplicate function call with call_id {call_id}.", param="input")
            self._calls.add(call_id)
            self._open.append(call_id)
        elif item.get("type") == "function_call_output":
            if call_id not in self._open:
                raise Refused(f"No tool call found for function call output with call_id {call_id}.", param="input")
            self._open.remove(call_id)


def _problems(what: str, value: Json) -> Iterator[ValidationError]:
    return cast("Any", _validator(what)).iter_errors(value)


@functools.cache
def _validator(what: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/{what}", **_SCHEMA})


def _properties(schema: Json) -> Iterator[str]:
    """Yields the fields an object may have, through references and `allOf`."""
    if "$ref" in schema:
        schema = _SCHEMA["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    yield from schema.get("properties", {})
    for part in schema.get("allOf", []):
        yield from _properties(part)
