"""Reading JSON that somebody else wrote: whatever stands there, each reader returns the type it names."""

import json
from typing import Any, cast

from rondas.text import clean

type Json = dict[str, Any]


def read_object(raw: bytes) -> Json:
    """Returns the JSON object, or an empty one, without lone surrogates: they could be neither stored nor sent back.

    Raises:
        ValueError: it is no JSON, or holds a number that JSON cannot write.
    """
    value = json.loads(raw)
    return as_object(json.loads(clean(json.dumps(value, ensure_ascii=False, allow_nan=False))))


def as_object(value: Any) -> Json:
    """Returns the JSON object, or an empty one."""
    return cast("Json", value) if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[Json]:
    """Returns the objects of the JSON array, leaving out what is none."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]


def as_text(value: Any) -> str:
    """Returns the text, or an empty one."""
    return value if isinstance(value, str) else ""


def as_count(value: Any) -> int:
    """Returns the whole number, or 0."""
    return value if isinstance(value, int) else 0
