"""Ids of calls that every provider accepts: each once in a request, of letters, digits, `_` and `-` only."""

import re
import uuid
from collections.abc import Sequence
from typing import Any

from rondas.history import Round

_FOREIGN = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_CHARS = 64


class CallIds:
    """Gives the calls of one request their ids, the same ones for the same history."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def are_new(self, done: Round) -> bool:
        """Whether the round's own ids can stand in the request as they are; if so they are taken."""
        own = [call.id for call in done.turn.calls]
        if len(set(own)) != len(own) or self._used.intersection(own):
            return False
        self._used.update(own)
        return True

    def of(self, done: Round) -> list[str]:
        """Returns an id for each call of the round, in order: its own where that is possible."""
        return [self._take(call.id) for call in done.turn.calls]

    def _take(self, own: str) -> str:
        base = _FOREIGN.sub("_", own)[:_MAX_CHARS] or "call"
        taken, number = base, 1
        while taken in self._used:
            number += 1
            taken = f"{base[: _MAX_CHARS - 6]}_{number}"
        self._used.add(taken)
        return taken


def usable_ids(given: Sequence[Any]) -> list[str]:
    """Returns an id for each call of a turn: what the provider gave, or a new one where it is missing or repeated."""
    ids: list[str] = []
    for own in given:
        usable = isinstance(own, str) and bool(own) and own not in ids
        ids.append(own if usable else f"call_{uuid.uuid4().hex[:16]}")
    return ids


def safe_name(name: str) -> str:
    """Returns a tool name that every provider accepts; a model may have called a tool that cannot even exist."""
    return _FOREIGN.sub("_", name)[:_MAX_CHARS] or "unknown"
