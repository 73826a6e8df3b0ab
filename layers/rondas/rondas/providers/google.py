"""Gemini, through generateContent."""

import functools
import json
import ssl
from collections.abc import Iterator, Sequence
from typing import Any

from google import genai

from rondas.history import Answer, Entry, Round, Stop, ToolCall, ToolResult, Turn, Usage, UserMessage, current_message
from rondas.providers import Binding
from rondas.providers.attempt import attempt, shared_client
from rondas.providers.call_ids import CallIds, safe_name, usable_ids
from rondas.providers.errors import malformed
from rondas.providers.wire import Json, as_count, as_object, as_objects, as_text, read_object
from rondas.text import clean

_UNSIGNED = b"skip_thought_signature_validator"
"""The documented signature of a call that Gemini has not signed: another model's, or one of an earlier message."""

_CONTINUE = "Continue."

_STOPS: dict[str, Stop] = {
    "": "end",
    "STOP": "end",
    "MAX_TOKENS": "truncated",
    "CONTINUATION": "truncated",
    "SAFETY": "refused",
    "RECITATION": "refused",
    "LANGUAGE": "refused",
    "BLOCKLIST": "refused",
    "PROHIBITED_CONTENT": "refused",
    "SPII": "refused",
    "MODEL_ARMOR": "refused",
    "ESCALATION": "refused",
    "PUP_LIMITED_DISABLED": "refused",
    "IMAGE_SAFETY": "refused",
    "IMAGE_PROHIBITED_CONTENT": "refused",
    "IMAGE_RECITATION": "refused",
    "IMAGE_OTHER": "refused",
}
_BOTCHED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE")
"""The model wrote something that nobody can read; asked again, it mostly writes something better."""


def connect(binding: Binding) -> "Google":
    """Returns a Gemini model."""
    return Google(binding)


class Google:
    """One Gemini model; see `rondas.providers.Provider`."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._declarations = [
            # Not `parameters`, which knows no union types.
            {"name": tool.name, "description": tool.description, "parameters_json_schema": tool.schema()}
            for tool in binding.tools
        ]

    def turn(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Makes one attempt."""

        def ask(timeout: float) -> Turn:
            client: Any = self._client
            config = {**self._config(closing), "http_options": {"timeout": round(timeout * 1000)}}  # milliseconds
            contents = list(self._contents(history))
            answer = client.models.generate_content(model=self._binding.model, contents=contents, config=config)
            return self._read(read_object(answer.sdk_http_response.body), closing=closing is not None)

        return attempt(self._binding.name, ask, seconds)

    @functools.cached_property
    def _client(self) -> genai.Client:
        """The SDK's client, kept because its connections are closed when it is collected.

        `vertexai` is said, for the environment would decide otherwise. The TLS context is for the asynchronous and
        the websocket client, which nobody uses: an empty one spares building two with all the certificates.
        """
        unused = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        options: Any = {"httpx_client": shared_client(), "async_client_args": {"verify": unused, "ssl": unused}}
        return genai.Client(api_key=self._binding.key(), vertexai=False, http_options=options)

    def _config(self, closing: str | None) -> Json:
        config: Json = {
            "system_instruction": f"{self._binding.prompt}\n\n{closing}" if closing else self._binding.prompt,
            "max_output_tokens": self._binding.max_output_tokens,
            "automatic_function_calling": {"disable": True},
            "automatic_continuation": False,  # it would send more requests than one, unseen
            "should_return_http_response": True,  # the SDK's own classes drop what they do not know
        }
        if self._declarations:
            config["tools"] = [{"function_declarations": self._declarations}]
            config["tool_config"] = {"function_calling_config": {"mode": "NONE" if closing else "AUTO"}}
        return config

    def _contents(self, history: Sequence[Entry]) -> Iterator[Json]:
        """Writes the conversation in Gemini's words; the rounds of the message being answered as they came."""
        ids = CallIds()
        current = current_message(history)
        for index, entry in enumerate(history):
            match entry:
                case UserMessage(text):
                    yield _content("user", [{"text": text}])
                case Answer(text):
                    yield _content("model", [{"text": text}])
                case Round():
                    echo = index > current and entry.turn.model == self._binding.name and entry.turn.opaque
                    yield from _round(entry.turn.opaque if echo else _anew(entry, ids), entry.results)

    def _read(self, body: Json, *, closing: bool) -> Turn:
        candidates = as_objects(body.get("candidates"))
        candidate = candidates[0] if candidates else {}
        finish = as_text(candidate.get("finishReason"))
        if finish in _BOTCHED and not closing:  # a closing call is not tried again (rule L5)
            raise malformed(self._binding.name, finish)
        parts = as_objects(as_object(candidate.get("content")).get("parts"))
        blocked = not parts and as_object(body.get("promptFeedback")).get("blockReason")
        stop = "refused" if blocked else _STOPS.get(finish, "unknown")
        usage = _usage(as_object(body.get("usageMetadata")))
        if stop == "refused":  # what was written before it is not to be kept
            return Turn(stop=stop, usage=usage, model=self._binding.name)
        return Turn(
            text=clean("".join(as_text(part.get("text")) for part in parts if not part.get("thought"))),
            calls=_calls(parts),
            stop=stop,
            usage=usage,
            model=self._binding.name,
            opaque=_opaque(parts),
        )


# What is sent


def _content(role: str, parts: list[Json]) -> Json:
    return {"role": role, "parts": parts}


def _round(parts: list[Json], results: Sequence[ToolResult]) -> Iterator[Json]:
    """Writes a round: the turn, then one content with all results, in the order of the calls and with their ids.

    A turn without calls was paused by another provider. It is answered too: a turn with calls is accepted right after
    the person's words or after results only.
    """
    calls = as_objects([part.get("functionCall") for part in parts])
    if parts:
        yield _content("model", _signed(parts))
    if calls:
        yield _content("user", [_response(call, result) for call, result in zip(calls, results, strict=True)])
    elif parts:
        yield _content("user", [{"text": _CONTINUE}])


def _anew(done: Round, ids: CallIds) -> list[Json]:
    """Writes a turn of an earlier message, or of another model."""
    parts: list[Json] = [{"text": done.turn.text}] if done.turn.text.strip() else []
    return parts + [
        {"functionCall": {"id": call_id, "name": safe_name(call.name), "args": call.arguments_object()}}
        for call_id, call in zip(ids.of(done), done.turn.calls, strict=True)
    ]


def _signed(parts: list[Json]) -> list[Json]:
    """Sees to it that the first call carries a signature, as it must; the calls beside it carry none."""
    signed = list(parts)
    for index, part in enumerate(parts):
        if "functionCall" in part:
            signed[index] = {"thoughtSignature": _UNSIGNED, **part}
            break
    return signed


def _response(call: Json, result: ToolResult) -> Json:
    named = {key: call[key] for key in ("id", "name") if key in call}
    key = "output" if result.outcome == "done" else "error"
    return {"functionResponse": {**named, "response": {key: result.text}}}


# What is read


def _calls(parts: Sequence[Json]) -> tuple[ToolCall, ...]:
    asked = as_objects([part.get("functionCall") for part in parts])
    ids = usable_ids([call.get("id") for call in asked])
    return tuple(
        ToolCall(call_id, clean(as_text(call.get("name"))), clean(_arguments(call)))
        for call_id, call in zip(ids, asked, strict=True)
    )


def _arguments(call: Json) -> str:
    given = call.get("args")
    return "{}" if given is None else json.dumps(given, ensure_ascii=False, separators=(",", ":"))


def _opaque(parts: Sequence[Json]) -> list[Json] | None:
    """Returns the parts to echo: those of a turn that Gemini signed, without what the SDK would not let through.

    They are echoed as they came, so a call that came without an id is answered without one, by its place.
    """
    kept = [said for part in parts if (said := _echo(part))]
    return kept if any("thoughtSignature" in part for part in kept) else None


def _echo(part: Json) -> Json:
    """Returns the part in the fields that are known, and nothing where it says nothing."""
    call, text = part.get("functionCall"), as_text(part.get("text"))
    if isinstance(call, dict):
        said: Json = {"functionCall": _echo_call(as_object(call))}
    elif text:
        said = {"text": text, "thought": True} if part.get("thought") else {"text": text}
    else:
        return {}
    signature = as_text(part.get("thoughtSignature"))
    return {**said, "thoughtSignature": signature} if signature else said


def _echo_call(call: Json) -> Json:
    said: Json = {"name": as_text(call.get("name")) or safe_name("")}
    if call_id := as_text(call.get("id")):
        said["id"] = call_id
    if isinstance(call.get("args"), dict):
        said["args"] = call["args"]
    return said


def _usage(usage: Json) -> Usage:
    """Counts as `Usage` does: Gemini's candidates are counted without its thoughts."""
    reasoning = as_count(usage.get("thoughtsTokenCount"))
    return Usage(
        input=as_count(usage.get("promptTokenCount")) + as_count(usage.get("toolUsePromptTokenCount")),
        cached=as_count(usage.get("cachedContentTokenCount")),
        output=as_count(usage.get("candidatesTokenCount")) + reasoning,
        reasoning=reasoning,
    )
