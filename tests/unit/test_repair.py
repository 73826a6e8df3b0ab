"""Any history, however damaged, becomes one that all three providers accept, and no words are lost (rule S8)."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from doubles import asks, says
from fakes import anthropic, google
from fakes.openai import OpenAIServer
from fakes.server import Request, Rule
from hypothesis import given
from hypothesis import strategies as st

from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, Turn, UserMessage
from rondas.providers import connect
from rondas.repair import repaired
from rondas.tools import Arguments, Tool, tool
from rondas.window import for_model


@tool
def look(arguments: Arguments) -> Arguments:
    """Looks."""
    return arguments


TOOLS: list[Tool] = [look]
WORDS = st.sampled_from(["", " ", "one", "two", "¿tres?", "four {", '"five"'])
IDS = st.sampled_from(["a", "b", "c", "", "call:1", "x" * 80])

_calls = st.lists(
    st.builds(ToolCall, IDS, st.sampled_from(["look", "no such tool", ""]), st.sampled_from(["{}", "[", ""])),
    max_size=3,
)
_results = st.lists(st.builds(ToolResult, IDS, WORDS, st.sampled_from(["done", "failed", "unknown"])), max_size=3)
_turns = st.builds(Turn, WORDS, _calls.map(tuple), st.sampled_from(["end", "paused", "truncated"]))
_rounds = st.builds(Round, _turns, _results.map(tuple))
_entries: st.SearchStrategy[Entry] = st.one_of(
    st.builds(UserMessage, WORDS), st.builds(Answer, WORDS, st.sampled_from(["answered", "failed"])), _rounds
)
_damaged = st.lists(_entries, max_size=8)


def texts(history: Sequence[Entry]) -> str:
    """All that was said in a history, by whomever."""
    parts: list[str] = []
    for entry in history:
        if isinstance(entry, Round):
            parts += [entry.turn.text, *(result.text for result in entry.results)]
        else:
            parts.append(entry.text)
    return "\n".join(parts)


def accepts(name: str, rule: Rule, request: Callable[[Any, Sequence[Entry]], dict[str, Any]]) -> Callable[..., None]:
    provider: Any = connect(name, lambda _: "key", "You are a coach.", TOOLS, 1000)
    headers = {"authorization": "Bearer key", "x-goog-api-key": "key"}
    paths = {"a": "/v1/messages", "o": "/v1/responses", "g": "/v1/models/gemini:generateContent"}

    def check(history: Sequence[Entry]) -> None:
        body = json.dumps(request(provider, history)).encode()
        refusal = rule(Request(paths[name[0]], headers, body))
        assert refusal is None, refusal.body

    return check


def google_request(provider: Any, history: Sequence[Entry]) -> dict[str, Any]:
    """What the SDK makes of the contents: the dummy signature in base64."""
    contents = json.loads(json.dumps(list(provider._contents(history)), default=_base64))
    return {"contents": contents, "tools": [{"functionDeclarations": provider._declarations}]}


def _base64(value: bytes) -> str:
    import base64

    return base64.b64encode(value).decode()


SERVICES = {
    "anthropic": accepts("anthropic:claude", anthropic.strict(), lambda each, history: each._request(history, None)),
    "openai": accepts("openai:gpt", OpenAIServer().refusal, lambda each, history: each._request(history, None)),
    "google": accepts("google:gemini", google.strict(), google_request),
}


@pytest.mark.parametrize("service", SERVICES)
@given(history=_damaged)
def test_every_service_accepts_a_repaired_history(service: str, history: list[Entry]) -> None:
    # Given any history behind a person's first message; when it is mended and the person writes again
    mended = repaired(for_model([UserMessage("hello"), *history, UserMessage("and now?")])).history
    # Then the service takes it
    SERVICES[service](mended)


@given(history=_damaged)
def test_no_words_are_lost(history: list[Entry]) -> None:
    # Given any history; when it is mended, then all that was said is still said
    after = texts(repaired(history).history)
    for word in texts(history).split("\n"):
        assert word.strip() in after


@given(history=_damaged)
def test_a_repaired_history_needs_no_repair(history: list[Entry]) -> None:
    once = repaired(history).history
    again = repaired(once)
    assert (again.history, again.mended) == (once, 0)


def test_a_good_history_is_the_same_objects() -> None:
    # Given a history as this program stores it
    done = Round(asks("look", "save"), (ToolResult("0-look", "found"), ToolResult("1-save", "saved")))
    history: list[Entry] = [UserMessage("one"), done, Round(says("…", stop="paused")), Answer("two"), UserMessage("3")]
    # When it is read, then nothing is touched
    mended = repaired(history)
    assert all(before is after for before, after in zip(history, mended.history, strict=True))
    assert mended.mended == 0


def test_results_out_of_order_are_put_in_order() -> None:
    swapped = Round(asks("look", "save"), (ToolResult("1-save", "saved"), ToolResult("0-look", "found")))
    (entry,) = repaired([UserMessage("hello"), swapped]).history[1:]
    assert isinstance(entry, Round)
    assert [result.text for result in entry.results] == ["found", "saved"]


def test_a_missing_result_is_unknown_and_an_orphan_gets_a_call() -> None:
    # Given a round with one call too many and one result too many
    torn = Round(asks("look"), (ToolResult("other", "something a tool said"),))
    (entry,) = repaired([UserMessage("hello"), torn]).history[1:]
    # When it is mended, then each has its counterpart
    assert isinstance(entry, Round)
    assert [call.name for call in entry.turn.calls] == ["look", "unknown_call"]
    assert [result.outcome for result in entry.results] == ["unknown", "done"]
