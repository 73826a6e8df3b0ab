"""As much of a JSON value as fits into so many characters, as JSON that is whole and says what it lacks."""

import json
from bisect import bisect_right
from contextlib import suppress
from typing import Any, cast

from rondas.text import LESS, clean, cut, left_out

CUT = "[cut]"
"""The field that says how many fields of its object are missing."""

_SOME = 60
"""So many characters of a field beside its mark are worth showing; where there are fewer, the last fields go."""


def written(value: Any) -> str:
    """Writes the JSON value as compactly as JSON allows.

    Raises:
        ValueError: it holds a number that JSON cannot write.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def excerpt(value: Any, limit: int, more: str = LESS) -> str:
    """Writes the JSON value, in no more than `limit` characters.

    What fits is whole. Otherwise a text keeps its beginning. A list keeps its first items, each whole; only of an item
    that is too large by itself a part is shown. An object keeps its small fields whole, and its large ones share what
    they leave equally; only where there are too many fields the last ones go. Each cut is marked where it was made.

    Args:
        value: texts, numbers, booleans, None, lists and dicts with text as keys.
        limit: the most characters. Where not even a mark fits, the mark is returned all the same.
        more: how to ask for the rest, as a sentence.
    """
    text = written(value)
    if len(text) <= limit:
        return text
    try:
        return written(_Excerpt(more).part(value, limit))
    except _NoRoom:
        return written(left_out(len(text), len(text), "characters", more))


def excerpt_of(text: str, limit: int) -> str:
    """Cuts a result that is there as text to about `limit` characters: JSON by its structure, words after a beginning.

    It says what is missing, so that the model can ask for the rest.
    """
    with suppress(ValueError, RecursionError):  # it is no JSON
        value = json.loads(text)
        if isinstance(value, dict | list):
            return clean(excerpt(value, limit))
    return cut(text, limit)


class _NoRoom(Exception):  # noqa: N818 - how much there is, not a mistake
    """Not even a mark fits."""


class _Excerpt:
    """Every method is given what is too large, and returns a part that, written, takes no more than `room`.

    Raises:
        _NoRoom: there is none for any part.
    """

    def __init__(self, more: str) -> None:
        self._more = more

    def part(self, value: Any, room: int) -> Any:
        match value:
            case str():
                return self._text(value, room)
            case list():
                return self._items(cast("list[Any]", value), room)
            case dict():
                return self._fields(cast("dict[str, Any]", value), room)
            case _:  # half a number is another number
                raise _NoRoom

    def _text(self, text: str, room: int) -> str:
        def beginning(kept: int) -> str:
            return f"{text[:kept]}… {self._mark(len(text) - kept, len(text), 'characters')}"

        most = min(len(text), room)
        kept = bisect_right(range(most + 1), room, key=lambda kept: _size(beginning(kept))) - 1
        if kept < 0:
            raise _NoRoom
        return beginning(kept)

    def _items(self, items: list[Any], room: int) -> list[Any]:
        inside = room - len("[]")
        mark = _size(self._mark(len(items), len(items), "items"))
        left = inside - mark
        if left < 0:
            raise _NoRoom
        shown: list[Any] = []
        for item in items:
            left -= _size(item) + len(",")
            if left < 0:
                break
            shown.append(item)
        if not shown:
            with suppress(_NoRoom):
                shown.append(self.part(items[0], inside - mark - len(",") if len(items) > 1 else inside))
        missing = len(items) - len(shown)
        return [*shown, self._mark(missing, len(items), "items")] if missing else shown

    def _fields(self, fields: dict[str, Any], room: int) -> dict[str, Any]:
        inside = room - len("{}")
        mark = _size({CUT: self._mark(len(fields), len(fields), "fields")})
        shown: dict[str, Any] = {}
        for left in (inside, inside - mark):  # a mark is needed only where not all fields can be there in part
            shown = self._parts(fields, left)
            if len(shown) == len(fields) > 0:
                return shown
        if inside < mark:
            raise _NoRoom
        return {**shown, CUT: self._mark(len(fields) - len(shown), len(fields), "fields")}

    def _parts(self, fields: dict[str, Any], room: int) -> dict[str, Any]:
        sizes = self._first_fields(fields, room)
        share = _share(list(sizes.values()), room)
        shown: dict[str, Any] = {}
        for name, size in sizes.items():
            whole = size <= share
            with suppress(_NoRoom):
                shown[name] = fields[name] if whole else self.part(fields[name], share - _size(name) - len(":,"))
        return shown

    def _first_fields(self, fields: dict[str, Any], room: int) -> dict[str, int]:
        """Returns the sizes of the first fields, so many that each can be shown whole or in a part worth showing."""
        part = _size(self._mark(10**9, 10**9, "characters")) + _SOME
        sizes: dict[str, int] = {}
        for name, value in fields.items():
            around = _size(name) + len(":,")
            size = _size(value)
            room -= around + min(size, part)
            if room < 0:
                break
            sizes[name] = around + size
        return sizes

    def _mark(self, count: int, total: int, what: str) -> str:
        return left_out(count, total, what, self._more)


def _size(value: Any) -> int:
    return len(written(value))


def _share(sizes: list[int], room: int) -> int:
    """Returns the most that each may take, so that the large ones share equally what the small ones leave."""
    for place, size in enumerate(sorted(sizes)):
        share = room // (len(sizes) - place)
        if size > share:
            return share
        room -= size
    return max(sizes, default=0)
