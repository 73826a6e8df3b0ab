"""Reading JSON that somebody else wrote: whatever stands there, each reader returns the type it names."""

import json
import re
from math import isfinite
from typing import Any, cast

from rondas.text import clean, each_text

type Json = dict[str, Any]

_MOST_TOKENS = 10**9

_UNFIT = re.compile(r"\\u(d[89a-f]|0000)", re.IGNORECASE)


def read_object(raw: bytes | str) -> Json:
    """Reads a JSON object, without lone surrogates and NULs: they could be neither stored nor sent back.

    A number that JSON cannot write becomes a text: where it is an argument, the model is told that it is none.

    Raises:
        ValueError: it is no JSON object, or an empty one.
    """
    text = raw if isinstance(raw, str) else raw.decode()
    value = json.loads(text, parse_constant=_finite, parse_float=_finite)
    if _UNFIT.search(text):
        value = each_text(value, clean)
    if not isinstance(value, dict) or not value:
        raise ValueError("no JSON object")
    return cast("Json", value)


def _finite(text: str) -> float | str:
    number = float(text)
    return number if isfinite(number) else f"({text})"


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
    """Returns the number of tokens, or 0 where it is none."""
    return value if isinstance(value, int) and 0 < value < _MOST_TOKENS else 0
