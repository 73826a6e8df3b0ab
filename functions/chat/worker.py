"""The worker: takes up what was handed on, one message at a time, with minutes in place of seconds."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from aws_lambda_powertools.utilities.typing import LambdaContext

import coach
from rondas.announce import NotAnnounced, announce_end
from rondas.assembly import assemble
from rondas.handover import HandedOn, HandoverFailed
from rondas.history import Answer
from rondas.pulse import LIFE_SECONDS
from rondas.queue import Queue
from rondas.settings import Settings
from rondas.store.claim import Gone, InProgress, Refused
from rondas.store.run import ConversationErased, LeaseLost
from rondas.store.table import StoreUnavailable
from rondas.wordless import wordless

PATIENCE_SECONDS = 30
"""How long it waits for whoever still holds the message: mostly the function that is just letting go of it."""

logger = logging.getLogger("rondas.worker")  # whose lines are the harness's

settings = Settings.read(required=[*coach.SETTINGS, "QUEUE_URL"])
agent = assemble(settings.for_worker(), prompt=coach.PROMPT, tools=coach.TOOLS, run_time="WorkerRunTime")
queue = Queue(settings.queue_url)


def handler(event: dict[str, Any], context: LambdaContext) -> None:
    """What Lambda calls with a message of the queue; whatever it raises, the queue delivers the message again."""
    with wordless(Refused, LeaseLost, StoreUnavailable, NotAnnounced):
        for record in event["Records"]:  # one: the queue's batches are of this size
            _handle(record, context)


def _handle(record: dict[str, Any], context: LambdaContext) -> None:
    message = HandedOn.model_validate_json(record["body"])
    keep = partial(queue.keep, record["receiptHandle"], LIFE_SECONDS)
    with suppress(HandoverFailed):  # it would only be missed later: at once, not after the longest run there may be
        keep()
    try:
        answer = _answer(message, context, keep)
    except (Gone, ConversationErased):
        logger.info("a message from the queue is not there any more")
    else:
        announce_end(message, answer.status)


def _answer(message: HandedOn, context: LambdaContext, keep: Callable[[], None]) -> Answer:
    for _ in range(PATIENCE_SECONDS):
        try:
            return agent.take_up(message, remaining=context.get_remaining_time_in_millis() / 1000, beat=keep)
        except InProgress:
            time.sleep(1)
    raise InProgress(1)
