"""Every error the HTTP API answers with: where, what it says, what an app does about it.

The README shows the same table to people; a test holds the two together.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from rondas.http.problems import Code

POST, LIST, READ, DELETE = "post_message", "get_conversations", "get_messages", "delete_conversation"
LOOK, STOP = "get_message", "stop_message"
ALL = (POST, LIST, READ, DELETE, LOOK, STOP)

MEND = "mends the request; `detail` names the field"
DROP = "drops it: the person has no such conversation, or has erased it"
FORGET = "drops it: the person has no such message, or it ended more than two days ago and is in the history alone"
RETRY = "sends the same request, a message with the same key, after `Retry-After` seconds"


@dataclass(frozen=True, slots=True)
class ApiError:
    """An answer of the functions.

    Attributes:
        operations: who may answer so.
        detail: an example of it.
        app: what the app does.
        retry_after: an example of the header, in seconds; None where there is none.
    """

    status: int
    code: Code
    operations: tuple[str, ...]
    detail: str
    app: str
    retry_after: int | None = None


ERRORS = (
    ApiError(400, "invalid_request", (POST,), "The body is not valid JSON.", MEND),
    ApiError(
        400,
        "invalid_request",
        (LIST,),
        "cursor: is none of ours. Use the next of the page before, as it is.",
        MEND,
    ),
    ApiError(
        401,
        "unauthorized",
        ALL,
        "Sign in: the request carries no verified person.",
        "signs the person in, then repeats it",
    ),
    ApiError(404, "not_found", (READ,), "You have no such conversation.", DROP),
    ApiError(404, "not_found", (LOOK, STOP), "You have no such message.", FORGET),
    ApiError(404, "not_found", (POST,), "This conversation is being deleted. Do not send the message again.", DROP),
    ApiError(404, "not_found", (DELETE,), "There is nothing at this address.", DROP),
    ApiError(409, "in_progress", (POST,), "This message is being answered. Send it again with the same key.", RETRY, 3),
    ApiError(
        409,
        "in_progress",
        (DELETE,),
        "This conversation is very long, and part of it is still to be deleted. Send the request again.",
        RETRY,
        1,
    ),
    ApiError(
        409,
        "conversation_busy",
        (POST,),
        "Another message of this conversation is being answered. Send this one again afterwards.",
        "waits for the message that is being answered, `Retry-After` seconds at a time, then sends this one",
        3,
    ),
    ApiError(
        413,
        "too_large",
        (POST,),
        "text: 8001 characters are too many; 8000 are allowed.",
        "shortens the text (8000 characters)",
    ),
    ApiError(422, "invalid_request", (POST,), "text: is missing.", MEND),
    ApiError(422, "invalid_request", (LIST, READ), "limit: should be at least 1.", MEND),
    ApiError(422, "invalid_request", (LOOK, STOP), "message_id: should be a UUID.", MEND),
    ApiError(422, "invalid_request", (DELETE,), "conversation_id: should match ^[A-Za-z0-9_-]{1,64}$.", MEND),
    ApiError(
        429,
        "quota_exceeded",
        (POST,),
        "You have used up what you may ask in one day. It starts anew at midnight UTC, in 3 h 20 min.",
        "tells the person to come back after `Retry-After` seconds, when the next day begins",
        12_000,
    ),
    ApiError(
        429,
        "too_many_runs",
        (POST,),
        "Other messages of yours are still being answered. Send this one again afterwards.",
        "sends the same message after `Retry-After` seconds, when another one of the person's has ended",
        3,
    ),
    ApiError(
        503,
        "model_unavailable",
        (POST,),
        "I couldn't answer this time. Please try again in a moment.",
        "sends the same message with the same key after `Retry-After` seconds, before any other",
        5,
    ),
    ApiError(
        500,
        "internal",
        ALL,
        "Something went wrong on our side. Send the same request again.",
        "sends the same request, a message with the same key, a few times at most",
    ),
)

GATEWAY = {
    400: ("Bad Request", ALL),
    401: ("Unauthorized", ALL),
    404: ("Not Found", (POST, READ, DELETE, LOOK, STOP)),
    413: ("Request Entity Too Large", (POST,)),
    429: ("Too Many Requests", ALL),
    500: ("Internal Server Error", ALL),
    503: ("Service Unavailable", ALL),
}
"""What API Gateway answers itself, as `{"message": …}`: of each status the message, and for which operations."""


def errors_of(operation: str, status: int) -> list[ApiError]:
    """Returns the errors that an operation answers with a status."""
    return [error for error in ERRORS if error.status == status and operation in error.operations]


def statuses_of(operation: str) -> Iterable[int]:
    """Returns the statuses of an operation that are errors, in their order."""
    of_gateway = {status for status, (_, operations) in GATEWAY.items() if operation in operations}
    return sorted(of_gateway | {error.status for error in ERRORS if operation in error.operations})
