"""Rounds that fit into one item of the table, however many calls a turn makes (rule S7)."""

import json
from dataclasses import replace

from rondas.history import Round, ToolResult
from rondas.text import cut

MAX_ROUND_BYTES = 300_000
"""DynamoDB takes 409 600 bytes an item, names and keys included."""

_MOST_BYTES_OF_A_CHARACTER = 6  # a control character, escaped


def fitted(done: Round) -> Round:
    """Returns the round with its results cut so far that it can be stored; as it is where it can.

    Each result gets an equal share. The opaque part goes first: without it the turn is written anew for its model.
    """
    chars = len(done.turn.text) + sum(len(call.arguments) for call in done.turn.calls)
    chars += sum(len(result.text) for result in done.results)
    if done.turn.opaque is None and chars * _MOST_BYTES_OF_A_CHARACTER < MAX_ROUND_BYTES // 2:
        return done  # as nearly all do, which is seen without writing it out
    if _bytes(done) <= MAX_ROUND_BYTES:
        return done
    bare = replace(done, turn=replace(done.turn, opaque=None))
    left = MAX_ROUND_BYTES - _bytes(replace(bare, results=()))
    share = max(0, left) // max(1, len(done.results))
    return replace(bare, results=tuple(_cut(result, share) for result in done.results))


def _cut(result: ToolResult, share: int) -> ToolResult:
    """Cuts a result until its JSON takes no more than `share` bytes."""
    limit = min(len(result.text), share)
    short = result
    while _text_bytes(short.text) > share and limit:
        limit = limit * 3 // 4
        short = replace(result, text=cut(result.text, limit))
    return short


def _bytes(done: Round) -> int:
    calls = sum(_text_bytes(call.arguments) + _text_bytes(call.name) + len(call.id) + 40 for call in done.turn.calls)
    results = sum(_text_bytes(result.text) + len(result.call_id) + 50 for result in done.results)
    opaque = 0 if done.turn.opaque is None else _text_bytes(done.turn.opaque)
    return _text_bytes(done.turn.text) + calls + results + opaque


def _text_bytes(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
