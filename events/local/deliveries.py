"""What Lambda does for a function that reads a queue: receives a message, invokes the function, deletes the message.

A message whose invocation failed stays where it is: the queue delivers it again when its visibility time-out is over,
and moves it to its dead letters when that was too often.
"""

import json
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from local.json_values import Json, object_in
from local.queues import Made, create_announced, sqs
from local.slots import InvocationError, Pool, Slot
from local.template import Function, Source, Template

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef

POLL_SECONDS = 0.2


class Deliveries:
    """The deliveries of all queues, each to its function, until they are stopped.

    Args:
        template: which function reads which queue.
        queues: the queues by their logical ids.
        slots: how many of a function's messages are handled at once, where the template does not say fewer.
        slot: makes a slot.
    """

    def __init__(
        self, template: Template, queues: Mapping[str, Made], slots: int, slot: Callable[[Function], Slot]
    ) -> None:
        self._over = threading.Event()
        self._readers = [
            _Reader(source, queues[source.queue], Pool(template.functions[source.function], most, slot), most)
            for source in template.sources
            for most in [min(slots, source.most)]
        ]
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begins to deliver; the functions are started when there is something for them."""
        for run in [*(reader.run for reader in self._readers), _tell(create_announced())]:
            thread = threading.Thread(target=run, args=(self._over,), name="deliveries", daemon=True)
            thread.start()
            self._threads.append(thread)

    def stop(self) -> None:
        """Ends everything at once, invocations included."""
        self._over.set()
        for reader in self._readers:
            reader.stop()
        for thread in self._threads:
            thread.join()
        for reader in self._readers:
            reader.close()


class _Reader:
    def __init__(self, source: Source, queue: Made, pool: Pool, most: int) -> None:
        self._source = source
        self._queue = queue
        self._pool = pool
        self._pool.start_later()
        self._turns = threading.Semaphore(most)
        self._client = sqs()

    def run(self, over: threading.Event) -> None:
        """Receives one message after the other, as soon as somebody is there to handle it."""
        while not over.is_set():
            self._turns.acquire()
            message = None if over.is_set() else self._receive()
            if message:
                threading.Thread(target=self._handle, args=(message, over), name="delivery", daemon=True).start()
            else:
                self._turns.release()
                over.wait(POLL_SECONDS)

    def stop(self) -> None:
        """Ends the function's processes."""
        self._pool.stop()
        self._turns.release()  # for the thread that may be waiting

    def close(self) -> None:
        """Closes the connections to the queue."""
        self._client.close()

    def _receive(self) -> "MessageTypeDef | None":
        found = self._client.receive_message(
            QueueUrl=self._queue.url, MaxNumberOfMessages=1, MessageSystemAttributeNames=["All"]
        )
        return next(iter(found.get("Messages", [])), None)

    def _handle(self, message: "MessageTypeDef", over: threading.Event) -> None:
        try:
            self._pool.invoke(event_of(message, self._queue.arn))
        except InvocationError as error:
            if not over.is_set():
                _log(f"{self._source.function}: {error}")
        else:
            with suppress(self._client.exceptions.ReceiptHandleIsInvalid):  # it has been delivered again meanwhile
                self._client.delete_message(QueueUrl=self._queue.url, ReceiptHandle=message.get("ReceiptHandle", ""))
        finally:
            self._turns.release()


def event_of(message: "MessageTypeDef", arn: str) -> Json:
    """Returns the event with which Lambda delivers a message of a queue."""
    return {
        "Records": [
            {
                "messageId": message.get("MessageId"),
                "receiptHandle": message.get("ReceiptHandle"),
                "body": message.get("Body"),
                "attributes": message.get("Attributes", {}),
                "messageAttributes": {},
                "md5OfBody": message.get("MD5OfBody"),
                "eventSource": "aws:sqs",
                "eventSourceARN": arn,
                "awsRegion": arn.split(":")[3],
            }
        ]
    }


def _tell(url: str) -> Callable[[threading.Event], None]:
    """Returns what prints each event of the bus: in the cloud, a rule would bring it to the app's push service."""

    def run(over: threading.Event) -> None:
        with closing(sqs()) as client:
            while not over.wait(POLL_SECONDS):
                for message in client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
                    client.delete_message(QueueUrl=url, ReceiptHandle=message.get("ReceiptHandle", ""))
                    _log(announcement(message.get("Body", "")))

    return run


def announcement(body: str) -> str:
    """Returns an event of EventBridge, given as JSON, as a line."""
    event: Any = json.loads(body)
    detail = object_in(event.get("detail"))
    return " ".join([str(event.get("detail-type")), *(f"{name}={value}" for name, value in detail.items())])


def _log(line: str) -> None:
    print(f"{line}\n", end="", file=sys.stderr, flush=True)  # one write, which no other line comes between
