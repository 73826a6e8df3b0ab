"""Values that came in as JSON, taken for what they are expected to be: whatever else they are counts as empty."""

from typing import Any, cast

type Json = dict[str, Any]
"""A JSON object."""


def object_in(value: Any) -> Json:
    """Returns a JSON object; an empty one where there is none."""
    return cast("Json", value) if isinstance(value, dict) else {}


def objects_in(value: Any) -> list[Json]:
    """Returns the objects of a list."""
    items = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Json", item) for item in items if isinstance(item, dict)]
