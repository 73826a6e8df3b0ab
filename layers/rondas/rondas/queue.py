"""The queue of messages that were handed on: SQS, first in, first out in each conversation."""

import functools
import hashlib
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from rondas.handover import HandedOn, HandoverFailed

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@functools.cache
def client() -> "SQSClient":
    """Returns the one SQS client of the process, made when the first message is handed on."""
    limits = Config(connect_timeout=0.5, read_timeout=2.0, retries={"mode": "standard", "total_max_attempts": 3})
    return boto3.client("sqs", config=limits)  # pyright: ignore[reportUnknownMemberType] - its other services


class Queue:
    """One FIFO queue. The messages of a conversation are one group: they are delivered one after the other.

    Args:
        url: of the queue.
    """

    def __init__(self, url: str) -> None:
        self._url = url

    def send(self, message: HandedOn, fence: int) -> None:
        """Puts a message into the queue; see `rondas.handover.Handover`."""
        try:
            client().send_message(
                QueueUrl=self._url,
                MessageBody=message.model_dump_json(),
                MessageGroupId=_digest(message.person, message.conversation_id),
                MessageDeduplicationId=_digest(message.person, message.conversation_id, message.message_id, str(fence)),
            )
        except ClientError as error:
            raise HandoverFailed(error.response.get("Error", {}).get("Code", "ClientError")) from error
        except BotoCoreError as error:
            raise HandoverFailed(type(error).__name__) from error

    def keep(self, receipt: str, seconds: int) -> None:
        """Keeps a message that was received from being delivered again for so many seconds from now.

        Raises:
            HandoverFailed: the queue does not know it as received any more, or does not answer.
        """
        try:
            client().change_message_visibility(QueueUrl=self._url, ReceiptHandle=receipt, VisibilityTimeout=seconds)
        except (ClientError, BotoCoreError) as error:
            raise HandoverFailed(type(error).__name__) from error


def _digest(*parts: str) -> str:
    """Returns a name that SQS takes, whatever characters the parts have."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
