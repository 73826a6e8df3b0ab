"""What is wrong with a request that does not fit its model, in words for the person who builds the app."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from rondas.http.problems import Problem, Words

_EXPECTED: Mapping[str, Words] = {
    "missing": Words("is missing", "falta"),
    "extra_forbidden": Words("is not known here", "no se conoce aquí"),
    "string_type": Words("should be a text", "debe ser un texto"),
    "string_pattern_mismatch": Words("should match {pattern}", "debe ajustarse a {pattern}"),
    "uuid_parsing": Words("should be a UUID", "debe ser un UUID"),
    "int_parsing": Words("should be a whole number", "debe ser un número entero"),
    "int_parsing_size": Words("is too large a number", "es un número demasiado grande"),
    "greater_than_equal": Words("should be at least {ge}", "debe ser como mínimo {ge}"),
    "less_than_equal": Words("should be at most {le}", "debe ser como máximo {le}"),
    "model_attributes_type": Words("should be a JSON object", "debe ser un objeto JSON"),
}
"""By pydantic's names of the mistakes."""

_OTHERWISE = Words("is not valid", "no es válido")


def invalid(error: RequestValidationError) -> Problem:
    """Returns what the app can mend: 400 where it is no JSON, 422 where it is, with the field and what is expected."""
    mistakes: Sequence[Mapping[str, Any]] = error.errors()
    if any(each.get("type") == "json_invalid" for each in mistakes):
        words = Words("The body is not valid JSON.", "El cuerpo no es JSON válido.")
        return Problem(HTTPStatus.BAD_REQUEST, "invalid_request", words)
    told = [_words(each) for each in mistakes]
    words = Words(f"{'; '.join(each.en for each in told)}.", f"{'; '.join(each.es for each in told)}.")
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_request", words)


def _words(mistake: Mapping[str, Any]) -> Words:
    place = _place(mistake.get("loc", ()))
    context: Mapping[str, Any] = mistake.get("ctx") or {}
    expected = _EXPECTED.get(mistake.get("type", ""), _OTHERWISE)
    return Words(
        f"{place or 'body'}: {expected.en.format_map(context)}",
        f"{place or 'cuerpo'}: {expected.es.format_map(context)}",
    )


def _place(location: tuple[Any, ...]) -> str:
    """Returns the name of a field as the app knows it: without saying whether it is in body, header or path."""
    return ".".join(map(str, location[1:]))
