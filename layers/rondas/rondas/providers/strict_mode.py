"""Which tools OpenAI can hold the model to: its strict mode takes a part of JSON Schema only."""

from rondas.providers.wire import Json, as_object, as_objects

_KEYWORDS = frozenset(
    {"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs"}
    | {
        "description",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    }
)
"""What strict mode surely takes. It refuses the whole request for a keyword it does not know."""


def fits_strict_mode(schema: Json) -> bool:
    """Whether a tool with these arguments may be declared as strict."""
    return schema.get("type") == "object" and _fits(schema)


def _fits(schema: Json) -> bool:
    """Whether objects are closed with all properties required, and nothing unusual is in the schema."""
    properties = as_object(schema.get("properties"))
    closed = schema.get("additionalProperties") is False and set(schema.get("required", ())) == set(properties)
    below = [*properties.values(), *as_object(schema.get("$defs")).values(), *as_objects(schema.get("anyOf"))]
    if schema.get("type") == "array":
        below.append(schema.get("items"))
    return (
        _KEYWORDS.issuperset(schema)
        and not schema.keys().isdisjoint(("type", "anyOf", "$ref"))
        and ("$ref" not in schema or len(schema) == 1)
        and (closed or schema.get("type") != "object")
        and all(_fits(as_object(part)) for part in below)
    )
