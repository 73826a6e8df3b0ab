"""The resolver of a function: Powertools' routing and validation, every error a problem."""

import binascii
import json
import logging
import time
from functools import partial
from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver
from aws_lambda_powertools.event_handler.exceptions import NotFoundError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError
from aws_lambda_powertools.utilities.typing import LambdaContext

from rondas.budget import GATEWAY_SECONDS
from rondas.handover import HandoverFailed
from rondas.http.problems import Problem, Words, answer
from rondas.http.validation import invalid
from rondas.store.table import StoreUnavailable
from rondas.wordless import place

logger = logging.getLogger(__name__)

STORE_RETRY_SECONDS = 3.0
"""A table that does not answer mostly does again within moments; a mistake of ours does not pass by itself."""


def problem_resolver() -> APIGatewayHttpResolver:
    """Returns a resolver that validates what comes in and answers every error as problem+json."""
    app = APIGatewayHttpResolver(
        enable_validation=True,
        response_validation_error_http_code=HTTPStatus.INTERNAL_SERVER_ERROR,
        serializer=partial(json.dumps, ensure_ascii=False, separators=(",", ":")),
        json_body_deserializer=_read_json,
    )
    answer(app, Problem, _as_it_is)
    answer(app, RequestValidationError, invalid)
    answer(app, binascii.Error, _unreadable)
    answer(app, UnicodeDecodeError, _unreadable)
    answer(app, NotFoundError, _not_found)
    answer(app, Exception, _internal)
    return app


def resolve(app: APIGatewayHttpResolver, event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Answers an event. Bodies are JSON whatever their header says: curl and others declare a form unless told."""
    given: dict[str, str] = event.get("headers") or {}
    headers = {name: value for name, value in given.items() if name.lower() != "content-type"}
    return app.resolve({**event, "headers": {**headers, "content-type": "application/json"}}, context)


def seconds_left(app: APIGatewayHttpResolver) -> float:
    """Returns the seconds until the runtime or the gateway gives up on this request.

    The gateway counts from the arrival of the request, the start of a cold function included.
    """
    left = app.lambda_context.get_remaining_time_in_millis() / 1000
    arrived: Any = app.current_event.request_context.get("timeEpoch") or 0  # milliseconds
    waited = time.time() - arrived / 1000
    return min(left, GATEWAY_SECONDS - waited) if 0 <= waited < GATEWAY_SECONDS else left


def person(app: APIGatewayHttpResolver) -> str:
    """Returns who is asking: the `sub` that API Gateway's authorizer vouches for, and nothing else.

    Raises:
        Problem: 401, nobody is vouched for.
    """
    authorizer = app.current_event.request_context.authorizer
    sub = authorizer.jwt_claim.get("sub") if authorizer else None
    if not isinstance(sub, str) or not sub.strip():
        words = Words(
            "Sign in: the request carries no verified person.",
            "Inicia sesión: la petición no trae una identidad verificada.",
        )
        raise Problem(HTTPStatus.UNAUTHORIZED, "unauthorized", words)
    return sub


def _as_it_is(problem: Problem) -> Problem:
    return problem


def _unreadable(_error: Exception) -> Problem:
    words = Words("The body is not UTF-8 text.", "El cuerpo no es texto UTF-8.")
    return Problem(HTTPStatus.BAD_REQUEST, "invalid_request", words)


def _read_json(text: str) -> Any:
    """Reads a body; what is no JSON for us, such as a number of 5000 digits, is no JSON at all."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise json.JSONDecodeError(type(error).__name__, "", 0) from None


def _not_found(_error: NotFoundError) -> Problem:
    words = Words("There is nothing at this address.", "No hay nada en esta dirección.")
    return Problem(HTTPStatus.NOT_FOUND, "not_found", words)


def _internal(error: Exception) -> Problem:
    """Answers what is our own fault. The log says where it happened, not with which words of the person."""
    passes = isinstance(error, (StoreUnavailable, HandoverFailed))
    what = str(error) if passes else ""
    logger.error("unexpected %s %s at %s", type(error).__name__, what, place(error))
    retry_after = STORE_RETRY_SECONDS if passes else None
    words = Words(
        "Something went wrong on our side. Send the same request again.",
        "Algo ha fallado por nuestra parte. Envía de nuevo la misma petición.",
    )
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal", words, retry_after)
