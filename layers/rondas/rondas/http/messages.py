"""A message as it comes over HTTP, and the reply as it goes back."""

import unicodedata
from http import HTTPStatus
from typing import Annotated, Literal, Self
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Header, Path
from pydantic import BaseModel, ConfigDict, Field

from rondas.history import Answer, Status, Usage
from rondas.http.problems import Problem, Words
from rondas.store.claim import Message
from rondas.text import clean

MAX_TEXT_CHARS = 8_000
"""A long letter. What is longer is no chat message, and would cost money at every round."""

MODEL_RETRY_SECONDS = 5.0

_UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Zs"}
"""Kinds of characters of which nothing is seen: blanks, and the zero-width space and its like, which `strip` leaves."""

ConversationId = Annotated[
    str,
    Path(pattern="^[A-Za-z0-9_-]{1,64}$", description="Made by the app, such as a UUID."),
]
IdempotencyKey = Annotated[
    UUID | None,
    Header(alias="Idempotency-Key", description="A UUID the app makes for the message and sends again with a retry."),
]


class MessageIn(BaseModel):
    """What the app sends."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="What the person wrote.")

    def cleaned(self) -> str:
        """Returns the text, fit to be stored and sent.

        Raises:
            Problem: 422 where there is nothing to answer, 413 where there is too much.
        """
        text = clean(self.text).strip()
        if all(unicodedata.category(char) in _UNSEEN for char in text):
            words = Words("text: there is nothing in it to answer.", "text: no hay nada a lo que responder.")
            raise Problem(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid_request", words)
        if len(text) > MAX_TEXT_CHARS:
            words = Words(
                f"text: {len(text)} characters are too many; {MAX_TEXT_CHARS} are allowed.",
                f"text: {len(text)} caracteres son demasiados; se admiten {MAX_TEXT_CHARS}.",
            )
            raise Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", words)
        return text


MessageId = Annotated[
    UUID,
    Path(description="The `message_id` of the reply: the message's Idempotency-Key, or the one made for it."),
]

POLL_SECONDS = 2
"""After which an app may look again how far a message is. Looking costs two reads."""


class Accepted(BaseModel):
    """What the app gets for a message that goes on without it; where to look for it is in `Location`."""

    status: Literal["running"] = "running"
    message_id: str
    conversation_id: str


class UsageOut(BaseModel):
    """The tokens of the whole message, counted alike for every provider."""

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int

    @classmethod
    def of(cls, usage: Usage) -> Self:
        """Returns tokens as they go out."""
        return cls(
            input_tokens=usage.input,
            cached_tokens=usage.cached,
            output_tokens=usage.output,
            reasoning_tokens=usage.reasoning,
        )


class Reply(BaseModel):
    """What the app gets.

    Attributes:
        model: who wrote the reply, as `provider:model`; null where it is a fixed sentence of the service.
    """

    status: Status
    reply: str
    rounds: int
    model: str | None
    usage: UsageOut
    message_id: str
    conversation_id: str

    @classmethod
    def of(cls, message: Message, answer: Answer) -> Self:
        """Returns the reply to a message.

        Raises:
            Problem: 503, no model could answer; the same message may be sent again.
        """
        if answer.is_retryable:
            raise Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "model_unavailable",
                Words(answer.text, answer.text),  # in the person's language already
                MODEL_RETRY_SECONDS,
                {"message_id": message.key, "conversation_id": message.conversation},
            )
        return cls(
            status=answer.status,
            reply=answer.text,
            rounds=answer.rounds,
            model=answer.model or None,
            usage=UsageOut.of(answer.usage),
            message_id=message.key,
            conversation_id=message.conversation,
        )


def replied(message: Message, answer: Answer) -> Response[Reply | Accepted]:
    """Returns 200 with the reply. Raises as `Reply.of`."""
    return Response(HTTPStatus.OK, "application/json", Reply.of(message, answer))


def accepted(message: Message, applied: str) -> Response[Reply | Accepted]:
    """Returns 202 for a message that goes on, with where to look for it, and what was `applied` of the preference."""
    headers = {
        "Location": f"/conversations/{message.conversation}/messages/{message.key}",
        "Preference-Applied": applied,
        "Retry-After": str(POLL_SECONDS),
    }
    body = Accepted(message_id=message.key, conversation_id=message.conversation)
    return Response(HTTPStatus.ACCEPTED, "application/json", body, headers=headers)
