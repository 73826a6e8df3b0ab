"""The estimate of tokens beside what the services really counted (tests/data/recorded)."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from fakes.player import Exchange, recorded
from fakes.server import Json

from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, Turn, UserMessage
from rondas.providers import connect
from rondas.tokens import estimated_tokens


class Counted(NamedTuple):
    """An entry, and how many tokens a service counted for it."""

    name: str
    entry: Entry
    tokens: int


def _anthropic_results(request: Json) -> list[str]:
    return [block["content"] for block in request["messages"][-1]["content"]]


def _openai_results(request: Json) -> list[str]:
    return [item["output"] for item in request["input"] if item.get("type") == "function_call_output"]


def _google_results(request: Json) -> list[str]:
    return [part["functionResponse"]["response"]["return_value"] for part in request["contents"][-1]["parts"]]


RESULTS: dict[str, Callable[[Json], list[str]]] = {
    "anthropic": _anthropic_results,
    "openai": _openai_results,
    "google": _google_results,
}


def _read(provider: str, exchange: Exchange) -> Turn:
    adapter: Any = connect(f"{provider}:any", lambda _: "key", "", [], 100)
    closing = {"closing": False} if provider == "google" else {}
    return adapter._read(exchange.response, **closing)


def _counted(provider: str) -> Iterator[Counted]:
    """What the recordings tell: a final text by its output, a round by what the next request took more than its own."""
    for name, exchanges in recorded(provider):
        answered = [each for each in exchanges if each.status == 200]
        for exchange in answered:
            turn = _read(provider, exchange)
            if turn.text and not turn.calls:
                yield Counted(name, Answer(turn.text), turn.usage.output - turn.usage.reasoning)
        for asked, after in pairwise(answered):
            turn, later = _read(provider, asked), _read(provider, after)
            if provider == "openai" and turn.usage.reasoning:
                continue  # its thoughts were sent back, too
            texts = RESULTS[provider](after.request)
            results = tuple(ToolResult(call.id, text) for call, text in zip(turn.calls, texts, strict=True))
            yield Counted(name, Round(turn, results), later.usage.input - turn.usage.input)


COUNTED = [pytest.param(each, id=f"{each.name}-{type(each.entry).__name__}") for p in RESULTS for each in _counted(p)]


@pytest.mark.parametrize("counted", COUNTED)
def test_s6_the_estimate_is_near_what_the_services_counted(counted: Counted) -> None:
    # Given an entry that a service really counted; when it is estimated
    estimate = estimated_tokens(counted.entry)
    # Then the estimate is at most a fifth too low, and not much too high: for the services with the shorter call, and
    # in the smallest of texts
    calls = len(counted.entry.turn.calls) if isinstance(counted.entry, Round) else 0
    assert 0.8 * counted.tokens <= estimate <= 1.75 * counted.tokens + 35 * calls + 4


def test_the_recordings_are_enough_to_tell() -> None:
    assert len(COUNTED) >= 20


def test_every_text_of_an_entry_costs() -> None:
    # Given a round with a long text in each of its places; when it is estimated, then each counts
    long = "palabra " * 100
    for entry in (
        UserMessage(long),
        Answer(long),
        Round(Turn(long)),
        Round(Turn("", (ToolCall("1", "look", long),)), (ToolResult("1", ""),)),
        Round(Turn("", (ToolCall("1", "look"),)), (ToolResult("1", long),)),
    ):
        assert 250 < estimated_tokens(entry) < 350


def test_a_letter_that_cannot_be_encoded_costs_something() -> None:
    assert estimated_tokens(UserMessage("\ud800" * 300)) >= 100
