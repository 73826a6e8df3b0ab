"""Rounds that fit into one item of the table, however many calls a turn makes (rule S7)."""

import json
from dataclasses import replace

from rondas.excerpt import excerpt_of
from rondas.history import Round, ToolResult, Turn

MAX_ROUND_BYTES = 300_000
"""DynamoDB takes 409 600 bytes an item, names and keys included."""

MAX_TURN_CHARS = 100_000
"""Beyond the 16 000 tokens that `MAX_OUTPUT_TOKENS` allows: a longer turn comes from a model that does not keep it."""

_MOST_BYTES_OF_A_CHARACTER = 6  # a control character, escaped


def bounded(turn: Turn) -> Turn:
    """Returns the turn as it is, or what can be kept of one that is far too long: the beginning of its text."""
    chars = len(turn.text) + sum(len(call.arguments) for call in turn.calls)
    if chars <= MAX_TURN_CHARS:
        return turn
    return replace(turn, text=turn.text[:MAX_TURN_CHARS], calls=(), stop="truncated")


def fitted(done: Round) -> Round:
    """Returns the round with its results cut so far that it can be stored; as it is where it can.

    Each result gets an equal share.
    """
    chars = len(done.turn.text) + sum(len(call.arguments) for call in done.turn.calls)
    chars += sum(len(result.text) for result in done.results)
    if chars * _MOST_BYTES_OF_A_CHARACTER < MAX_ROUND_BYTES // 2:
        return done  # as nearly all do, which is seen without writing it out
    if _bytes(done) <= MAX_ROUND_BYTES:
        return done
    left = MAX_ROUND_BYTES - _bytes(replace(done, results=()))
    share = max(0, left) // max(1, len(done.results))
    return replace(done, results=tuple(_cut(result, share) for result in done.results))


def _cut(result: ToolResult, share: int) -> ToolResult:
    """Cuts a result until its JSON takes no more than `share` bytes."""
    limit = min(len(result.text), share)
    short = result
    while _text_bytes(short.text) > share and limit:
        limit = limit * 3 // 4
        short = replace(result, text=excerpt_of(result.text, limit))
    return short


def _bytes(done: Round) -> int:
    calls = sum(_text_bytes(call.arguments) + _text_bytes(call.name) + len(call.id) + 40 for call in done.turn.calls)
    results = sum(_text_bytes(result.text) + len(result.call_id) + 50 for result in done.results)
    return _text_bytes(done.turn.text) + calls + results


def _text_bytes(text: str) -> int:
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace"))
