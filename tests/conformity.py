"""Whether an answer of the HTTP API is one that the checked-in OpenAPI document names."""

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from local.openapi import DOCUMENT
from local.payload import Response
from rondas.http.problems import CONTENT_TYPE

type Json = dict[str, Any]


@cache
def document() -> Json:
    return json.loads(DOCUMENT.read_text(encoding="utf-8"))


@cache
def validator(schema: str) -> Draft202012Validator:
    """Validates against a schema, given as JSON, which may refer to those of the document."""
    return Draft202012Validator({**json.loads(schema), "components": document()["components"]})


def check_value(schema: Json, value: Any) -> None:
    validator(json.dumps(schema)).validate(value)  # pyright: ignore[reportUnknownMemberType]


def check_answer(method: str, path: str, answer: Response) -> None:
    """Fails where the document does not know such an answer of the operation."""
    responses: Json = document()["paths"][path][method.lower()]["responses"]
    assert str(answer.status) in responses, f"{method} {path} answers {answer.status}, which the document does not name"
    known: Json = responses[str(answer.status)]
    headers = dict(answer.headers)
    if "content" not in known:
        assert answer.body == b""
        return
    kind = headers["content-type"].partition(";")[0]
    body = json.loads(answer.body)
    check_value(known["content"][kind]["schema"], body)
    if kind == CONTENT_TYPE:
        check_value({"$ref": "#/components/schemas/Problem"}, body)
        assert body["status"] == answer.status
        assert body["code"] in known["content"][kind]["examples"], "the document has no such code"
        asks_to_wait = answer.status in (409, 429, 503)
        assert not asks_to_wait or int(headers["retry-after"]) >= 1
        assert "retry-after" not in headers or "Retry-After" in known.get("headers", {})
