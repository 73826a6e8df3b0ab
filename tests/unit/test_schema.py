"""The schema of a tool's arguments: what is rewritten, and what is refused when the tool is made (rule L10)."""

import json
from decimal import Decimal
from enum import StrEnum
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from rondas.schema import schema_of
from rondas.tools import Arguments, tool


class Color(StrEnum):
    RED = "red"


class Plate(Arguments):
    """A plate."""

    kg: float


class Folder(Arguments):
    name: str
    folders: list["Folder"] = Field(default_factory=list["Folder"])


def test_a_model_stands_where_it_is_used_with_the_words_said_there() -> None:
    # Given a model and an enum that are used twice, with words of their own
    class Bar(Arguments):
        left: Plate = Field(description="The left one.")
        right: Plate
        color: Color = Field(Color.RED, description="Its color.")

    # When the schema is asked for
    schema = schema_of(Bar)
    # Then each stands where it is used
    plate = {"type": "object", "properties": {"kg": {"type": "number"}}, "required": ["kg"]}
    assert schema["properties"] == {
        "left": plate | {"additionalProperties": False, "description": "The left one."},
        "right": plate | {"additionalProperties": False, "description": "A plate."},
        "color": {"type": "string", "enum": ["red"], "default": "red", "description": "Its color."},
    }
    assert "$defs" not in schema


def test_what_only_some_services_know_is_said_in_other_words() -> None:
    class Choice(Arguments):
        one: Literal["a"]
        none: str | None = None
        any_of: Plate | Literal["bar"]
        price: Decimal

    properties = schema_of(Choice)["properties"]
    assert properties["one"] == {"type": "string", "enum": ["a"]}
    assert properties["none"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert properties["price"] == {"anyOf": [{"type": "number"}, {"type": "string"}]}
    assert properties["any_of"]["anyOf"][1] == {"type": "string", "enum": ["bar"]}


def test_values_are_no_schemas_even_where_they_look_like_one() -> None:
    # Given defaults and fields that are called like keywords
    class Odd(Arguments):
        title: str = "title"
        const: dict[str, str] = Field({"title": "a", "const": "b"})
        oneOf: str = Field("x", examples=[{"title": "y"}])  # noqa: N815 - the keyword

    # When the schema is asked for, then they are as they were
    properties = schema_of(Odd)["properties"]
    assert list(properties) == ["title", "const", "oneOf"]
    assert properties["const"]["default"] == {"title": "a", "const": "b"}
    assert properties["oneOf"]["examples"] == [{"title": "y"}]


def test_the_schema_is_the_same_text_each_time() -> None:
    assert json.dumps(schema_of(Plate)) == json.dumps(schema_of(Plate))


class Pair(Arguments):
    both: tuple[float, float]


class Accent(Arguments):
    peso: float = Field(alias="peso máximo")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (Folder, "Folder contains itself"),
        (Pair, "Pair: a tuple is nothing every model service knows; use a list or a model"),
        (Accent, "Accent.peso máximo: an argument's name is"),
    ],
)
def test_arguments_that_some_service_refuses_are_refused_when_the_tool_is_made(
    arguments: type[BaseModel], message: str
) -> None:
    # Given arguments that not every service takes
    def use(_arguments: BaseModel) -> Plate:
        """Uses them."""
        return Plate(kg=1)

    use.__annotations__["_arguments"] = arguments
    # When a tool is made of it, then the message says what to change
    with pytest.raises(TypeError, match=message):
        tool(use)
