"""OpenAI's models, through the Responses API.

While one message is being answered, the service remembers the rounds: each request names the response before it and
brings only what came after. A new message starts from the stored conversation, which holds nothing of OpenAI's own.
"""

import functools
import hashlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

import openai

from rondas.history import Answer, Entry, Round, Stop, ToolCall, ToolResult, Turn, Usage, UserMessage, current_message
from rondas.providers import Binding
from rondas.providers.attempt import attempt, shared_client
from rondas.providers.call_ids import CallIds, safe_name, usable_ids
from rondas.providers.errors import ProviderError, identifier, malformed
from rondas.providers.strict_mode import fits_strict_mode
from rondas.providers.wire import Json, as_count, as_object, as_objects, as_text, read_object
from rondas.text import clean

_STOPS: dict[str, Stop] = {"max_output_tokens": "truncated", "max_messages": "truncated", "content_filter": "refused"}
_UNFINISHED = ("queued", "in_progress", "cancelled")
_TRANSIENT = ("", "server_error", "rate_limit_exceeded", "vector_store_timeout")


def connect(binding: Binding) -> "OpenAI":
    """Returns a model of OpenAI's."""
    return OpenAI(binding)


class OpenAI:
    """One model of OpenAI's; see `rondas.providers.Provider`."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._tools = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.schema(),
                # Left out, it would mean true: the service would make every optional argument mandatory.
                "strict": fits_strict_mode(tool.schema()),
            }
            for tool in binding.tools
        ]

    def turn(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Makes one attempt."""

        def ask(timeout: float) -> Turn:
            until = time.monotonic() + timeout
            request = self._request(history, closing)
            try:
                return self._send(request, timeout)
            except (openai.BadRequestError, openai.NotFoundError) as error:
                previous = request.get("previous_response_id")
                if not previous or not _is_forgotten(error, previous):
                    raise
            return self._send(self._request(history, closing, chained=False), until - time.monotonic())

        try:
            return attempt(self._binding.name, ask, seconds)
        except ProviderError as error:
            if not _is_policy(error.code):
                raise
            return Turn(stop="refused", model=self._binding.name)

    @functools.cached_property
    def _client(self) -> openai.OpenAI:
        """The SDK's client; its own retries are off, for they know no deadline."""
        return openai.OpenAI(api_key=self._binding.key(), http_client=shared_client(), max_retries=0)

    def _send(self, request: Json, timeout: float) -> Turn:
        create: Any = self._client.responses.with_raw_response.create
        response = create(**request, timeout=max(timeout, 0.001))
        return self._read(read_object(response.http_response.content))

    def _request(self, history: Sequence[Entry], closing: str | None, *, chained: bool = True) -> Json:
        """Writes a request. Nothing but items is inherited from the response before, so the rest is said each time."""
        previous, items = self._input(history, chained=chained)
        prompt = self._binding.prompt
        request: Json = {
            "model": self._binding.model,
            "instructions": f"{prompt}\n\n{closing}" if closing else prompt,
            "input": items,
            "max_output_tokens": self._binding.max_output_tokens,
            "prompt_cache_key": _cache_key(prompt, history),
            "store": True,
        }
        if previous:
            request["previous_response_id"] = previous
        if self._tools:
            request["tools"] = self._tools
            request["tool_choice"] = "none" if closing else "auto"
        return request

    def _input(self, history: Sequence[Entry], *, chained: bool) -> tuple[str | None, list[Json]]:
        """Writes the conversation, up to what the service remembers in the last response it named.

        The ids of that response's calls must be used as they are, so it is built upon only where they are unique.
        """
        ids = CallIds()
        current = current_message(history)
        previous: str | None = None
        items: list[Json] = []
        for index, entry in enumerate(history):
            match entry:
                case UserMessage(text):
                    items.append({"role": "user", "content": text})
                case Answer(text):
                    items.append({"role": "assistant", "content": text})
                case Round(turn, results):
                    response_id = as_text(as_object(turn.opaque).get("response_id"))
                    remembered = index > current and turn.model == self._binding.name and response_id
                    if chained and remembered and ids.are_new(entry):
                        previous, items = response_id, []
                        call_ids = [call.id for call in turn.calls]
                    else:
                        call_ids = ids.of(entry)
                        items += _turn(turn, call_ids)
                    items += map(_output, call_ids, results)
        return previous, items

    def _read(self, body: Json) -> Turn:
        status = as_text(body.get("status"))
        if status == "failed":
            raise _failure(self._binding.name, as_object(body.get("error")))
        if status in _UNFINISHED or not isinstance(body.get("output"), list):
            raise malformed(self._binding.name, "an answer without an end or without output")
        items = as_objects(body["output"])
        usage = _usage(as_object(body.get("usage")))
        refusals = [clean(as_text(part.get("refusal"))) for part in _parts(items, "refusal")]
        stop = "refused" if refusals else _stop(body)
        if stop == "refused":  # what was written before a refusal is not to be kept
            return Turn("".join(refusals), stop=stop, usage=usage, model=self._binding.name)
        asked = [item for item in items if item.get("type") == "function_call"]
        given = [item.get("call_id") for item in asked]
        ids = usable_ids([clean(as_text(own)) for own in given])
        return Turn(
            text=clean(_text(items, final=not asked)),
            calls=tuple(map(_call, ids, asked)),
            stop=stop,
            usage=usage,
            model=self._binding.name,
            opaque=_opaque(body) if asked and ids == given else None,
        )


# Writing


def _turn(turn: Turn, call_ids: Sequence[str]) -> Iterator[Json]:
    """Writes a turn without ids of items, which would ask for the reasoning they belong to."""
    if turn.text.strip():
        yield {"role": "assistant", "content": turn.text}
    for call_id, call in zip(call_ids, turn.calls, strict=True):
        # Arguments are text on the wire, but whether text that is no JSON is taken back is documented nowhere.
        arguments = call.arguments if call.arguments_object() else "{}"
        yield {"type": "function_call", "call_id": call_id, "name": safe_name(call.name), "arguments": arguments}


def _output(call_id: str, result: ToolResult) -> Json:
    """Writes a result. There is no flag for a failure, so the text says it."""
    text = result.text or "(empty)"
    output = f"Error: {text}" if result.outcome == "failed" else text
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def _cache_key(prompt: str, history: Sequence[Entry]) -> str:
    """Returns what keeps the requests of one conversation on one cache: all of them start with these two texts."""
    first = next((entry.text for entry in history if isinstance(entry, UserMessage)), "")
    return hashlib.sha256(f"{prompt}\0{first}".encode("utf-8", "surrogatepass")).hexdigest()


# Reading


def _is_forgotten(error: openai.APIStatusError, previous: str) -> bool:
    """Whether the service does not have the response that the request builds upon: expired, or never stored."""
    said = f"{error.code} {error.param} {error}"
    return re.search(f"previous[ _]response|{re.escape(previous)}", said, re.IGNORECASE) is not None


def _is_policy(code: str) -> bool:
    """Whether the code says that the question, not the service, is at fault: a refusal in other words."""
    return code in ("invalid_prompt", "content_filter") or code.endswith(("_policy", "_policy_violation"))


def _failure(name: str, error: Json) -> ProviderError:
    code = identifier(error.get("code"))
    return ProviderError(name, f"failed {code}".rstrip(), retryable=code in _TRANSIENT, code=code)


def _stop(body: Json) -> Stop:
    if body.get("status") == "completed":
        return "end"
    return _STOPS.get(as_text(as_object(body.get("incomplete_details")).get("reason")), "unknown")


def _parts(items: Sequence[Json], kind: str) -> list[Json]:
    contents = [as_objects(item.get("content")) for item in items if item.get("type") == "message"]
    return [part for content in contents for part in content if part.get("type") == kind]


def _text(items: Sequence[Json], *, final: bool) -> str:
    """Returns the words of a turn; of a final one, without the commentary that led to them."""
    spoken = [item for item in items if not (final and item.get("phase") == "commentary")]
    texts = ["".join(as_text(part.get("text")) for part in _parts([item], "output_text")) for item in spoken]
    text = "\n\n".join(text for text in texts if text.strip())
    return text if text or not final else _text(items, final=False)


def _call(call_id: str, item: Json) -> ToolCall:
    return ToolCall(call_id, clean(as_text(item.get("name"))), clean(_arguments(item.get("arguments", ""))))


def _arguments(given: Any) -> str:
    """Returns the arguments as the model wrote them, be they JSON or not; what is escaped in them is cleaned, too."""
    try:
        value = read_object(given) if isinstance(given, str) and "\\u" in given else given
    except (ValueError, RecursionError):
        return given
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _opaque(body: Json) -> Json | None:
    """Returns the id of a response that the next request can build upon: one that ended well and was stored."""
    response_id = body.get("id")
    usable = isinstance(response_id, str) and response_id and body.get("store") is not False
    return {"response_id": response_id} if usable and body.get("status") == "completed" else None


def _usage(usage: Json) -> Usage:
    return Usage(
        input=as_count(usage.get("input_tokens")),
        cached=as_count(as_object(usage.get("input_tokens_details")).get("cached_tokens")),
        output=as_count(usage.get("output_tokens")),
        reasoning=as_count(as_object(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )
