"""The person's conversations: list them, read one, erase one."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from uuid import UUID

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.typing import LambdaContext

from rondas.http.conversations import (
    After,
    ConversationPage,
    MessagePage,
    MessageStatus,
    PageCursor,
    PageLimit,
    answer_missing,
    position,
)
from rondas.http.messages import ConversationId, MessageId
from rondas.http.resolver import person, problem_resolver, resolve, seconds_left
from rondas.settings import TableSettings
from rondas.snapshot import keep_out_of_snapshots
from rondas.store.erase import erase
from rondas.store.items import Keys
from rondas.store.message import MessageState, ask_to_stop, message_state
from rondas.store.reading import conversations, history
from rondas.store.table import Table, client

PAGE_ITEMS = 100

table = Table(TableSettings.read().table_name, client())
app = problem_resolver()
answer_missing(app)
keep_out_of_snapshots()


@app.get("/conversations", operation_id="get_conversations")
def get_conversations(limit: PageLimit = PAGE_ITEMS, cursor: PageCursor = None) -> ConversationPage:
    """Lists the person's conversations, the last active first."""
    return ConversationPage.of(conversations(table, person(app), after=position(cursor), limit=limit))


@app.get("/conversations/<conversation_id>/messages", operation_id="get_messages")
def get_messages(conversation_id: ConversationId, after: After = None, limit: PageLimit = PAGE_ITEMS) -> MessagePage:
    """Returns the history of a conversation in order, and of a message being answered as much as is done."""
    keys = Keys(person(app), conversation_id)
    return MessagePage.of(history(table, keys, after=-1 if after is None else after, limit=limit))


@app.get("/conversations/<conversation_id>/messages/<message_id>", operation_id="get_message")
def get_message(conversation_id: ConversationId, message_id: MessageId) -> Response[MessageStatus]:
    """Returns where a message stands, with the steps so far, and its reply when it has one."""
    return _told(conversation_id, message_id, message_state)


@app.delete("/conversations/<conversation_id>/messages/<message_id>", operation_id="stop_message")
def stop_message(conversation_id: ConversationId, message_id: MessageId) -> Response[MessageStatus]:
    """Asks a message that is being answered to begin no further step; one that has its reply stays as it is."""
    return _told(conversation_id, message_id, ask_to_stop)


@app.delete("/conversations/<conversation_id>", operation_id="delete_conversation", status_code=HTTPStatus.NO_CONTENT)
def delete_conversation(conversation_id: ConversationId) -> Response[None]:
    """Erases a conversation. Afterwards there is none, and where there was none already, all the same."""
    erase(table, Keys(person(app), conversation_id), lambda: seconds_left(app))
    return Response(HTTPStatus.NO_CONTENT)


def _told(
    conversation_id: str, message_id: UUID, look: Callable[[Table, Keys, str], MessageState]
) -> Response[MessageStatus]:
    keys, key = Keys(person(app), conversation_id), str(message_id)
    return MessageStatus.response(keys, key, look(table, keys, key))


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """What Lambda calls."""
    return resolve(app, event, context)
