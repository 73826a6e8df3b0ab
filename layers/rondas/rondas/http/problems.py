"""Errors as the app sees them: problem+json (RFC 9457) with a stable code, and nothing of the inside."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Literal

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from rondas.replies import Language, language_of

CONTENT_TYPE = "application/problem+json"

type Code = Literal[
    "invalid_request",
    "unauthorized",
    "not_found",
    "in_progress",
    "conversation_busy",
    "too_large",
    "quota_exceeded",
    "too_many_runs",
    "model_unavailable",
    "internal",
]
"""What went wrong, for the app's code. A code never changes its meaning."""


@dataclass(frozen=True, slots=True)
class Words:
    """The same sentence in each language."""

    en: str
    es: str

    def in_(self, language: Language) -> str:
        """Returns it in one."""
        return self.es if language == "es" else self.en


@dataclass(slots=True)
class Problem(Exception):  # noqa: N818 - the RFC's own word
    """An answer that is an error.

    Attributes:
        status: the HTTP status.
        code: what went wrong, for the app's code.
        detail: what went wrong and what to do, for a person who reads it.
        retry_after: seconds after which the same request makes sense; None where it never will.
        more: further members of the body.
    """

    status: HTTPStatus
    code: Code
    detail: Words
    retry_after: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def response(self, language: Language) -> Response[str]:
        """Returns it as the HTTP answer."""
        body = {
            "type": "about:blank",
            "title": self.status.phrase,
            "status": self.status.value,
            "code": self.code,
            "detail": self.detail.in_(language),
            **self.more,
        }
        headers = {} if self.retry_after is None else {"Retry-After": str(max(1, math.ceil(self.retry_after)))}
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        return Response(self.status.value, CONTENT_TYPE, text, headers=headers)


def answer[E: Exception](app: APIGatewayHttpResolver, kind: type[E], problem: Callable[[E], Problem]) -> None:
    """Lets the resolver answer a kind of exception as a problem, in the language that the app asks for."""

    def answered(error: E) -> Response[str]:
        return problem(error).response(language_of("", accept_language(app)))

    app.exception_handler(kind)(answered)


def accept_language(app: APIGatewayHttpResolver) -> str:
    """Returns the header that names the languages the app wants; empty where there is none."""
    return app.current_event.headers.get("accept-language", "")
