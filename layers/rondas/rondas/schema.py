"""The JSON schema of a tool's arguments, in the words that every model service takes.

pydantic's schema is right, but not every service takes all of it. What is rewritten means the same; what is left out
is checked by pydantic when the call comes.
"""

import functools
import re
from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel

type Json = dict[str, Any]

_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_OF_NAMES = ("properties", "patternProperties")
_OF_VALUES = ("enum", "default", "examples", "required")


@functools.cache
def schema_of(arguments: type[BaseModel]) -> Json:
    """Returns the schema of a model; the same object each time, not to be changed.

    - A model used twice, or an enum, stands where it is used: Anthropic's and OpenAI's services refuse some references.
    - `oneOf` is `anyOf`, which OpenAI's strict mode knows, and `const` an `enum` of one, which Gemini knows.
    - No titles, no default that is null, no discriminator, and no pattern that looks around: not all regular
      expressions can.

    Raises:
        TypeError: a model that contains itself, a tuple, or a name of an argument that not every service takes.
    """
    schema = arguments.model_json_schema()
    return _Schema(arguments.__name__, schema.pop("$defs", {})).of(schema)


class _Schema:
    def __init__(self, owner: str, definitions: Mapping[str, Json]) -> None:
        self._owner = owner
        self._definitions = definitions
        self._within: tuple[str, ...] = ()

    def of(self, schema: Json) -> Json:
        """Returns one schema rewritten, with all that are in it."""
        if "prefixItems" in schema:
            raise TypeError(f"{self._owner}: a tuple is nothing every model service knows; use a list or a model")
        said: Json = self._definition(schema["$ref"]) if "$ref" in schema else {}
        for keyword, value in schema.items():
            said |= self._keyword(keyword, value)
        return said

    def _definition(self, reference: str) -> Json:
        name = reference.removeprefix("#/$defs/")
        if name in self._within:
            raise TypeError(f"{self._owner}: {name} contains itself; a model service needs arguments of a fixed depth")
        outside, self._within = self._within, (*self._within, name)
        try:
            return self.of(self._definitions[name])
        finally:
            self._within = outside

    def _keyword(self, keyword: str, value: Any) -> Json:  # noqa: PLR0911 - a table
        match keyword, value:
            case ("$ref" | "$defs" | "discriminator" | "title", _) | ("default", None):
                return {}
            case "pattern", str() if "(?" in value:
                return {}
            case "const", _:
                return {"enum": [value]}
            case "oneOf", list():
                return {"anyOf": self._each(cast("list[Any]", value))}
            case _, dict() if keyword in _OF_NAMES:
                return {keyword: {self._name(name): self.of(part) for name, part in cast("Json", value).items()}}
            case _, dict() if keyword not in _OF_VALUES:
                return {keyword: self.of(cast("Json", value))}
            case _, list() if keyword not in _OF_VALUES:
                return {keyword: self._each(cast("list[Any]", value))}
            case _:
                return {keyword: value}

    def _each(self, schemas: list[Any]) -> list[Any]:
        return [self.of(cast("Json", schema)) if isinstance(schema, dict) else schema for schema in schemas]

    def _name(self, name: str) -> str:
        if not _NAME.fullmatch(name):
            raise TypeError(f"{self._owner}.{name}: an argument's name is 1 to 64 of a-z, A-Z, 0-9, '_', '.' and '-'")
        return name
