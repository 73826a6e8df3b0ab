"""What the store refuses, as the problems an app can act on (DESIGN §7)."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from rondas.http.problems import Problem
from rondas.store.claim import ConversationBusy, InProgress, KeyReused
from rondas.store.run import LeaseLost

_LEASE_LOST_RETRY_SECONDS = 2.0


def answer_refusals(app: APIGatewayHttpResolver) -> None:
    """Lets the resolver answer the refusals of a claim."""

    @app.exception_handler(InProgress)
    def in_progress(error: InProgress) -> Response[str]:
        return _conflict(
            "in_progress", "This message is being answered. Send it again with the same key.", error.retry_after
        )

    @app.exception_handler(LeaseLost)
    def lease_lost(_error: LeaseLost) -> Response[str]:
        detail = "This message has been taken up again. Send it again with the same key."
        return _conflict("in_progress", detail, _LEASE_LOST_RETRY_SECONDS)

    @app.exception_handler(ConversationBusy)
    def busy(error: ConversationBusy) -> Response[str]:
        detail = "Another message of this conversation is being answered. Send this one again afterwards."
        return _conflict("conversation_busy", detail, error.retry_after)

    @app.exception_handler(KeyReused)
    def key_reused(_error: KeyReused) -> Response[str]:
        detail = "This Idempotency-Key was used for another text. Make a new one for a new message."
        return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_request", detail).response()


def _conflict(code: str, detail: str, retry_after: float) -> Response[str]:
    return Problem(HTTPStatus.CONFLICT, code, detail, retry_after).response()
