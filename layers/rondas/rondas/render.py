"""A tool's result as the model sees it: what its result model names, as plain and short JSON."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from enum import Enum
from functools import cache
from itertools import islice
from typing import Any, cast

from pydantic import BaseModel, TypeAdapter
from pydantic_core import to_jsonable_python

from rondas.excerpt import excerpt, written
from rondas.markup import without_markup
from rondas.text import each_named, each_text, readable
from rondas.tools import Tool

_DEEPEST = 50
"""Nothing that a model should read is nested deeper; an object that contains itself is."""

_MOST_YIELDED = 100_000
"""An iterator that yields more may well never end."""

_MOST_EXACT = 2**53
"""Beyond it a float stands for more than one whole number."""


class Unfit(Exception):  # noqa: N818 - what the result is
    """A tool returned what its result model does not describe, or what no JSON can say."""


def rendered(tool: Tool, returned: object, limit: int) -> str:
    """Writes what a tool returned, in about `limit` characters at most.

    What the annotated result model does not name is dropped, and None with it. A set becomes a list in a fixed order,
    an iterator a list, a Decimal its digits, a number that is none (NaN, infinity) is left out like None, and bytes
    are text where they are UTF-8. Texts are cleaned, those that are HTML reduced to their words.

    Raises:
        Unfit: it is something else than the result model, or contains itself.
    """
    try:
        return excerpt(each_text(_plain(_named(tool.result, returned)), _shown), limit, tool.more)
    except Exception as error:  # noqa: BLE001 - what a tool returns may raise whatever it likes
        # The message of the error may hold what the tool returned.
        raise Unfit(f"{type(returned).__name__}, {type(error).__name__}") from None


def _named(model: type[BaseModel], returned: object) -> Any:
    """Returns the fields that the model names, whatever `returned` has beside them."""
    adapter = _adapter(model)
    result = returned if isinstance(returned, model) else adapter.validate_python(returned)
    return adapter.dump_python(result, warnings="error")


@cache
def _adapter(model: type[BaseModel]) -> TypeAdapter[BaseModel]:
    return TypeAdapter(model)


def _plain(value: Any, depth: int = 0) -> Any:
    """Returns the value in nothing but what JSON knows."""
    if depth > _DEEPEST:
        raise ValueError("nested too deep, or without end")
    match value:
        case str() | bytes() | bytearray() | memoryview():
            return _leaf(value)
        case Mapping():
            return _fields(cast("Mapping[Any, Any]", value), depth)
        case AbstractSet():
            return sorted(_items(cast("AbstractSet[Any]", value), depth), key=written)
        case list() | tuple():
            return _items(cast("list[Any]", value), depth)
        case Sequence() | Iterator():
            return _items(_bounded(cast("Iterable[Any]", value)), depth)
        case _:
            return _leaf(value)


def _fields(fields: Mapping[Any, Any], depth: int) -> dict[str, Any]:
    plain = ((_name(name), _plain(value, depth + 1)) for name, value in fields.items())
    return each_named((name, value) for name, value in plain if value is not None)


def _name(name: Any) -> str:
    """Returns the name of a field: a text as it is, anything else as JSON writes it."""
    leaf = _leaf(name)
    return leaf if isinstance(leaf, str) else written(leaf)


def _items(items: Iterable[Any], depth: int) -> list[Any]:
    return [_plain(item, depth + 1) for item in items]


def _bounded(items: Iterable[Any]) -> list[Any]:
    taken = list(islice(items, _MOST_YIELDED + 1))
    if len(taken) > _MOST_YIELDED:
        raise ValueError("an iterator without end")
    return taken


def _leaf(value: Any) -> Any:
    match value:
        case Enum():  # first, for it may be a text or a number as well, which would show its name
            return _leaf(value.value)
        case float():
            return _number(value)
        case Decimal():
            return str(value) if value.is_finite() else None
        case bytes() | bytearray() | memoryview():
            return bytes(cast("bytes", value)).decode("utf-8", "replace")
        case None | bool() | int() | str():
            return value
        case _:  # a date, a UUID, a secret that shows itself as stars
            return to_jsonable_python(value)


def _number(value: float) -> float | None:
    """Returns the number, without the `.0` that says nothing in JSON; None where it is none."""
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _MOST_EXACT else value


def _shown(text: str) -> str:
    return readable(without_markup(text))
