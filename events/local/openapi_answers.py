"""The answers of the OpenAPI document: when all is well, when a message is handed on, and every error."""

from http import HTTPStatus

from local.api_errors import GATEWAY, LOOK, POST, STOP, ApiError, errors_of
from local.api_examples import ACCEPTED, ACCEPTED_AT, ANSWERS, KEY
from local.json_values import Json
from rondas.http.messages import POLL_SECONDS
from rondas.http.problems import CONTENT_TYPE

_PROBLEM: Json = {"$ref": "#/components/schemas/Problem"}
_MESSAGE: Json = {"$ref": "#/components/schemas/GatewayMessage"}


def success(operation: str, response: Json) -> Json:
    """Returns an answer of an operation when all is well."""
    if operation not in ANSWERS:
        return {"description": "Done; there is no body."}
    response["description"] = "All is well."
    content = response["content"]["application/json"]
    content["example"] = ANSWERS[operation]
    if operation == POST:  # whose other answer is told apart by its status
        content["schema"] = {"$ref": "#/components/schemas/Reply"}
    if operation in (LOOK, STOP):
        about = "Where the message has not ended: whole seconds after which to look again."
        schema = {"type": "integer", "minimum": 1}
        response["headers"] = {"Retry-After": {"description": about, "schema": schema, "example": POLL_SECONDS}}
    return response


def accepted() -> Json:
    """Returns the answer to a message that was handed on."""
    headers = {
        "Location": ("Where to look how far the message is.", {"type": "string"}, ACCEPTED_AT),
        "Preference-Applied": ("What was done of `Prefer`.", {"type": "string"}, "respond-async, wait=10"),
        "Retry-After": ("Whole seconds after which to look.", {"type": "integer", "minimum": 1}, POLL_SECONDS),
    }
    return {
        "description": "The message goes on without the app, as it preferred. It looks for the reply at `Location`.",
        "headers": {
            name: {"description": about, "required": True, "schema": schema, "example": example}
            for name, (about, schema, example) in headers.items()
        },
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Accepted"}, "example": ACCEPTED}},
    }


def error(operation: str, status: int) -> Json:
    """Returns all that an operation answers with a status that is an error."""
    errors = errors_of(operation, status)
    message, operations = GATEWAY.get(status, ("", ()))
    by_gateway = operation in operations
    content: Json = {}
    if errors:
        examples = {error.code: {"value": _problem(error)} for error in errors}
        # Many clients read every body of a status as the first kind that is named for it.
        schema = {"oneOf": [_PROBLEM, _MESSAGE]} if by_gateway else _PROBLEM
        content[CONTENT_TYPE] = {"schema": schema, "examples": examples}
    if by_gateway:
        content["application/json"] = {"schema": _MESSAGE, "example": {"message": message}}
    told = [f"`{error.code}`: the app {error.app}." for error in errors]
    told += ["Without a code: API Gateway's own."] if by_gateway else []
    headers = _headers(status, errors, always=not by_gateway)
    return {
        "description": "\n\n".join(told),
        **({"headers": headers} if headers else {}),
        "content": content,
    }


def _problem(error: ApiError) -> Json:
    body = {"type": "about:blank", "title": HTTPStatus(error.status).phrase, "status": error.status}
    more = {"message_id": KEY, "conversation_id": ANSWERS[POST]["conversation_id"]}
    return {
        **body,
        "code": error.code,
        "detail": error.detail,
        **(more if error.code == "model_unavailable" else {}),
    }


def _headers(status: int, errors: list[ApiError], *, always: bool) -> Json:
    waits = [error.retry_after for error in errors if error.retry_after]
    if waits:
        about = "Whole seconds after which the same request makes sense."
        about += "" if always else " Always there with a `code`; API Gateway's own answer has none."
        schema = {"type": "integer", "minimum": 1}
        return {"Retry-After": {"description": about, "required": always, "schema": schema, "example": waits[0]}}
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        about = "Where it is known to pass: whole seconds after which the same request makes sense."
        return {"Retry-After": {"description": about, "schema": {"type": "integer", "minimum": 1}, "example": 3}}
    if status == HTTPStatus.UNAUTHORIZED:
        about = "Only in API Gateway's own answer."
        return {"WWW-Authenticate": {"description": about, "schema": {"type": "string"}, "example": "Bearer"}}
    return {}
