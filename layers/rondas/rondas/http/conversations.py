"""Conversations and their history as they go over HTTP."""

import base64
import binascii
import json
import re
from http import HTTPStatus
from typing import Annotated, Any, Literal, Self

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response
from aws_lambda_powertools.event_handler.openapi.params import Query
from pydantic import BaseModel, Field

from rondas.history import Answer, Outcome, Round, Status, UserMessage
from rondas.http.messages import POLL_SECONDS, UsageOut
from rondas.http.problems import Problem, Words, answer
from rondas.store.erase import EraseUnfinished
from rondas.store.items import MAX_SEQ, Keys, StoredEntry
from rondas.store.message import MessageNotFound, MessageState, Progress
from rondas.store.reading import ConversationNotFound, HistoryPage, Listed, ListPage

MAX_PAGE_ITEMS = 1_000

ERASE_RETRY_SECONDS = 1.0


def answer_missing(app: APIGatewayHttpResolver) -> None:
    """Lets the resolver answer for a conversation that is not there, and for one that is not all gone."""
    answer(app, ConversationNotFound, _not_found)
    answer(app, MessageNotFound, _no_message)
    answer(app, EraseUnfinished, _unfinished)


def _not_found(_error: ConversationNotFound) -> Problem:
    words = Words("You have no such conversation.", "No tienes ninguna conversación así.")
    return Problem(HTTPStatus.NOT_FOUND, "not_found", words)


def _no_message(_error: MessageNotFound) -> Problem:
    words = Words("You have no such message.", "No tienes ningún mensaje así.")
    return Problem(HTTPStatus.NOT_FOUND, "not_found", words)


def _unfinished(_error: EraseUnfinished) -> Problem:
    words = Words(
        "This conversation is very long, and part of it is still to be deleted. Send the request again.",
        "Esta conversación es muy larga y queda una parte por borrar. Envía la petición de nuevo.",
    )
    return Problem(HTTPStatus.CONFLICT, "in_progress", words, ERASE_RETRY_SECONDS)


PageLimit = Annotated[int, Query(ge=1, le=MAX_PAGE_ITEMS, description="The most items a page may hold.")]
After = Annotated[
    int | None,
    Query(
        ge=0,
        le=MAX_SEQ,
        description="Where the page begins: behind the item with this `seq`. To page, the `next` of the page before. "
        "To catch up, the `seq` of the last item at hand that is not `running`.",
    ),
]
PageCursor = Annotated[str | None, Query(description="The `next` of the page before.")]


class ToolCallOut(BaseModel):
    """A tool the assistant asked for.

    Attributes:
        arguments: empty where the model wrote something that cannot be read.
        result: what the assistant was told; null as long as the call runs.
        outcome: `unknown` as long as the call runs, and where nobody saw its end.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    result: str | None
    outcome: Outcome


class MessageOut(BaseModel):
    """An item of the history.

    A message that was answered is: what the person wrote, a step of the assistant for each round of tools, the reply.
    While it is being answered, the steps appear one by one.

    Attributes:
        seq: its number in the conversation; the order is that of the numbers.
        status: how the message ended, on the reply; `running` on a step whose tools are at work, which will come again
            with their results; null on the other steps and on what the person wrote.
        created_at: ISO 8601, UTC.
    """

    seq: int
    role: Literal["user", "assistant"]
    text: str
    status: Status | Literal["running"] | None = None
    created_at: str
    tool_calls: list[ToolCallOut] = Field(default_factory=list[ToolCallOut])

    @classmethod
    def of(cls, stored: StoredEntry) -> Self:
        """Returns an entry as an item."""
        match stored.entry:
            case UserMessage(text):
                return cls(seq=stored.seq, role="user", text=text, created_at=stored.created_at)
            case Answer(text, status):
                return cls(seq=stored.seq, role="assistant", text=text, status=status, created_at=stored.created_at)
            case Round() as done:
                return cls(
                    seq=stored.seq,
                    role="assistant",
                    text=done.turn.text,
                    status="running" if done.is_open else None,
                    created_at=stored.created_at,
                    tool_calls=_tool_calls(done),
                )


class MessagePage(BaseModel):
    """A page of a history.

    Attributes:
        next: is `after` of the next page; null where there is nothing more now.
    """

    messages: list[MessageOut]
    next: int | None

    @classmethod
    def of(cls, page: HistoryPage) -> Self:
        """Returns a page as it goes out."""
        return cls(
            messages=[MessageOut.of(entry) for entry in page.entries],
            next=page.entries[-1].seq if page.more else None,
        )


class MessageStatus(BaseModel):
    """Where a message stands: at work, with the steps so far, or at its end, with the reply that its POST would get.

    Attributes:
        status: `running`; `interrupted`, where whoever was at work gives no sign of life and it has yet to be taken up
            again; else how it ended.
        reply: null as long as there is none.
        rounds: rounds of tools so far.
        model: who wrote the reply; null where it is a fixed sentence of the service, and as long as there is none.
        usage: null as long as it is not answered.
        steps: what the assistant did so far, in the form of the history.
    """

    status: Status | Progress
    reply: str | None
    rounds: int
    model: str | None
    usage: UsageOut | None
    message_id: str
    conversation_id: str
    steps: list[MessageOut]

    @classmethod
    def response(cls, keys: Keys, key: str, state: MessageState) -> Response[Self]:
        """Returns a message as it goes out, with the time to look again where it has not ended."""
        answer = state.answer
        body = cls(
            status=state.status,
            reply=answer.text if answer else None,
            rounds=answer.rounds if answer else len(state.rounds),
            model=(answer.model or None) if answer else None,
            usage=UsageOut.of(answer.usage) if answer else None,
            message_id=key,
            conversation_id=keys.conversation,
            steps=[MessageOut.of(each) for each in state.rounds],
        )
        headers = {} if answer else {"Retry-After": str(POLL_SECONDS)}
        return Response(HTTPStatus.OK, "application/json", body, headers=headers)


class ConversationOut(BaseModel):
    """A conversation in the list.

    Attributes:
        title: the beginning of its first message.
        updated_at: when its last message came; ISO 8601, UTC, as is `created_at`.
    """

    id: str
    title: str
    created_at: str
    updated_at: str

    @classmethod
    def of(cls, listed: Listed) -> Self:
        """Returns a conversation as it goes out."""
        return cls(
            id=listed.conversation, title=listed.title, created_at=listed.created_at, updated_at=listed.updated_at
        )


class ConversationPage(BaseModel):
    """A page of the list, the last active first.

    Attributes:
        next: is `cursor` of the next page; null where there is nothing more.
    """

    conversations: list[ConversationOut]
    next: str | None

    @classmethod
    def of(cls, page: ListPage) -> Self:
        """Returns a page as it goes out."""
        listed = page.conversations
        return cls(
            conversations=[ConversationOut.of(each) for each in listed],
            next=cursor_after(listed[-1]) if page.more else None,
        )


def _tool_calls(done: Round) -> list[ToolCallOut]:
    results = {result.call_id: result for result in done.results}
    return [
        ToolCallOut(
            id=call.id,
            name=call.name,
            arguments=call.arguments_object(),
            result=results[call.id].text if call.id in results else None,
            outcome=results[call.id].outcome if call.id in results else "unknown",
        )
        for call in done.turn.calls
    ]


def cursor_after(listed: Listed) -> str:
    """Returns the cursor of the page that begins after a conversation."""
    text = json.dumps([listed.updated_at, listed.conversation], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


_POSITION = re.compile(r'\["(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)","([A-Za-z0-9_-]{1,64})"\]', re.ASCII)


def position(cursor: str | None) -> tuple[str, str] | None:
    """Returns where a cursor points: time and id. It needs no signature, for it holds nothing about the person.

    Raises:
        Problem: 400, it is no cursor of ours.
    """
    if cursor is None:
        return None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):  # text that is no ASCII, no base64, no UTF-8
        text = ""
    if not (found := _POSITION.fullmatch(text)):
        words = Words(
            "cursor: is none of ours. Use the next of the page before, as it is.",
            "cursor: no es uno nuestro. Usa el next de la página anterior, tal cual.",
        )
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid_request", words)
    return found[1], found[2]
