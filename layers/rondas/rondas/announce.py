"""Tells the rest of the world that a handed-on message has ended: an event on EventBridge, ids and status only."""

import functools
import json
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from rondas.handover import HandedOn
from rondas.history import Status

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_events.type_defs import PutEventsRequestEntryTypeDef

SOURCE = "rondas"
MESSAGE_ENDED = "rondas.message.ended"


class NotAnnounced(Exception):  # noqa: N818 - a state of the world
    """The event bus did not take an event. The text says what it said, in a word for the operator."""


@functools.cache
def client() -> "EventBridgeClient":
    """Returns the one EventBridge client of the process."""
    limits = Config(connect_timeout=0.5, read_timeout=2.0, retries={"mode": "standard", "total_max_attempts": 3})
    return boto3.client("events", config=limits)  # pyright: ignore[reportUnknownMemberType] - its other services


def announce_end(message: HandedOn, status: Status) -> None:
    """Puts `rondas.message.ended` on the account's own bus.

    It comes at least once: whoever gets it twice sees the same message.

    Raises:
        NotAnnounced: the bus did not take it.
        ClientError, BotoCoreError: it was not reached.
    """
    detail = {
        "person": message.person,
        "conversation_id": message.conversation_id,
        "message_id": message.message_id,
        "status": status,
    }
    entry: PutEventsRequestEntryTypeDef = {
        "Source": SOURCE,
        "DetailType": MESSAGE_ENDED,
        "Detail": json.dumps(detail),
    }
    answer = client().put_events(Entries=[entry])
    if answer["FailedEntryCount"]:
        raise NotAnnounced(answer["Entries"][0].get("ErrorCode", "unknown"))
