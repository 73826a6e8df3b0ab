"""Claude, through the Messages API."""

import functools
import json
from collections.abc import Iterator, Sequence
from typing import Any

import anthropic

from rondas.history import Answer, Entry, Round, Stop, ToolCall, ToolResult, Turn, Usage, UserMessage, current_message
from rondas.providers import Binding
from rondas.providers.attempt import attempt, shared_client
from rondas.providers.call_ids import CallIds, safe_name, usable_ids
from rondas.providers.errors import malformed
from rondas.providers.wire import Json, as_count, as_object, as_objects, as_text, read_object
from rondas.text import clean

_CACHED: Json = {"type": "ephemeral"}

_PLAIN = ("text", "tool_use")
_THINKING = ("thinking", "redacted_thinking")

_STOPS: dict[str, Stop] = {
    "end_turn": "end",
    "stop_sequence": "end",
    "tool_use": "end",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "pause_turn": "paused",
    "refusal": "refused",
}


def connect(binding: Binding) -> "Anthropic":
    """Returns a Claude model."""
    return Anthropic(binding)


class Anthropic:
    """One Claude model; see `rondas.providers.Provider`."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.schema()}
            for tool in binding.tools
        ]

    def turn(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Makes one attempt."""

        def ask(timeout: float) -> Turn:
            create: Any = self._client.messages.with_raw_response.create
            response = create(**self._request(history, closing), timeout=timeout)
            return self._read(read_object(response.http_response.content))

        return attempt(self._binding.name, ask, seconds)

    @functools.cached_property
    def _client(self) -> anthropic.Anthropic:
        """The SDK's client; its own retries are off, for they know no deadline."""
        return anthropic.Anthropic(api_key=self._binding.key(), http_client=shared_client(), max_retries=0)

    def _request(self, history: Sequence[Entry], closing: str | None) -> Json:
        system: list[Json] = [{"type": "text", "text": self._binding.prompt, "cache_control": _CACHED}]
        if closing:
            system.append({"type": "text", "text": closing})
        request: Json = {
            "model": self._binding.model,
            "max_tokens": self._binding.max_output_tokens,
            "system": system,
            "messages": list(self._messages(history, thinking=closing is None)),
            "cache_control": _CACHED,
        }
        if self._tools:
            request["tools"] = self._tools
            request["tool_choice"] = {"type": "none" if closing else "auto"}
        return request

    def _messages(self, history: Sequence[Entry], *, thinking: bool) -> Iterator[Json]:
        """Writes the conversation in Anthropic's words.

        The thinking blocks of the message being answered are echoed as they came, and left out of the closing call:
        newer models refuse thoughts under a system prompt other than the one they were thought under (§4.1).
        """
        ids = CallIds()
        current = current_message(history)
        for index, entry in enumerate(history):
            match entry:
                case UserMessage(text):
                    yield {"role": "user", "content": text}
                case Answer(text):
                    yield {"role": "assistant", "content": text}
                case Round():
                    echo = index > current and entry.turn.model == self._binding.name
                    yield from _round(entry, ids, echo=echo, thinking=thinking)

    def _read(self, body: Json) -> Turn:
        if not isinstance(body.get("content"), list):
            raise malformed(self._binding.name, "an answer without content")
        blocks = as_objects(body["content"])
        asked = [block for block in blocks if block.get("type") == "tool_use"]
        ids = usable_ids([block.get("id") for block in asked])
        turn = Turn(
            text=clean("".join(as_text(block.get("text")) for block in blocks if block.get("type") == "text")),
            calls=tuple(_call(call_id, block) for call_id, block in zip(ids, asked, strict=True)),
            stop=_STOPS.get(as_text(body.get("stop_reason")), "unknown"),
            usage=_usage(as_object(body.get("usage"))),
            model=self._binding.name,
            opaque=_opaque(blocks, ids),
        )
        # What was written before a refusal is not to be kept.
        return Turn(stop="refused", usage=turn.usage, model=turn.model) if turn.stop == "refused" else turn


def _round(done: Round, ids: CallIds, *, echo: bool, thinking: bool) -> Iterator[Json]:
    """Writes a round: the turn, then one message with the results, which come first and alone in it."""
    if echo and done.turn.opaque and ids.are_new(done):
        call_ids = [call.id for call in done.turn.calls]
        blocks: list[Json] = [block for block in done.turn.opaque if thinking or block.get("type") not in _THINKING]
    else:
        call_ids = ids.of(done)
        blocks = [{"type": "text", "text": done.turn.text}] if done.turn.text.strip() else []
        blocks += [
            {"type": "tool_use", "id": call_id, "name": safe_name(call.name), "input": call.arguments_object()}
            for call_id, call in zip(call_ids, done.turn.calls, strict=True)
        ]
    if blocks:
        yield {"role": "assistant", "content": blocks}
    if done.results:
        results = zip(call_ids, done.results, strict=True)
        yield {"role": "user", "content": [_result(call_id, result) for call_id, result in results]}


def _result(call_id: str, result: ToolResult) -> Json:
    block: Json = {"type": "tool_result", "tool_use_id": call_id, "content": result.text or "(empty)"}
    return block if result.outcome == "done" else {**block, "is_error": True}


def _call(call_id: str, block: Json) -> ToolCall:
    arguments = json.dumps(block.get("input"), ensure_ascii=False, separators=(",", ":"))
    return ToolCall(call_id, clean(as_text(block.get("name"))), clean(arguments))


def _opaque(blocks: Sequence[Json], ids: Sequence[str]) -> list[Json] | None:
    """Returns the blocks to echo as they came: those of a turn that holds more than text and calls.

    A turn with anything the service would not take back is written anew instead. Blank texts would be refused.
    """
    kept = [block for block in blocks if block.get("type") != "text" or as_text(block.get("text")).strip()]
    given = [block.get("id") for block in kept if block.get("type") == "tool_use"]
    more = any(block.get("type") not in _PLAIN for block in kept)
    return kept if more and given == ids and all(map(_is_echoable, kept)) else None


def _is_echoable(block: Json) -> bool:
    """Whether the service would take back a block of its own; a model may write calls that nobody accepts."""
    if block.get("type") != "tool_use":
        return bool(as_text(block.get("type")))
    name = as_text(block.get("name"))
    return bool(name) and name == safe_name(name) and isinstance(block.get("input"), dict)


def _usage(usage: Json) -> Usage:
    """Counts as `Usage` does: Anthropic's `input_tokens` are only the ones that no cache served."""
    cached = as_count(usage.get("cache_read_input_tokens"))
    return Usage(
        input=as_count(usage.get("input_tokens")) + as_count(usage.get("cache_creation_input_tokens")) + cached,
        cached=cached,
        output=as_count(usage.get("output_tokens")),
        reasoning=as_count(as_object(usage.get("output_tokens_details")).get("thinking_tokens")),
    )
