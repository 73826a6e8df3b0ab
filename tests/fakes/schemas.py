"""What each service refuses of the schema of a tool's arguments, in its words.

Sources: Anthropic, "input_schema does not support oneOf, allOf, or anyOf at the top level" (claude-code 5319) and the
names and references of its documentation on custom tools; OpenAI, "array schema missing items" (fastcore 798), the
supported schemas of its structured outputs, openai-agents-python 1091; Google, the JSON Schema of generateContent.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from jsonschema import Draft202012Validator, SchemaError

from fakes.server import Json

_NAME = re.compile(r"^[a-zA-Z0-9_.-]{1,64}$")
_COMPOSED = {"oneOf", "anyOf", "allOf"}
_OF_DATA = {"default", "enum", "const", "examples", "required"}
_OF_NAMES = {"properties", "patternProperties", "$defs", "definitions"}

_NOT_STRICT = {
    "default", "oneOf", "allOf", "not", "patternProperties", "propertyNames", "uniqueItems", "prefixItems", "contains",
    "minLength", "maxLength", "minProperties", "maxProperties", "if", "then", "else", "discriminator",
    "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems",
}  # fmt: skip
_UNKNOWN_TO_GOOGLE = {"const", "discriminator", "definitions"}


def anthropic_problem(schema: Json) -> str | None:
    """Returns what the Messages API has against an `input_schema`."""
    if schema.get("type") != "object":
        return "input_schema.type: Field required"
    if _COMPOSED.intersection(schema):
        return "input_schema does not support oneOf, allOf, or anyOf at the top level"
    if not _is_valid(schema):
        return "JSON schema is invalid. It must match JSON Schema draft 2020-12"
    for node in nodes(schema):
        if "$ref" in node:
            return "input_schema does not support $ref"
        if wrong := [name for name in node.get("properties", {}) if not _NAME.match(name)]:
            return f"input_schema.properties: Property keys should match pattern: {wrong[0]!r}"
    return None


def openai_problem(schema: Json, *, strict: bool) -> str | None:
    """Returns what the Responses API has against the `parameters` of a function."""
    if schema.get("type") != "object" or {*_COMPOSED, "enum", "not"}.intersection(schema):
        return "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level."
    if not _is_valid(schema):
        return "schema is not a valid JSON Schema."
    problems = (problem for node in nodes(schema) if (problem := _openai_node_problem(node, strict=strict)))
    return next(problems, None)


def _openai_node_problem(node: Json, *, strict: bool) -> str | None:
    if node.get("type") == "array" and "items" not in node:
        return "array schema missing items."
    if not strict:
        return None
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        return "'additionalProperties' is required to be supplied and to be false."
    if sorted(node.get("properties", {})) != sorted(node.get("required", [])):
        return "'required' is required to be supplied and to be an array including every key in properties."
    if unknown := _NOT_STRICT.intersection(node):
        return f"'{min(unknown)}' is not permitted."
    if "$ref" in node and len(node) > 1:
        return f"$ref cannot have keywords {set(node) - {'$ref'}}."
    if "(?" in str(node.get("pattern", "")):
        return "regex lookarounds are not supported."
    if not {"type", "anyOf", "$ref", "enum", "const"}.intersection(node):
        return "schema must have a 'type' key."
    first = [next(iter(part.get("properties", {})), None) for part in node.get("anyOf", [])]
    if any(name is not None and first.count(name) > 1 for name in first):
        return "Objects provided via 'anyOf' must not share identical first keys."
    return None


def google_problem(schema: Json) -> str | None:
    """Returns what generateContent has against `parametersJsonSchema`."""
    if schema.get("type") != "object":
        return "parameters schema should be of type OBJECT."
    if not _is_valid(schema):
        return "the schema is not valid."
    for node in nodes(schema):
        if unknown := _UNKNOWN_TO_GOOGLE.intersection(node):
            return f'Unknown name "{min(unknown)}": Cannot find field.'
        if "$ref" in node and any(not keyword.startswith("$") for keyword in node):
            return "$ref does not allow other fields beside it."
    return None


def nodes(schema: Json) -> Iterator[Json]:
    """Yields the schema and all schemas in it."""
    yield schema
    for keyword, value in schema.items():
        if keyword in _OF_DATA:
            continue
        parts: list[Any] = list(cast("Json", value).values()) if keyword in _OF_NAMES else []
        parts += [value] if keyword not in _OF_NAMES else []
        parts += cast("list[Any]", value) if isinstance(value, list) else []
        for part in parts:
            if isinstance(part, dict):
                yield from nodes(cast("Json", part))


def _is_valid(schema: Json) -> bool:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True
