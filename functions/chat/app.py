"""POST a message: HTTP in, one use case, HTTP out."""

from typing import Any
from uuid import uuid4

from aws_lambda_powertools.utilities.typing import LambdaContext

import coach
from rondas.assembly import assemble
from rondas.http.messages import ConversationId, IdempotencyKey, MessageIn, Reply
from rondas.http.problems import accept_language
from rondas.http.refusals import answer_refusals
from rondas.http.resolver import person, problem_resolver, resolve, seconds_left
from rondas.settings import Settings
from rondas.store.claim import Message

agent = assemble(Settings.read(required=coach.SETTINGS), prompt=coach.PROMPT, tools=coach.TOOLS)
app = problem_resolver()
answer_refusals(app)


@app.post("/conversations/<conversation_id>/messages", operation_id="post_message")
def post_message(conversation_id: ConversationId, body: MessageIn, idempotency_key: IdempotencyKey = None) -> Reply:
    """Answers a message of the person's."""
    message = Message(person(app), conversation_id, str(idempotency_key or uuid4()), body.cleaned())
    answer = agent.answer(
        message,
        remaining=seconds_left(app),
        accept_language=accept_language(app),
    )
    return Reply.of(message, answer)


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """What Lambda calls."""
    return resolve(app, event, context)
