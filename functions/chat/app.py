"""POST a message: HTTP in, one use case, HTTP out."""

from typing import Any
from uuid import uuid4

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.utilities.typing import LambdaContext

import coach
from rondas.assembly import assemble
from rondas.http.messages import (
    Accepted,
    ConversationId,
    IdempotencyKey,
    MessageIn,
    Reply,
    accepted,
    replied,
)
from rondas.http.preferences import Prefer, read_preferences
from rondas.http.problems import accept_language
from rondas.http.refusals import answer_refusals
from rondas.http.resolver import person, problem_resolver, resolve, seconds_left
from rondas.settings import Settings
from rondas.store.claim import InProgress, Message

agent = assemble(Settings.read(required=coach.SETTINGS), prompt=coach.PROMPT, tools=coach.TOOLS)
app = problem_resolver()
answer_refusals(app)


@app.post("/conversations/<conversation_id>/messages", operation_id="post_message")
def post_message(
    conversation_id: ConversationId, body: MessageIn, idempotency_key: IdempotencyKey = None, prefer: Prefer = None
) -> Response[Reply | Accepted]:
    """Answers a message of the person's, or hands it on where the app prefers that and says where to look for it."""
    message = Message(person(app), conversation_id, str(idempotency_key or uuid4()), body.cleaned())
    wanted = read_preferences(prefer)
    left, languages = seconds_left(app), accept_language(app)
    if not (wanted.respond_async and agent.settings.queue_url):
        return replied(message, agent.answer(message, remaining=left, accept_language=languages))
    try:
        answer = agent.answer_or_hand_on(message, wait=wanted.patience, remaining=left, accept_language=languages)
    except InProgress:  # the app that sent it again may as well look there
        answer = None
    if answer is None:
        return accepted(message, wanted.applied(agent.settings.time_budget_seconds))
    return replied(message, answer)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """What Lambda calls."""
    return resolve(app, event, context)
