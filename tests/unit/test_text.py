"""Text that is safe to send, to store and to read."""

import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rondas.text import clean, each_text, readable


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        pytest.param("Día de pierna: 5 por 5, ¡listo! 💪🏽", "Día de pierna: 5 por 5, ¡listo! 💪🏽", id="text"),
        pytest.param("a\tb\nc", "a\tb\nc", id="tabs and lines stay"),
        pytest.param("a\r\nb\rc\u2028d\u2029e", "a\nb\nc\nd\ne", id="one kind of line end"),
        pytest.param("\x00\x01\x08\x0b\x0c\x1fa\x7f\x80\x9f", "a", id="control characters"),
        pytest.param("\x1b[1;31mred\x1b[0m", "red", id="colours of a terminal"),
        pytest.param("in\u00advis\u200bi\u2060ble\ufeff", "invisible", id="what has no width"),
        pytest.param("safe\u202egnp.exe\u202c \u2066x\u2069", "safegnp.exe x", id="other directions"),
        pytest.param("hi\U000e0049\U000e0067\U000e006e\U000e0100", "hi", id="hidden sentences"),
        pytest.param("می\u200cروم", "می\u200cروم", id="Persian joins its letters"),
        pytest.param("👩\u200d👧 ❤\ufe0f", "👩\u200d👧 ❤\ufe0f", id="emoji of several parts"),
        pytest.param("שלום\u200f!", "שלום\u200f!", id="the direction of a word"),
        pytest.param("half \ud83d", "half ?", id="half a character"),
        pytest.param("caf\ufffd", "caf\ufffd", id="one character that could not be decoded"),
        pytest.param("\x7fELF\x02\x01\x01" + "\x00" * 93, "[binary data: 100 characters left out]", id="a program"),
        pytest.param("%PDF" + "\ufffd" * 96, "[binary data: 100 characters left out]", id="a document"),
    ],
)
def test_a_reader_sees_the_text_and_nothing_else(text: str, seen: str) -> None:
    assert readable(text) == seen


@given(st.text())
def test_what_is_readable_can_be_sent_and_stays_as_it_is(text: str) -> None:
    # Given any text, half characters included; when it is made readable
    seen = readable(text)
    # Then it can be encoded, and there is nothing left to do
    seen.encode()
    assert readable(seen) == seen == clean(seen)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just("\\u0000") | st.just("\\\\u0000"),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_every_text_in_a_value_is_cleaned_and_nothing_else_changes(value: Any) -> None:
    # Given any JSON value; when its texts are cleaned
    cleaned = each_text(value, clean)
    # Then it can be encoded as it stands, without NULs, and a value that could be from the start is the same
    written = json.dumps(cleaned, ensure_ascii=False)
    written.encode()
    assert all("\x00" not in text for text in texts(cleaned))
    if all(text == clean(text) for text in texts(value)):
        assert cleaned == value


def texts(value: Any) -> list[str]:
    match value:
        case str():
            return [value]
        case list():
            return [text for item in cast("list[Any]", value) for text in texts(item)]
        case dict():
            return [text for name, item in cast("dict[str, Any]", value).items() for text in (name, *texts(item))]
        case _:
            return []
