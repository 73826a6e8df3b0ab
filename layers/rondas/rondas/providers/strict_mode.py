"""Which tools OpenAI can hold the model to: its strict mode takes a part of JSON Schema only."""

from rondas.providers.wire import Json, as_object, as_objects

_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "description"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"}
)
"""What strict mode surely takes. It refuses the whole request for a keyword it does not know."""


def fits_strict_mode(schema: Json) -> bool:
    """Whether a tool with these arguments (see `rondas.schema`) may be declared as strict."""
    return schema.get("type") == "object" and _fits(schema)


def _fits(schema: Json) -> bool:
    """Whether objects are closed with all properties required, and nothing unusual is in the schema."""
    properties = as_object(schema.get("properties"))
    closed = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(properties)
    choices = as_objects(schema.get("anyOf"))
    below = [*properties.values(), *choices]
    if schema.get("type") == "array":
        below.append(schema.get("items"))
    return (
        _KEYWORDS.issuperset(schema)
        and not schema.keys().isdisjoint(("type", "anyOf"))
        and (closed or schema.get("type") != "object")
        and _begin_differently(choices)
        and all(_fits(as_object(part)) for part in below)
    )


def _begin_differently(choices: list[Json]) -> bool:
    """Whether no two of the objects to choose from have the same first property: OpenAI refuses those."""
    first = [next(iter(as_object(choice["properties"])), "") for choice in choices if "properties" in choice]
    return len(set(first)) == len(first)
