"""What Anthropic's Messages API refuses, as far as a tool loop can get it wrong.

The demo server is as strict as the real one, so that a history that only looks right fails on a laptop already.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from local.json_values import Json

ID = re.compile(r"^[a-zA-Z0-9_-]+$")
TOOL_NAME = re.compile(r"^[a-zA-Z0-9_-]{1,64}$")
ROLES = {"user", "assistant", "system"}
CHOICES = {"auto", "any", "tool", "none"}
SAMPLING = ("temperature", "top_p", "top_k")  # refused since API version 2026-10-21
FIELDS = {
    "text": {"type", "text", "cache_control", "citations"},
    "tool_use": {"type", "id", "name", "input", "cache_control"},
    "tool_result": {"type", "tool_use_id", "content", "is_error", "cache_control"},
}
BLOCKS_OF = {"user": {"text", "tool_result"}, "assistant": {"text", "tool_use"}, "system": {"text"}}


class Refused(Exception):  # noqa: N818 - what the server does with the request
    """The request is refused; the text is the API's message."""


def check(request: Any) -> Json:
    """Returns the request if the API would take it.

    Raises:
        Refused: it would answer 400.
    """
    if not isinstance(request, dict):
        raise Refused("request: Input should be an object")
    body = cast("Json", request)
    _check_settings(body)
    names = _check_tools(body)
    turns = _merged(_messages(body))
    _check_order(turns)
    _check_pairs(turns)
    if not names and any(block["type"].startswith("tool_") for _, blocks in turns for block in blocks):
        raise Refused("Requests which include `tool_use` or `tool_result` blocks must define tools")
    return body


def _check_settings(body: Json) -> None:
    for name in SAMPLING:
        if name in body:
            raise Refused(f"{name}: Extra inputs are not permitted")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise Refused("model: Field required")
    limit = body.get("max_tokens")
    if not isinstance(limit, int) or limit < 1:
        raise Refused("max_tokens: Field required" if limit is None else "max_tokens: must be greater than 0")
    if body.get("stream"):
        raise Refused("stream: the demo model server does not stream")
    system = body.get("system", [])
    for number, block in enumerate(_blocks(system, "system") if system else []):
        _check_block(block, "system", f"system.{number}")


def _check_tools(body: Json) -> set[str]:
    names: set[str] = set()
    for number, tool in enumerate(body.get("tools", [])):
        if not TOOL_NAME.match(str(tool.get("name", ""))):
            raise Refused(f"tools.{number}.custom.name: String should match pattern '{TOOL_NAME.pattern}'")
        if tool.get("input_schema", {}).get("type") != "object":
            raise Refused(f"tools.{number}.custom.input_schema.type: Field required")
        if tool["name"] in names:
            raise Refused("tools: Tool names must be unique.")
        names.add(tool["name"])
    choice = body.get("tool_choice")
    if choice is not None and not names:
        raise Refused("tool_choice: may only be specified while providing tools")
    if choice is not None and choice.get("type") not in CHOICES:
        raise Refused("tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'")
    return names


def _messages(body: Json) -> Iterator[tuple[str, list[Json]]]:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused("messages: at least one message is required")
    for number, message in enumerate(cast("list[Json]", messages)):
        role = message.get("role")
        if role not in ROLES:
            raise Refused(f"messages.{number}.role: Input should be 'user', 'assistant' or 'system'")
        blocks = _blocks(message.get("content"), f"messages.{number}")
        for place, block in enumerate(blocks):
            _check_block(block, role, f"messages.{number}.content.{place}")
        yield role, blocks


def _blocks(content: Any, where: str) -> list[Json]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list) or not content:
        raise Refused(f"{where}: all messages must have non-empty content")
    return cast("list[Json]", content)


def _check_block(block: Json, role: str, where: str) -> None:
    kind = str(block.get("type"))
    if kind not in BLOCKS_OF[role]:
        raise Refused(f"{where}: Input tag '{kind}' is not permitted in a {role} message")
    if extra := block.keys() - FIELDS[kind]:
        raise Refused(f"{where}.{kind}.{min(extra)}: Extra inputs are not permitted")
    if kind == "text" and not str(block.get("text") or "").strip():
        raise Refused(f"{where}: text content blocks must be non-empty")
    if kind == "tool_use":
        _check_call(block, where)


def _check_call(block: Json, where: str) -> None:
    if not ID.match(str(block.get("id", ""))):
        raise Refused(f"{where}.tool_use.id: String should match pattern '{ID.pattern}'")
    if not TOOL_NAME.match(str(block.get("name", ""))):
        raise Refused(f"{where}.tool_use.name: String should match pattern '{TOOL_NAME.pattern}'")
    if not isinstance(block.get("input"), dict):
        raise Refused(f"{where}.tool_use.input: Input should be an object")


def _merged(messages: Iterator[tuple[str, list[Json]]]) -> list[tuple[str, list[Json]]]:
    """Joins neighbours of one role, as the server does before it looks at them."""
    turns: list[tuple[str, list[Json]]] = []
    for role, blocks in messages:
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, list(blocks)))
    return turns


def _check_order(turns: list[tuple[str, list[Json]]]) -> None:
    roles = [role for role, _ in turns]
    if roles[0] != "user":
        raise Refused("messages: first message must use the `user` role")
    if roles[-1] == "assistant":
        raise Refused(
            "This model does not support assistant message prefill. The conversation must end with a user message."
        )
    for number, role in enumerate(roles):
        followed = number + 1 == len(roles) or roles[number + 1] == "assistant"
        if role == "system" and not (roles[number - 1] == "user" and followed):
            raise Refused(
                f"messages.{number}: role 'system' must follow a user message and come before an assistant one"
            )


def _check_pairs(turns: list[tuple[str, list[Json]]]) -> None:
    seen: set[str] = set()
    asked: list[str] = []
    for number, (_, blocks) in enumerate(turns):
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if stray := [found for found in results if found not in asked]:
            raise Refused(f"messages.{number}: unexpected `tool_use_id` found in `tool_result` blocks: {stray[0]}")
        if missing := [call for call in asked if call not in results]:
            raise Refused(
                f"messages.{number - 1}: `tool_use` ids were found without `tool_result` blocks immediately after: "
                f"{', '.join(missing)}"
            )
        if len(set(results)) < len(results):
            raise Refused(f"messages.{number}: each tool_use must have a single result")
        if any(block["type"] != "tool_result" for block in blocks[: len(results)]):
            raise Refused(f"messages.{number}: `tool_result` blocks must come first")
        asked = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(asked)) < len(asked) or seen & set(asked):
            raise Refused("messages: `tool_use` ids must be unique")
        seen.update(asked)
