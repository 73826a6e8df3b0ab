"""What stands between a queue and its functions: a function of the tests' own says what it gets, and when."""

import json
import os
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
import pytest
from fakes.local_api import PATIENCE, Api
from fakes.local_queue import FUNCTION, TEMPLATE, Delivery, DeliveryPoint

from local.engine import Engine
from local.queues import ENDPOINTS, sqs

if TYPE_CHECKING:
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_sqs import SQSClient

KEYS = {"AWS_DEFAULT_REGION": "eu-west-1", "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}

plain = pytest.mark.parametrize("slot_options", [["--plain"]], ids=["plain"])
"""For what does not depend on what runs the function."""


class Post:
    """A server whose worker reads a queue, and the queue."""

    def __init__(self, api: Api, point: DeliveryPoint, sqs: "SQSClient", events: "EventBridgeClient") -> None:
        self.api = api
        self.next = point.wait
        self.events = events
        self._sqs = sqs
        self.url = sqs.get_queue_url(QueueName="rondas-letters.fifo")["QueueUrl"]

    def send(self, body: str, group: str = "a", *, once: str = "") -> None:
        """Puts a message into the queue."""
        self._sqs.send_message(
            QueueUrl=self.url, MessageBody=body, MessageGroupId=group, MessageDeduplicationId=once or body
        )

    def lapse(self, delivery: Delivery) -> None:
        """Lets the visibility time-out of a message be over."""
        handle = delivery.record["receiptHandle"]
        self._sqs.change_message_visibility(QueueUrl=self.url, ReceiptHandle=handle, VisibilityTimeout=0)

    def close(self) -> None:
        self._sqs.close()
        self.events.close()

    def attributes(self) -> dict[str, str]:
        found = self._sqs.get_queue_attributes(QueueUrl=self.url, AttributeNames=["All"])["Attributes"]
        return {str(name): value for name, value in found.items()}


@pytest.fixture
def point(stack: ExitStack) -> DeliveryPoint:
    return DeliveryPoint(stack)


@pytest.fixture
def engines(stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """SQS and EventBridge in this process, and the variables that tell where."""
    addresses: dict[str, str] = {}
    for service, variable in ENDPOINTS.items():
        engine = Engine(service)
        stack.callback(engine.stop)
        addresses[variable] = engine.url
    for name, value in (addresses | KEYS).items():
        monkeypatch.setenv(name, value)
    return addresses


@pytest.fixture
def post(
    serve: Callable[..., Api], template: Path, point: DeliveryPoint, engines: dict[str, str], stack: ExitStack
) -> Callable[..., Post]:
    """Starts the server: `post(slots)`."""
    template.write_text(TEMPLATE, encoding="utf-8")
    (template.parent / "code" / "app.py").write_text(FUNCTION, encoding="utf-8")

    def post(slots: int = 1) -> Post:
        api = serve(slots, MEETING_POINT=str(point.port), **engines)
        events: EventBridgeClient = boto3.client("events")  # pyright: ignore[reportUnknownMemberType]
        office = Post(api, point, sqs(), events)
        stack.callback(office.close)
        return office

    return post


def test_a_message_reaches_the_function_as_lambda_delivers_it(post: Callable[..., Post]) -> None:
    # given
    office = post()
    # when
    office.send("ñ one", "the group", once="the id")
    # then
    delivery = office.next()
    record = delivery.record
    assert (delivery.function, delivery.body, delivery.count) == ("Worker", "ñ one", "1")
    assert (record["eventSource"], record["awsRegion"]) == ("aws:sqs", "eu-west-1")
    assert record["eventSourceARN"] == "arn:aws:sqs:eu-west-1:123456789012:rondas-letters.fifo"
    assert record["attributes"]["MessageGroupId"] == "the group"
    assert record["attributes"]["MessageDeduplicationId"] == "the id"
    assert {"SentTimestamp", "SequenceNumber", "SenderId"} <= record["attributes"].keys()
    assert {"messageId", "receiptHandle", "messageAttributes", "md5OfBody"} <= record.keys()
    # and the function knows the queue by its address
    assert delivery.queue == office.url


@plain
def test_a_queue_is_made_as_the_template_says(post: Callable[..., Post]) -> None:
    found = post().attributes()
    assert (found["FifoQueue"], found["VisibilityTimeout"]) == ("true", "90")
    policy = json.loads(found["RedrivePolicy"])
    assert policy["deadLetterTargetArn"].endswith(":rondas-dead.fifo")
    assert int(policy["maxReceiveCount"]) == 2


@plain
def test_messages_of_a_group_come_one_after_the_other_and_those_of_another_meanwhile(
    post: Callable[..., Post],
) -> None:
    # Given two messages of one group, one of them sent twice, and one of another
    office = post(slots=4)
    for body, group in (("a1", "a"), ("a1", "a"), ("a2", "a"), ("b1", "b")):
        office.send(body, group)
    # When the first of each are under way
    first = {delivery.body: delivery for delivery in (office.next(), office.next())}
    assert first.keys() == {"a1", "b1"}
    # Then nothing else is, until they are done
    first["b1"].succeed()
    with pytest.raises(TimeoutError):
        office.next(0.5)
    first["a1"].succeed()
    second = office.next()
    assert (second.body, second.count) == ("a2", "1")
    second.succeed()
    with pytest.raises(TimeoutError):
        office.next(0.5)


@plain
def test_no_more_messages_are_under_way_than_the_template_allows(post: Callable[..., Post]) -> None:
    # Given four slots, and a template that says two
    office = post(slots=4)
    for name in "abc":
        office.send(name, name)
    # When two are under way
    one, two = office.next(), office.next()
    # Then the third waits for one of them
    with pytest.raises(TimeoutError):
        office.next(0.5)
    one.succeed()
    assert {one.body, two.body, office.next().body} == {"a", "b", "c"}


def test_a_message_whose_invocation_failed_is_delivered_again_before_the_next_of_its_group(
    post: Callable[..., Post],
) -> None:
    # given
    office = post()
    office.send("a1")
    office.send("a2")
    first = office.next()
    # when
    first.fail()
    office.lapse(first)
    # then
    again = office.next()
    assert (again.body, again.count) == ("a1", "2")
    assert again.record["messageId"] == first.record["messageId"]
    again.succeed()
    assert office.next().body == "a2"
    assert "Worker: RuntimeError: told to fail" in office.api.stop()[1]


@plain
def test_a_message_that_failed_too_often_goes_to_the_dead_letters_function_and_its_group_goes_on(
    post: Callable[..., Post],
) -> None:
    # given
    office = post()
    office.send("a1")
    office.send("a2")
    # when
    for _ in range(2):
        delivery = office.next()
        assert (delivery.function, delivery.body) == ("Worker", "a1")
        delivery.fail()
        office.lapse(delivery)
    # then
    last = {delivery.function: delivery for delivery in (office.next(), office.next())}
    assert last["Undertaker"].body == "a1"
    assert last["Worker"].body == "a2"
    assert last["Undertaker"].record["eventSourceARN"].endswith(":rondas-dead.fifo")


def test_a_worker_killed_in_its_invocation_is_replaced_and_its_message_delivered_again(
    post: Callable[..., Post],
) -> None:
    # given
    office = post()
    office.send("a1")
    first = office.next()
    # when
    first.kill()
    office.lapse(first)
    # then
    again = office.next()
    assert (again.body, again.count) == ("a1", "2")
    assert again.pid != first.pid


@plain
def test_what_is_said_on_the_bus_is_a_line_of_the_output(post: Callable[..., Post]) -> None:
    # given
    office = post()
    lines = office.api.lines()
    # when
    for source, kind in (("somebody.else", "not.ours"), ("rondas", "rondas.message.ended")):
        detail = json.dumps({"message_id": "m", "status": "answered"})
        office.events.put_events(Entries=[{"Source": source, "DetailType": kind, "Detail": detail}])
    # then
    assert lines.get(timeout=PATIENCE) == "rondas.message.ended message_id=m status=answered\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_deliveries_under_way_end_with_the_server(post: Callable[..., Post], number: int) -> None:
    # given
    office = post(slots=2)
    for name in "ab":
        office.send(name, name)
    deliveries = [office.next(), office.next()]
    # when
    code, errors = office.api.stop(number)
    # then
    assert code == (0 if number == signal.SIGTERM else -number)
    assert errors == ""
    assert all(delivery.has_ended() for delivery in deliveries)


def test_an_answer_that_a_killed_server_has_not_read_keeps_no_process_alive(post: Callable[..., Post]) -> None:
    # Given a server that reads no more, and a function that answers it
    office = post()
    office.send("a")
    delivery = office.next()
    os.kill(office.api.process.pid, signal.SIGSTOP)
    delivery.succeed()
    assert delivery.has_ended()
    # When the server is killed
    code, errors = office.api.stop(signal.SIGKILL)
    # Then everybody who could write to its standard error is gone
    assert (code, errors) == (-signal.SIGKILL, "")
