"""The queues that the template asks for, and a queue for the events that the functions put on the bus.

moto's SQS keeps what matters here: the order in a group, one message of a group at a time, deduplication, visibility
and its change, and the move to the dead-letter queue.
"""

import json
import os
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.engine import Engine
from local.template import Queue

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

ENDPOINTS = {"sqs": "AWS_ENDPOINT_URL_SQS", "events": "AWS_ENDPOINT_URL_EVENTBRIDGE"}
ANNOUNCED = "rondas-announced"
SOURCE = "rondas"


@dataclass(frozen=True, slots=True)
class Made:
    """A queue as it was made: its address and its ARN."""

    url: str
    arn: str


def start_engines(started: ExitStack) -> None:
    """Starts what stands for SQS and EventBridge, unless their addresses are set already."""
    for service, variable in ENDPOINTS.items():
        if not os.environ.get(variable):
            engine = Engine(service)
            started.callback(engine.stop)
            os.environ[variable] = engine.url


def create_queues(queues: tuple[Queue, ...]) -> Mapping[str, Made]:
    """Creates those that are missing, tells the functions their addresses, and returns all by their logical ids."""
    made: dict[str, Made] = {}
    with closing(sqs()) as client:
        for queue in sorted(queues, key=lambda each: bool(each.dead_letters)):  # dead letters first: others name them
            made[queue.name] = _create(client, queue, made)
            if queue.variable:
                os.environ[queue.variable] = made[queue.name].url
    return made


def create_announced() -> str:
    """Has every event of ours on the bus put into a queue, whose address is returned."""
    with closing(sqs()) as client, closing(_events()) as bus:
        url = client.create_queue(QueueName=ANNOUNCED)["QueueUrl"]
        bus.put_rule(Name=ANNOUNCED, EventPattern=json.dumps({"source": [SOURCE]}))
        bus.put_targets(Rule=ANNOUNCED, Targets=[{"Id": ANNOUNCED, "Arn": _arn(client, url)}])
        return url


def sqs() -> "SQSClient":
    """Returns a client of its own, to be closed: who polls, who deletes and who creates are different threads."""
    import boto3  # noqa: PLC0415 - dear, and needed only here

    return boto3.client("sqs")  # pyright: ignore[reportUnknownMemberType] - its other services


def _create(client: "SQSClient", queue: Queue, made: Mapping[str, Made]) -> Made:
    attributes: dict[QueueAttributeNameType, str] = {**queue.attributes}  # pyright: ignore[reportAssignmentType]
    if queue.dead_letters:
        policy = {"deadLetterTargetArn": made[queue.dead_letters].arn, "maxReceiveCount": queue.deliveries}
        attributes["RedrivePolicy"] = json.dumps(policy)
    ending = ".fifo" if queue.attributes.get("FifoQueue") == "true" else ""
    url = client.create_queue(QueueName=f"rondas-{queue.name.lower()}{ending}", Attributes=attributes)["QueueUrl"]
    return Made(url, _arn(client, url))


def _arn(client: "SQSClient", url: str) -> str:
    return client.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]


def _events() -> "EventBridgeClient":
    import boto3  # noqa: PLC0415

    return boto3.client("events")  # pyright: ignore[reportUnknownMemberType] - its other services
