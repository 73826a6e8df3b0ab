"""What the store refuses, as the problems an app can act on."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from rondas.http.problems import Problem
from rondas.replies import Language, language_of, quota_detail, too_many_runs_detail
from rondas.store.allowance import QuotaExceeded, TooManyRuns
from rondas.store.claim import ConversationBusy, InProgress, KeyReused
from rondas.store.run import LeaseLost

RETRY_SECONDS = 3.0
"""At most: a message is usually answered long before its lease ends, and asking again costs one read."""


def answer_refusals(app: APIGatewayHttpResolver) -> None:
    """Lets the resolver answer the refusals of a claim."""

    @app.exception_handler(InProgress)
    def in_progress(error: InProgress) -> Response[str]:
        detail = "This message is being answered. Send it again with the same key."
        return _conflict("in_progress", detail, error.retry_after)

    @app.exception_handler(LeaseLost)
    def lease_lost(_error: LeaseLost) -> Response[str]:
        detail = "This message has been taken up again. Send it again with the same key."
        return _conflict("in_progress", detail, RETRY_SECONDS)

    @app.exception_handler(ConversationBusy)
    def busy(error: ConversationBusy) -> Response[str]:
        detail = "Another message of this conversation is being answered. Send this one again afterwards."
        return _conflict("conversation_busy", detail, error.retry_after)

    @app.exception_handler(KeyReused)
    def key_reused(_error: KeyReused) -> Response[str]:
        detail = "This Idempotency-Key was used for another text. Make a new one for a new message."
        return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_request", detail).response()

    @app.exception_handler(QuotaExceeded)
    def quota_exceeded(error: QuotaExceeded) -> Response[str]:
        detail = quota_detail(_language(app), error.retry_after)
        return Problem(HTTPStatus.TOO_MANY_REQUESTS, "quota_exceeded", detail, error.retry_after).response()

    @app.exception_handler(TooManyRuns)
    def too_many_runs(error: TooManyRuns) -> Response[str]:
        wait = min(error.retry_after, RETRY_SECONDS)
        detail = too_many_runs_detail(_language(app))
        return Problem(HTTPStatus.TOO_MANY_REQUESTS, "too_many_runs", detail, wait).response()


def _language(app: APIGatewayHttpResolver) -> Language:
    return language_of("", app.current_event.headers.get("accept-language", ""))


def _conflict(code: str, detail: str, retry_after: float) -> Response[str]:
    return Problem(HTTPStatus.CONFLICT, code, detail, min(retry_after, RETRY_SECONDS)).response()
