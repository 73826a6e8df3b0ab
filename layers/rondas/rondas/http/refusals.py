"""What the store refuses, as the problems an app can act on."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver

from rondas.http.problems import Code, Problem, Words, answer
from rondas.replies import quota_detail, too_many_runs_detail
from rondas.store.allowance import QuotaExceeded, TooManyRuns
from rondas.store.claim import ConversationBusy, InProgress, KeyReused
from rondas.store.run import ConversationErased, LeaseLost

RETRY_SECONDS = 3.0
"""At most: a message is usually answered long before its lease ends, and asking again costs one read."""


def answer_refusals(app: APIGatewayHttpResolver) -> None:
    """Lets the resolver answer the refusals of a claim."""
    answer(app, InProgress, _in_progress)
    answer(app, LeaseLost, _lease_lost)
    answer(app, ConversationErased, _erased)
    answer(app, ConversationBusy, _busy)
    answer(app, KeyReused, _key_reused)
    answer(app, QuotaExceeded, _quota_exceeded)
    answer(app, TooManyRuns, _too_many_runs)


def _in_progress(error: InProgress) -> Problem:
    words = Words(
        "This message is being answered. Send it again with the same key.",
        "Este mensaje se está respondiendo. Envíalo de nuevo con la misma clave.",
    )
    return _conflict("in_progress", words, error.retry_after)


def _lease_lost(_error: LeaseLost) -> Problem:
    words = Words(
        "This message has been taken up again. Send it again with the same key.",
        "Este mensaje se ha retomado en otro proceso. Envíalo de nuevo con la misma clave.",
    )
    return _conflict("in_progress", words, RETRY_SECONDS)


def _erased(_error: ConversationErased) -> Problem:
    """Answers 404, not 409: an app that sends the message again would begin the conversation anew."""
    words = Words(
        "This conversation is being deleted. Do not send the message again.",
        "Esta conversación se está borrando. No envíes de nuevo el mensaje.",
    )
    return Problem(HTTPStatus.NOT_FOUND, "not_found", words)


def _busy(error: ConversationBusy) -> Problem:
    words = Words(
        "Another message of this conversation is being answered. Send this one again afterwards.",
        "Se está respondiendo otro mensaje de esta conversación. Envía este de nuevo después.",
    )
    return _conflict("conversation_busy", words, error.retry_after)


def _key_reused(_error: KeyReused) -> Problem:
    words = Words(
        "This Idempotency-Key was used for another text. Make a new one for a new message.",
        "Esta Idempotency-Key ya se usó con otro texto. Crea una nueva para un mensaje nuevo.",
    )
    return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_request", words)


def _quota_exceeded(error: QuotaExceeded) -> Problem:
    words = Words(quota_detail("en", error.retry_after), quota_detail("es", error.retry_after))
    return Problem(HTTPStatus.TOO_MANY_REQUESTS, "quota_exceeded", words, error.retry_after)


def _too_many_runs(error: TooManyRuns) -> Problem:
    words = Words(too_many_runs_detail("en"), too_many_runs_detail("es"))
    return Problem(HTTPStatus.TOO_MANY_REQUESTS, "too_many_runs", words, min(error.retry_after, RETRY_SECONDS))


def _conflict(code: Code, detail: Words, retry_after: float) -> Problem:
    return Problem(HTTPStatus.CONFLICT, code, detail, min(retry_after, RETRY_SECONDS))
