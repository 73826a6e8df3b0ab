"""Text that is safe to send, to store and to read."""

import re
from collections.abc import Callable
from typing import Any, cast

LESS = "Ask for less at a time."
"""How to get the rest of what was cut, where nobody knows better."""

_TERMINAL = r"\x1b\[[0-?]*[ -/]*[@-~]"
_CONTROL = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
_INVISIBLE = (
    r"\u00ad\u180e\u200b\u2060-\u2064\ufeff"  # soft hyphens, spaces without width, byte order marks
    r"\u202a-\u202e\u2066-\u206f"  # what makes text read in another order than it is written in
    r"\ufff9-\ufffb\ufdd0-\ufdef\ufffe\uffff"  # annotations and what is no character
    r"\U000e0000-\U000e0fff"  # tags and selectors, in which whole sentences can be hidden from a person
)
_LINE_END = re.compile("\r\n?|[\u2028\u2029]")
_JUNK = re.compile(f"{_TERMINAL}|[{_CONTROL}{_INVISIBLE}]")
_UNDECODED = re.compile(f"[{_CONTROL}\ufffd\ud800-\udfff]")

_BINARY_FROM_CHARS = 64
_BINARY_SHARE = 0.1


def clean(text: str) -> str:
    """Replaces lone surrogates, which no SDK can encode, and drops NUL bytes (rule S7)."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")


def readable(text: str) -> str:
    """Returns what a reader sees of the text: no control characters, nothing invisible, one kind of line end.

    What joins letters (U+200C, U+200D) and emoji (U+FE0F), or marks the direction of a word (U+061C, U+200E, U+200F),
    stays: languages need it. Binary data that was decoded as text is named instead of shown.
    """
    if text.isascii() and text.isprintable():
        return text  # as nearly all are
    if len(text) >= _BINARY_FROM_CHARS and len(_UNDECODED.findall(text)) > len(text) * _BINARY_SHARE:
        return f"[binary data: {len(text)} characters left out]"
    return _JUNK.sub("", clean(_LINE_END.sub("\n", text)))


def each_text(value: Any, change: Callable[[str], str]) -> Any:
    """Returns the JSON value with every text in it changed, the names of fields included.

    Raises:
        RecursionError: it is nested hundreds of levels deep.
    """
    match value:
        case str():
            return change(value)
        case list():
            return [each_text(item, change) for item in cast("list[Any]", value)]
        case dict():
            return {change(name): each_text(item, change) for name, item in cast("dict[str, Any]", value).items()}
        case _:
            return value


def left_out(count: int, total: int, what: str, more: str = LESS) -> str:
    """Returns the mark at which something was cut.

    Args:
        count: how many are missing.
        total: how many there were.
        what: what they are, in the plural.
        more: how to ask for them, as a sentence.
    """
    return f"[cut: {count} of {total} {what} left out. {more}]"


def cut(text: str, limit: int) -> str:
    """Cuts `text` to about `limit` characters and says how much is missing, so that the model can ask for the rest."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… {left_out(len(text) - limit, len(text), 'characters')}"
