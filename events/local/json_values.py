"""Values that came in as JSON, taken for what they are expected to be: whatever else they are counts as empty."""

import json
import re
from contextlib import suppress
from typing import Any, cast

type Json = dict[str, Any]
"""A JSON object."""

_BETWEEN = re.compile(r"[\s,:]*")


def object_in(value: Any) -> Json:
    """Returns a JSON object; an empty one where there is none."""
    return cast("Json", value) if isinstance(value, dict) else {}


def objects_in(value: Any) -> list[Json]:
    """Returns the objects of a list."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def beginning_of(text: str) -> Json:
    """Returns what a JSON object that was cut off still holds: its whole members, and the whole items of a list."""
    found: Json = {}
    place = 1
    with suppress(ValueError):
        while text.startswith("{"):
            name, place = _next(text, place)
            start = _BETWEEN.match(text, place)
            if start and text.startswith("[", start.end()):
                found[name] = items = list[Any]()
                place = _read_items(text, start.end() + 1, items)
            else:
                found[name], place = _next(text, place)
    return found


def _read_items(text: str, place: int, items: list[Any]) -> int:
    """Reads a list into `items` as far as it goes; returns where it ends.

    Raises:
        ValueError: it was cut off.
    """
    while not text.startswith("]", place):
        item, place = _next(text, place)
        items.append(item)
        place += len(text[place:]) - len(text[place:].lstrip())
    return place + 1


def _next(text: str, place: int) -> tuple[Any, int]:
    between = _BETWEEN.match(text, place)
    value, end = json.JSONDecoder().raw_decode(text, between.end() if between else place)
    if isinstance(value, int | float) and not text[end:].lstrip().startswith((",", "}", "]")):
        raise ValueError("a number that may have had more digits")
    return value, end
