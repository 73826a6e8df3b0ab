import json
from typing import Any

import pytest

from local.json_values import beginning_of

WHOLE: dict[str, Any] = {
    "name": 'a "b"',
    "weight": 12.5,
    "none": None,
    "list": [{"x": 1}, {"x": [2]}],
    "last": {"y": True},
}


@pytest.mark.parametrize("layout", [{}, {"separators": (",", ":")}, {"indent": 1}])
def test_of_a_whole_object_all_is_read(layout: dict[str, Any]) -> None:
    assert beginning_of(json.dumps(WHOLE, **layout)) == WHOLE


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("[1, 2]", {}),
        ("no JSON", {}),
        ('{"a": 12', {}),
        ('{"a": 12, "b', {"a": 12}),
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": [], "b": [{"x": 1}, {"x', {"a": [], "b": [{"x": 1}]}),
        ('{"a": "cut', {}),
    ],
)
def test_of_one_that_was_cut_what_is_whole_is_read(text: str, found: dict[str, Any]) -> None:
    assert beginning_of(text) == found


@pytest.mark.parametrize("length", range(len(json.dumps(WHOLE))))
def test_nothing_is_read_that_was_not_there(length: int) -> None:
    found = beginning_of(json.dumps(WHOLE)[:length] + "… [cut]")
    assert all(value == WHOLE[name] or value == WHOLE[name][: len(value)] for name, value in found.items())
