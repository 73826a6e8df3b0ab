"""As much of a result as fits (rule L10, case 21)."""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rondas.excerpt import CUT, excerpt, excerpt_of, written

MARK = re.compile(r"\[cut: (\d+) of (\d+) (characters|items|fields) left out\. Ask for less at a time\.\]")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
names = texts.filter(lambda name: name != CUT)
many = st.integers(50, 800).map(lambda number: list(range(number)))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts | many,
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(names, inner, max_size=30),
    max_leaves=60,
)


@given(values, st.integers(0, 1500))
def test_an_excerpt_is_whole_json_within_its_limit_and_counts_what_it_lacks(value: Any, limit: int) -> None:
    # Given any JSON value and any limit; when it is written within it
    text = excerpt(value, limit)
    # Then it is JSON, no longer than the limit or a lone mark, and each mark tells the truth
    shown = json.loads(text)
    whole = written(value)
    if len(whole) <= limit:
        assert text == whole
    elif counts(shown) != (len(whole), len(whole)):
        assert len(text) <= limit
        assert list(lies(value, shown)) == []


def lies(value: Any, shown: Any) -> Iterator[str]:
    """Yields each place where the excerpt shows something else than it says."""
    if written(value) == written(shown):
        return
    match value, shown:
        case str(), str():
            yield from lies_of_text(value, shown)
        case list(), list():
            yield from lies_of_list(cast("list[Any]", value), cast("list[Any]", shown))
        case dict(), dict():
            yield from lies_of_object(cast("dict[str, Any]", value), cast("dict[str, Any]", shown))
        case _:
            yield f"{value!r} is shown as {shown!r}"


def lies_of_text(value: str, shown: str) -> Iterator[str]:
    beginning, mark = shown.rsplit("… ", 1)
    if not value.startswith(beginning) or counts(mark) != (len(value) - len(beginning), len(value)):
        yield f"{value!r} is shown as {shown!r}"


def lies_of_list(value: list[Any], shown: list[Any]) -> Iterator[str]:
    kept = shown[:-1] if len(value) > 1 or counts(shown[-1]) == (1, 1) else shown
    if kept is not shown and counts(shown[-1]) != (len(value) - len(kept), len(value)):
        yield f"a list of {len(value)} is shown as {shown!r}"
    for item, part in zip(value, kept, strict=False):
        yield from lies(item, part)


def lies_of_object(value: dict[str, Any], shown: dict[str, Any]) -> Iterator[str]:
    kept = {name: part for name, part in shown.items() if name != CUT}
    if len(kept) < len(value) and counts(shown[CUT]) != (len(value) - len(kept), len(value)):
        yield f"an object of {len(value)} is shown as {shown!r}"
    for name, part in kept.items():
        yield from lies(value[name], part)


def counts(mark: Any) -> tuple[int, int] | None:
    found = MARK.fullmatch(mark) if isinstance(mark, str) else None
    return (int(found[1]), int(found[2])) if found else None


def test_what_fits_is_written_as_it_is() -> None:
    # Given a value that just fits; when it is written, then nothing of it is cut
    value = {"name": "Sentadilla ñ", "sets": [5, 5.5, True, None]}
    assert excerpt(value, len(written(value))) == '{"name":"Sentadilla ñ","sets":[5,5.5,true,null]}'


def test_a_long_list_keeps_its_first_items_whole() -> None:
    # Given three thousand sessions and a total
    sessions = [{"date": f"2026-01-{number % 30:02}", "volume_kg": number} for number in range(3000)]
    # When they are written in 500 characters
    shown = json.loads(excerpt({"sessions": sessions, "total": 3000}, 500))
    # Then the total is there, whole sessions, and how many are missing
    kept = shown["sessions"][:-1]
    assert shown["total"] == 3000
    assert kept == sessions[: len(kept)]
    assert shown["sessions"][-1] == f"[cut: {3000 - len(kept)} of 3000 items left out. Ask for less at a time.]"


def test_the_limit_counts_what_stands_between_the_items() -> None:
    assert 490 < len(excerpt([1] * 1000, 500)) <= 500


def test_long_texts_share_what_the_short_ones_leave() -> None:
    # Given two long texts around a short one; when they are written
    shown = json.loads(excerpt({"a": "x" * 5000, "title": "Push day", "b": "y" * 5000}, 1000))
    # Then the short one is whole, and each long one has its half
    assert shown["title"] == "Push day"
    assert 350 < shown["a"].count("x") == shown["b"].count("y")


def test_of_an_item_that_is_too_large_by_itself_a_part_is_shown() -> None:
    shown = json.loads(excerpt([{"page": "x" * 5000}, "second"], 500))
    assert shown[0]["page"].startswith("xxx")
    assert shown[1] == "[cut: 1 of 2 items left out. Ask for less at a time.]"


def test_of_too_many_fields_the_last_ones_go() -> None:
    # Given an object that is a long list by another name; when it is written
    shown = json.loads(excerpt({f"exercise {number}": number for number in range(5000)}, 1000))
    # Then its first fields are there
    assert shown["exercise 0"] == 0
    assert shown[CUT] == f"[cut: {5001 - len(shown)} of 5000 fields left out. Ask for less at a time.]"


def test_half_a_number_is_never_shown() -> None:
    shown = json.loads(excerpt({"huge": 10**2000, "name": "squat"}, 500))
    assert shown == {"name": "squat", CUT: "[cut: 1 of 2 fields left out. Ask for less at a time.]"}


def test_a_tool_says_in_its_own_words_how_to_get_the_rest() -> None:
    assert "characters left out. Give a shorter period.]" in excerpt("x" * 1000, 200, "Give a shorter period.")


def test_the_same_value_is_written_the_same_way() -> None:
    value = {"b": ["x" * 400] * 9, "a": "y" * 4000}
    assert excerpt(value, 700) == excerpt(json.loads(json.dumps(value)), 700)


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_cannot_write_is_an_error_and_no_invalid_json(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        excerpt([number], 100)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        pytest.param('{"a":"' + "x" * 400 + '"}', '{"a":"x', id="an object"),
        pytest.param('["\\ud83d",' + "1," * 200 + "1]", '["?",1,1', id="half a character, escaped"),
        pytest.param("There is no such day. " * 9, "There is no such day. ", id="words"),
        pytest.param("1" * 200, "1" * 150 + "… [cut: 50 of 200", id="a number, which has no first part"),
        pytest.param("[NaN," * 90, "[NaN,[NaN", id="no JSON"),
        pytest.param("[NaN]" + " " * 200, "[NaN]  ", id="no JSON, although Python reads it"),
        pytest.param("[" * 99_999, "[[[[", id="what is nested too deep"),
    ],
)
def test_a_result_that_is_there_as_text_is_cut_by_what_it_is(text: str, short: str) -> None:
    found = excerpt_of(text, 150)
    assert found.startswith(short)
    assert "[cut: " in found
    assert len(found) < 250
    found.encode()
