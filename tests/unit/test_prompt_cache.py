"""What a service can take from its prompt cache over a long conversation, as each adapter writes it (rule S6)."""

import json
from collections.abc import Callable, Sequence
from itertools import pairwise, takewhile
from typing import Any

import pytest
from doubles import asks

from rondas.history import Answer, Entry, UserMessage, settle
from rondas.providers import connect
from rondas.window import Window, view

MESSAGES = 60
TOKEN_BUDGET = 12_000
FOUND = "2026-11-02 bench press 5 x 5 x 80 kg; " * 30


def _provider(name: str) -> Any:
    return connect(name, lambda _: "key", "You are a coach.", [], 1000)


SERVICES: dict[str, Callable[[Any, Sequence[Entry]], list[Any]]] = {
    "anthropic:claude": lambda provider, history: provider._request(history, None)["messages"],
    "openai:gpt": lambda provider, history: provider._request(history, None)["input"],
    "google:gemini": lambda provider, history: list(provider._contents(history)),
}


def _common(before: list[str], after: list[str]) -> list[str]:
    return [one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))]


def _bytes(said: list[str]) -> int:
    return sum(map(len, said))


@pytest.mark.parametrize("service", SERVICES)
def test_s6_the_beginning_of_nearly_every_request_was_sent_before(service: str) -> None:
    # Given a conversation of sixty messages with a round each, in a window that holds less than half of them
    provider = _provider(service)
    entries: list[Entry] = []
    windows = [Window()]
    requests: list[list[str]] = []
    for number in range(MESSAGES):
        entries.append(UserMessage(f"How much did I gain in week {number}?"))
        # When the first request for each is written
        shown = view(reversed(list(enumerate(entries))), windows[-1], TOKEN_BUDGET)
        requests.append([json.dumps(item, default=repr) for item in SERVICES[service](provider, shown.history)])
        windows.append(shown.window)
        entries += [settle(asks(f'look:{{"week":{number}}}'), FOUND, "done"), Answer(f"You gained {number} kg.")]
    # Then it begins with all of the one before it, where the window stood still
    shared = sent = moves = 0
    for (before, after), (window, moved) in zip(pairwise(requests), pairwise(windows[1:]), strict=True):
        common = _common(before, after)
        assert window != moved or common == before
        moves += window != moved
        shared += _bytes(common)
        sent += _bytes(after)
    # And it seldom moved, so that most of what was sent had been sent before
    assert 3 <= moves <= 6
    assert shared / sent > 0.8
