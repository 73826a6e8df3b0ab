"""Rounds that fit into an item of the table (rule S7)."""

import json

from doubles import asks
from hypothesis import given
from hypothesis import strategies as st

from rondas.excerpt import written
from rondas.fit import MAX_TURN_CHARS, bounded, fitted
from rondas.history import Round, ToolCall, ToolResult, Turn
from rondas.store.items import Keys, StoredEntry, entry_item

ITEM_LIMIT = 409_600


def a_round(calls: int, text: str, opaque: object = None) -> Round:
    asked = tuple(ToolCall(f"c{number}", "read", "{}") for number in range(calls))
    return Round(Turn("", asked, opaque=opaque), tuple(ToolResult(call.id, text) for call in asked))


def item_bytes(done: Round) -> int:
    """The size of the item as DynamoDB counts it, had compression not helped at all."""
    item = entry_item(Keys("ana", "c-1"), StoredEntry(1, done, "2026-11-30T00:00:00.000Z", "key"))
    return sum(len(name) + len(str(value)) for name, value in item.items() if name != "body") + len(raw_body(done))


def raw_body(done: Round) -> bytes:
    from pydantic import TypeAdapter

    return TypeAdapter(Round).dump_json(done, exclude_defaults=True)


def test_a_round_that_fits_is_the_same_object() -> None:
    small = Round(asks("look"), (ToolResult("0-look", "found"),))
    assert fitted(small) is small


@given(
    calls=st.integers(1, 60),
    text=st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=40),
    size=st.integers(1, 20_000),
)
def test_every_round_fits_an_item(calls: int, text: str, size: int) -> None:
    # Given any number of calls with results of any size, in any letters
    done = a_round(calls, (text * (size // len(text) + 1))[:size])
    # When it is fitted
    small = fitted(done)
    # Then it can be stored, even if compression saved nothing, and every call still has its result
    assert item_bytes(small) < ITEM_LIMIT
    assert [result.call_id for result in small.results] == [call.id for call in small.turn.calls]


def test_what_is_cut_says_so() -> None:
    small = fitted(a_round(60, "ñ" * 12_000))
    assert all("left out" in result.text for result in small.results)


def test_what_is_json_is_still_json_when_it_is_cut() -> None:
    # Given forty results of a hundred items each; when they are fitted
    small = fitted(a_round(40, written([{"day": day, "note": "ñ" * 100} for day in range(100)])))
    # Then each holds its first items whole, and says how many are missing
    for result in small.results:
        first, *_, mark = json.loads(result.text)
        assert first == {"day": 0, "note": "ñ" * 100}
        assert "of 100 items left out" in mark


def test_a_turn_far_too_long_keeps_the_beginning_of_its_words_and_runs_nothing() -> None:
    # Given a turn of 6 MB, in words or in arguments
    spoken = Turn("é" * 6_000_000, (ToolCall("c1", "read"),))
    called = Turn("Let me see.", (ToolCall("c1", "read", f'{{"x": "{"y" * 6_000_000}"}}'),))
    # When it is bounded, then what is left can be stored and sent, and is known to be cut
    assert bounded(spoken) == Turn("é" * MAX_TURN_CHARS, stop="truncated")
    assert bounded(called) == Turn("Let me see.", stop="truncated")


def test_a_turn_within_the_limit_is_left_alone() -> None:
    turn = Turn("x" * (MAX_TURN_CHARS - 2), (ToolCall("c1", "read", "{}"),), stop="paused")
    assert bounded(turn) is turn
