"""The Messages API as strict as the real one: what it refuses is refused here, in its words."""

import itertools
import json
import re
from typing import Any

from fakes.schemas import anthropic_problem
from fakes.server import Json, Reply, Request, Rule

_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
_FIELDS = {
    "model", "max_tokens", "system", "messages", "tools", "tool_choice", "cache_control", "thinking", "metadata",
    "stop_sequences", "stream", "service_tier", "output_config",
}  # fmt: skip
_BLOCKS = {
    "text": {"type", "text", "cache_control"},
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "tool_use": {"type", "id", "name", "input", "cache_control", "caller"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
}
_ids = itertools.count(1)


def error(status: int, kind: str = "api_error", message: str = "refused", **headers: str) -> Reply:
    """An error as the service sends it."""
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def message(
    text: str = "",
    calls: list[tuple[str, str, Any]] | None = None,
    *,
    stop: str | None = None,
    thinking: str | None = None,
    usage: Json | None = None,
) -> Reply:
    """A turn: `calls` as (id, name, input), `thinking` as the signature of a thinking block before it."""
    content: list[Json] = []
    if thinking:
        content.append({"type": "thinking", "thinking": "", "signature": thinking})
    if text:
        content.append({"type": "text", "text": text})
    content += [{"type": "tool_use", "id": i, "name": name, "input": value} for i, name, value in calls or []]
    return Reply(
        {
            "id": f"msg_{next(_ids)}",
            "type": "message",
            "role": "assistant",
            "model": "claude",
            "content": content,
            "stop_reason": stop or ("tool_use" if calls else "end_turn"),
            "stop_sequence": None,
            "usage": usage or {"input_tokens": 10, "output_tokens": 7},
        }
    )


def strict(*, binds_thinking: bool = False) -> Rule:
    """Returns the rule of the service.

    Args:
        binds_thinking: whether the model refuses thoughts under another system prompt than their own, as the newer
            ones do.
    """
    systems: dict[str, str] = {}  # the system prompt under which each signature was first sent back

    def rule(request: Request) -> Reply | None:
        problem = _problem(request)
        if problem is None and binds_thinking:
            problem = _thinking_problem(request.body, systems)
        return error(400, "invalid_request_error", problem) if problem else None

    return rule


def _problem(request: Request) -> str | None:
    if request.path.split("?")[0] != "/v1/messages":
        return f"no such path: {request.path}"
    if not request.headers.get("authorization", "").startswith("Bearer "):
        return "authorization: Bearer key expected"
    body = request.body
    if "�" in request.raw.decode("utf-8", "replace"):
        return "the body is not valid UTF-8"
    if extra := set(body) - _FIELDS:
        return f"{min(extra)}: Extra inputs are not permitted"
    messages: list[Json] = body["messages"]
    return _tools_problem(body) or _roles_problem(messages) or _blocks_problem(messages) or _pairing_problem(messages)


def _tools_problem(body: Json) -> str | None:
    for number, tool in enumerate(body.get("tools", [])):
        if not _NAME.match(tool["name"]):
            return f"tools: name {tool['name']!r} is not allowed"
        if problem := anthropic_problem(tool["input_schema"]):
            return f"tools.{number}.custom.input_schema: {problem}"
    uses_tools = '"tool_use"' in json.dumps(body["messages"])
    if uses_tools and not body.get("tools"):
        return "Requests which include `tool_use` or `tool_result` blocks must define tools"
    if "tool_choice" in body and body["tool_choice"].get("type") not in ("auto", "none"):
        return "tool_choice: not supported for this model"
    return None


def _roles_problem(messages: list[Json]) -> str | None:
    if not messages or messages[0]["role"] != "user":
        return "messages: first message must use the user role"
    if messages[-1]["role"] == "assistant":
        return "This model does not support assistant message prefill."
    return None


def _blocks_problem(messages: list[Json]) -> str | None:
    for index, each in enumerate(messages):
        blocks = _blocks(each)
        if not blocks:
            return f"messages.{index}: content must not be empty"
        for block in blocks:
            if block.get("type") not in _BLOCKS:
                return f"messages.{index}: unknown block {block.get('type')!r}"
            if extra := set(block) - _BLOCKS[block["type"]]:
                return f"messages.{index}: {min(extra)}: Extra inputs are not permitted"
            if block["type"] == "text" and not block["text"].strip():
                return f"messages.{index}: text content blocks must contain non-whitespace text"
            if block["type"] == "tool_use" and not _NAME.match(block["name"]):
                return f"messages.{index}: tool_use.name: String should match pattern"
            if block["type"] == "tool_use" and not isinstance(block["input"], dict):
                return f"messages.{index}: tool_use.input: Input should be a valid dictionary"
            if block["type"] == "tool_use" and not _NAME.match(block["id"]):
                return f"messages.{index}: tool_use.id: String should match pattern"
    return None


def _pairing_problem(messages: list[Json]) -> str | None:
    seen: set[str] = set()
    pending: list[str] = []
    for index, each in enumerate(messages):
        kinds = [block["type"] for block in _blocks(each)]
        results = [block["tool_use_id"] for block in _blocks(each) if block["type"] == "tool_result"]
        if kinds[: len(results)] != ["tool_result"] * len(results):
            return f"messages.{index}: tool_result blocks must come first"
        if missing := [call for call in pending if call not in results]:
            return (
                f"messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}"
            )
        if foreign := [call for call in results if call not in pending]:
            return f"messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {', '.join(foreign)}"
        pending = [block["id"] for block in _blocks(each) if block["type"] == "tool_use"]
        if len(set(pending)) != len(pending) or seen.intersection(pending):
            return "`tool_use` ids must be unique"
        seen.update(pending)
    return f"`tool_use` ids were found without `tool_result` blocks: {', '.join(pending)}" if pending else None


def _thinking_problem(body: Json, systems: dict[str, str]) -> str | None:
    system = json.dumps(body.get("system"))
    for index, each in enumerate(body["messages"]):
        for block in _blocks(each):
            if block["type"] == "thinking" and systems.setdefault(block["signature"], system) != system:
                return (
                    f"messages.{index}.content.0: Invalid `signature` in `thinking` block. The block is bound to a "
                    "different conversation. Remove the block, or set "
                    '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
                )
    return None


def _blocks(each: Json) -> list[Json]:
    content = each["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
