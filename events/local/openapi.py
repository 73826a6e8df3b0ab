"""`make openapi`: the OpenAPI document of the HTTP API, made from the functions' own routes and models.

Powertools knows what the routes take and give. What stands around them is added here: the authorizer, every error with
what an app does about it, and the answers that API Gateway gives itself.
"""

import inspect
import json
import os
import re
from typing import Any, cast, get_args

from aws_lambda_powertools.event_handler.openapi.merge import OpenAPIMerge

from local.api_errors import POST, statuses_of
from local.api_examples import KEY, REQUEST
from local.function import load
from local.json_values import Json
from local.openapi_answers import accepted, error, success
from local.template import ROOT, Template
from rondas.http.problems import Code

DOCUMENT = ROOT / "functions" / "openapi.json"
"""Where it is checked in."""

VERSION = "1"

ABOUT = """\
A chat assistant that always answers. An app sends a message, and gets the assistant's reply or an honest word about the
limit that it reached; it lists, reads and erases the person's conversations.

An app goes by the status first, then by the `code` of the body (`application/problem+json`, RFC 9457); `detail` is a
sentence for a person, in English or Spanish as `Accept-Language` asks. What API Gateway answers itself has no code but
a bare `{"message": …}`, and no `Retry-After`: an app waits a second then, and twice as long every time after.

A message is sent again with the `Idempotency-Key` it had: it is then answered once, however often it is sent.

Where an answer may take minutes, the app sends `Prefer: respond-async`: it is let go with 202, and looks for the reply
at `Location`, or waits until it is told that there is one."""

SETTINGS = {
    "AWS_DEFAULT_REGION": "eu-west-1",
    "TABLE_NAME": "none",
    "COACH_TABLE_NAME": "none",
    "MODELS": "anthropic:none",
    "ANTHROPIC_API_KEY": "none",
}
"""What the functions want to be told before they can be imported. Nothing is asked of any of it."""

UUID = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"

LANGUAGE: Json = {
    "name": "Accept-Language",
    "in": "header",
    "required": False,
    "description": "The language of errors and of the service's own sentences: Spanish or English.",
    "schema": {"type": "string"},
    "example": "es",
}
PROBLEM: Json = {
    "type": "object",
    "description": "An error of the service (RFC 9457).",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string", "const": "about:blank"},
        "title": {"type": "string", "description": "The status in words."},
        "status": {"type": "integer"},
        "code": {
            "type": "string",
            "enum": list(get_args(Code.__value__)),
            "description": "What went wrong, for the app's code. A code never changes its meaning.",
        },
        "detail": {"type": "string", "description": "What went wrong and what to do, for a person."},
        "message_id": {"type": "string", "description": "With `model_unavailable`: the key to send it again with."},
        "conversation_id": {"type": "string", "description": "With `model_unavailable`."},
    },
}
GATEWAY_MESSAGE: Json = {
    "type": "object",
    "description": "An answer of API Gateway itself.",
    "required": ["message"],
    "properties": {"message": {"type": ["string", "null"]}},
}
SECURITY: Json = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "JWT",
    "description": "A token of the identity provider named at deployment; of `make -s token` for `make serve`.",
}


def document() -> Json:
    """Returns the document."""
    routes = _routes(Template.read())
    schemas = {name: _schema(schema) for name, schema in routes["components"]["schemas"].items()}
    # Powertools' own form of an error, which the resolver never answers with
    ours = {name: schema for name, schema in schemas.items() if "ValidationError" not in name}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Rondas",
            "version": VERSION,
            "description": ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [
            {
                "url": "{address}",
                "description": "`ApiUrl` of the deployed stack, or where `make serve` listens.",
                "variables": {"address": {"default": "http://127.0.0.1:3000"}},
            }
        ],
        "security": [{"jwt": []}],
        "paths": {
            path: {method: _operation(operation) for method, operation in sorted(operations.items())}
            for path, operations in sorted(routes["paths"].items())
        },
        "components": {
            "schemas": dict(sorted({**ours, "Problem": PROBLEM, "GatewayMessage": GATEWAY_MESSAGE}.items())),
            "securitySchemes": {"jwt": SECURITY},
        },
    }


def text() -> str:
    """Returns the document as it is checked in."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"


def _routes(template: Template) -> Json:
    """Returns what Powertools tells about the routes of all functions, as JSON."""
    os.environ.update(SETTINGS)
    merge = OpenAPIMerge(on_conflict="error")
    for name in sorted({route.function for route in template.routes}):
        module = load(template.functions[name]).module
        routes: Json = json.loads(module.app.get_openapi_json_schema())
        for operation in [each for path in routes["paths"].values() for each in path.values()]:
            operation["summary"] = inspect.getdoc(getattr(module, operation["operationId"]))
        merge.add_schema(routes)
    return cast("Json", _tidy(merge.get_openapi_schema()))


def _tidy(value: Any) -> Any:
    """Leaves out the titles that repeat a name, and writes whole numbers as such."""
    if isinstance(value, dict):
        known = cast("Json", value)
        return {name: _tidy(each) for name, each in known.items() if not (name == "title" and isinstance(each, str))}
    if isinstance(value, list):
        return [_tidy(each) for each in cast("list[Any]", value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _schema(schema: Json) -> Json:
    """Moves what a docstring says about an attribute to where a client looks for it."""
    about, _, attributes = schema.get("description", "").partition("\n\nAttributes:\n")
    if about:
        schema["description"] = about.replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n")
    for name, meaning in re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", attributes, re.MULTILINE):
        schema["properties"][name]["description"] = re.sub(r"\s*\n\s*", " ", meaning[0].upper() + meaning[1:])
    return schema


def _operation(operation: Json) -> Json:
    name = operation["operationId"]
    summary, _, more = operation["summary"].partition(".")
    parameters = [_parameter(each) for each in operation.get("parameters", [])]
    body = operation.get("requestBody")
    if body:
        body["content"]["application/json"]["example"] = REQUEST
    return {
        "operationId": name,
        "summary": f"{summary}.",
        **({"description": more.strip()} if more.strip() else {}),
        "parameters": [*parameters, LANGUAGE],
        **({"requestBody": body} if body else {}),
        "responses": {
            **{status: success(name, each) for status, each in operation["responses"].items() if status[0] == "2"},
            **({"202": accepted()} if name == POST else {}),
            **{str(status): error(name, status) for status in statuses_of(name)},
        },
    }


def _parameter(parameter: Json) -> Json:
    """Says optional in one way: a parameter that is not required has no further null."""
    schema = parameter["schema"]
    schema.pop("description", None)
    choices = [choice for choice in schema.pop("anyOf", []) if choice != {"type": "null"}]
    for choice in choices:
        schema.update(choice)
    if parameter["name"].lower() == "prefer":
        return {**parameter, "name": "Prefer", "schema": {"type": "string"}, "example": "respond-async, wait=10"}
    if parameter["name"].lower() == "idempotency-key":
        # A text for clients too: some that know UUIDs as a type of its own cannot write one into a header.
        return {**parameter, "name": "Idempotency-Key", "schema": {"type": "string", "pattern": UUID}, "example": KEY}
    return parameter


if __name__ == "__main__":
    print(text(), end="")
