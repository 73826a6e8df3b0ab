"""Messages for which the app does not wait: let go with 202, answered by the worker, looked for, stopped, announced."""

import importlib
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from chat_function import EVENTS, Chat, Context
from fakes.anthropic import message
from fakes.server import Reply, Request
from http_door import Door

import rondas.agent
from local.payload import Response
from local.queues import Made, create_announced, create_queues
from local.template import Template
from rondas import announce, queue
from rondas.handover import HandedOn
from rondas.loop import Loop
from rondas.pulse import LIFE_SECONDS, beating
from rondas.store.claim import InProgress
from rondas.store.items import Keys, read_number
from rondas.store.run import ClaimedRun
from rondas.wordless import UnexpectedError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient

KEY = "b6a5c1de-9f0a-4a42-8d1b-5d7a3f0c2e44"
OTHER_KEY = "0d4cf1b1-7bb8-4f43-9d8c-0d6f4d1c9b11"
AT = f"/conversations/c-1/messages/{KEY}"


class Cloud:
    """The functions, the queue between them, and what was put on the bus."""

    def __init__(self, chat: Chat, queues: dict[str, Made], announced: str, sqs: "SQSClient") -> None:
        self.door = Door.of(chat)
        self.model = chat.model
        self._queues = queues
        self._announced = announced
        self._sqs = sqs

    def post(self, prefer: str = "respond-async", *, key: str = KEY, text: str = "hello") -> Response:
        body = json.dumps({"text": text}).encode()
        path = "/conversations/c-1/messages"
        return self.door.ask("POST", path, body, idempotency_key=key, **({"prefer": prefer} if prefer else {}))

    def look(self, method: str = "GET", *, user: str = "ana") -> dict[str, Any]:
        answer = self.door.ask(method, AT, user=user)
        return {"http": answer.status, "retry": header(answer, "retry-after"), **json.loads(answer.body)}

    def letters(self) -> list[dict[str, Any]]:
        """What is in the queue: each is received as Lambda does, and not again."""
        found = self._sqs.receive_message(
            QueueUrl=self._queues["HandedOnQueue"].url,
            MaxNumberOfMessages=10,
            MessageSystemAttributeNames=["All"],
        )
        return [
            {"body": letter.get("Body"), "receiptHandle": letter.get("ReceiptHandle")}
            | {"attributes": letter.get("Attributes", {})}
            for letter in found.get("Messages", [])
        ]

    def lease(self) -> float:
        """For how many seconds the conversation is held."""
        head = self.door.client.get_item(TableName="conversations", Key=Keys("ana", "c-1").head()).get("Item", {})
        return read_number(head, "lease_until") / 1000 - time.time()

    def runs(self) -> dict[str, Any]:
        """The runs of the person that are counted."""
        key = Keys("ana", "c-1").runs()
        return self.door.client.get_item(TableName="conversations", Key=key).get("Item", {})

    def announced(self) -> list[dict[str, Any]]:
        found = self._sqs.receive_message(QueueUrl=self._announced, MaxNumberOfMessages=10).get("Messages", [])
        return [json.loads(letter.get("Body", "")) for letter in found]


def header(response: Response, name: str) -> str | None:
    return {key.lower(): value for key, value in response.headers}.get(name)


@pytest.fixture
def queues(dynamodb: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Made]]:
    del dynamodb  # which mocks all of AWS
    monkeypatch.setenv("QUEUE_URL", "")  # to be put back
    for module in (queue, announce):
        module.client.cache_clear()
    yield dict(create_queues(Template.read().queues))
    for module in (queue, announce):
        module.client.cache_clear()


@pytest.fixture
def cloud(queues: dict[str, Made], chat: Chat) -> Cloud:
    return Cloud(chat, queues, create_announced(), boto3.client("sqs"))  # pyright: ignore[reportUnknownMemberType]


type Deliver = Callable[[dict[str, Any]], None]


@pytest.fixture
def worker(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    del cloud
    monkeypatch.delitem(sys.modules, "worker", raising=False)
    return importlib.import_module("worker")


@pytest.fixture
def deliver(worker: ModuleType) -> Deliver:
    """Delivers a letter to the worker as Lambda does."""
    return lambda letter: worker.handler({"Records": [letter]}, Context(900))


@pytest.fixture
def deliver_dead(cloud: Cloud, monkeypatch: pytest.MonkeyPatch) -> Deliver:
    """Delivers a letter to the function for dead letters."""
    del cloud
    monkeypatch.setattr(sys, "path", [str(EVENTS.parent / "functions" / "conversations"), *sys.path])
    monkeypatch.delitem(sys.modules, "dead_letters", raising=False)
    module = importlib.import_module("dead_letters")
    return lambda letter: module.handler({"Records": [letter]}, Context(30))


def test_a_message_is_let_go_taken_up_answered_and_announced(cloud: Cloud, deliver: Deliver) -> None:
    # Given an app that does not wait
    accepted = cloud.post()
    # Then it is told where to look, and no model was asked
    assert accepted.status == 202
    assert header(accepted, "location") == AT
    assert header(accepted, "preference-applied") == "respond-async"
    assert header(accepted, "retry-after") == "2"
    assert cloud.look() == {
        "http": 200,
        "retry": "2",
        "status": "running",
        "reply": None,
        "rounds": 0,
        "model": None,
        "usage": None,
        "message_id": KEY,
        "conversation_id": "c-1",
        "steps": [],
    }
    # When the queue delivers it, without a word of the person's in it
    (letter,) = cloud.letters()
    assert "hello" not in json.dumps(letter)
    cloud.model.add(message("I look.", [("t1", "search_exercises", {"query": "squat"})]), message("Here it is."))
    deliver(letter)
    # Then it is answered, for who looks and for who sends it again
    state = cloud.look()
    assert (state["status"], state["reply"], state["rounds"], state["retry"]) == ("answered", "Here it is.", 1, None)
    assert [step["tool_calls"][0]["name"] for step in state["steps"]] == ["search_exercises"]
    again = cloud.post(prefer="")
    assert (again.status, json.loads(again.body)["reply"]) == (200, "Here it is.")
    # And the bus has an event with ids and status, and no text
    (event,) = cloud.announced()
    assert (event["source"], event["detail-type"]) == ("rondas", "rondas.message.ended")
    assert event["detail"] == {
        "person": "ana",
        "conversation_id": "c-1",
        "message_id": KEY,
        "status": "answered",
    }


def test_of_what_the_app_says_of_itself_nothing_but_the_language_is_in_the_queue(cloud: Cloud) -> None:
    # Given an app whose header says more than a language, and what no queue takes
    said = "es, my-secret-\ufffe;q=0.1"
    body = json.dumps({"text": "hello"}).encode()
    path = "/conversations/c-1/messages"
    # When its message is handed on
    headers = {"idempotency_key": KEY, "prefer": "respond-async", "accept_language": said}
    assert cloud.door.ask("POST", path, body, **headers).status == 202
    # Then the letter has the language alone
    (letter,) = cloud.letters()
    assert json.loads(letter["body"]) == {
        "person": "ana",
        "conversation_id": "c-1",
        "message_id": KEY,
        "accept_language": "es",
    }


def test_an_error_of_ours_is_raised_without_its_words(
    cloud: Cloud, worker: ModuleType, deliver: Deliver, deliver_dead: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a message in the queue, and a mistake that has the person's words in it
    cloud.post()
    (letter,) = cloud.letters()

    def fail(*_: Any, **__: Any) -> Any:
        raise ValueError("hello")

    monkeypatch.setattr(worker, "_answer", fail)
    monkeypatch.setattr(sys.modules["dead_letters"], "give_up", fail)
    # When it is delivered, then what Lambda writes to the log says what and where alone
    for function in (deliver, deliver_dead):
        with pytest.raises(UnexpectedError, match=r"^ValueError at .*:\d+") as raised:
            function(letter)
        assert "hello" not in str(raised.value)
        # And so where the queue has something else in it
        with pytest.raises(UnexpectedError, match=r"^ValidationError at ") as raised:
            function({**letter, "body": '{"person": "my-secret"}'})
        assert "my-secret" not in str(raised.value)


def test_who_waits_gets_an_answer_that_is_there_in_time(cloud: Cloud) -> None:
    # Given a quick model; when the app waits for ten seconds
    cloud.model.add(message("Here it is."))
    answer = cloud.post("respond-async, wait=10")
    # Then it gets the answer, and nothing is in the queue
    assert (answer.status, json.loads(answer.body)["reply"]) == (200, "Here it is.")
    assert header(answer, "preference-applied") is None
    assert cloud.letters() == []


def test_what_was_done_while_the_app_waited_is_not_done_again(cloud: Cloud, deliver: Deliver) -> None:
    # Given a model whose second answer takes longer than the app waits
    over = threading.Event()

    def slow(_: Request) -> Reply:
        over.wait(30)
        return message("Too late.")

    cloud.model.add(message("I look.", [("t1", "search_exercises", {"query": "squat"})]), slow)
    # When the app waits for a second
    accepted = cloud.post("respond-async, wait=1")
    over.set()
    # Then it is let go, and sees what is done
    assert accepted.status == 202
    assert header(accepted, "preference-applied") == "respond-async, wait=1"
    assert cloud.look()["rounds"] == 1
    # And the worker asks for the second turn alone
    cloud.model.add(message("Here it is."))
    (letter,) = cloud.letters()
    deliver(letter)
    assert (cloud.look()["reply"], cloud.look()["rounds"]) == ("Here it is.", 1)


@pytest.mark.parametrize("prefer", ["", "wait=3", "handling=lenient", "respond-asynchronously"])
def test_without_the_preference_everything_is_as_it_was(cloud: Cloud, prefer: str) -> None:
    cloud.model.add(message("Here it is."))
    assert cloud.post(prefer).status == 200
    assert cloud.letters() == []


@pytest.mark.parametrize("prefer", ["respond-async, wait=abc", "respond-async, wait=-1", "x=y, respond-async"])
def test_a_wait_that_is_none_is_ignored(cloud: Cloud, prefer: str) -> None:
    accepted = cloud.post(prefer)
    assert (accepted.status, header(accepted, "preference-applied")) == (202, "respond-async")


def test_nobody_waits_longer_than_a_message_may_take(cloud: Cloud) -> None:
    # Given an app that would wait for hours; when the answer is there
    cloud.model.add(message("Here it is."))
    # Then it has it
    assert cloud.post("respond-async, wait=9999").status == 200


def test_without_a_queue_the_preference_is_ignored(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a deployment without a worker
    monkeypatch.delenv("QUEUE_URL", raising=False)
    chat.model.add(message("Here it is."))
    # When an app prefers not to wait, then it waits all the same
    assert chat.post(headers={"prefer": "respond-async"}).status == 200


def test_the_same_message_again_is_told_the_same_and_another_one_has_to_wait(cloud: Cloud) -> None:
    # Given a message in the queue
    cloud.post()
    assert len(cloud.letters()) == 1
    # When the app sends it again
    again = cloud.post()
    # Then it may look at the same place, and there is no second one
    assert (again.status, header(again, "location")) == (202, AT)
    assert cloud.letters() == []
    # And who does not prefer that is told as ever; another message has to wait
    assert json.loads(cloud.post(prefer="").body)["code"] == "in_progress"
    assert json.loads(cloud.post(key=OTHER_KEY).body)["code"] == "conversation_busy"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_another_persons_message_is_like_one_that_does_not_exist(cloud: Cloud, method: str) -> None:
    # Given a message in the queue
    cloud.post()
    # When somebody else looks at it, or asks it to stop, then there is none; nor is there one that was never sent
    theirs = cloud.look(method, user="ben")
    assert (theirs["http"], theirs["code"]) == (404, "not_found")
    nobodys = json.loads(cloud.door.ask(method, AT.replace(KEY, OTHER_KEY)).body)
    assert nobodys == {name: value for name, value in theirs.items() if name not in ("http", "retry")}
    # And what is no id is refused
    assert cloud.door.ask(method, AT.replace(KEY, "my-message")).status == 422
    assert cloud.look()["status"] == "running"


def test_a_message_that_is_stopped_in_the_queue_costs_no_model_call(cloud: Cloud, deliver: Deliver) -> None:
    # Given a message in the queue that its person does not want any more
    cloud.post()
    assert cloud.look("DELETE")["status"] == "running"
    # When the worker comes for it
    (letter,) = cloud.letters()
    deliver(letter)
    # Then it ends honestly, without a model, and the bus says how
    state = cloud.look()
    assert (state["status"], state["rounds"], state["model"]) == ("stopped", 0, None)
    assert state["reply"].startswith("I have stopped")
    assert cloud.announced()[0]["detail"]["status"] == "stopped"
    # And asking again changes nothing
    assert cloud.look("DELETE") == state


def test_a_message_that_is_stopped_at_work_ends_before_its_next_round(cloud: Cloud, deliver: Deliver) -> None:
    # Given a person who asks to stop while the model thinks
    cloud.post()

    def thinking(_: Request) -> Reply:
        assert cloud.look("DELETE")["status"] == "running"
        return message("I look.", [("t1", "search_exercises", {"query": "squat"})])

    cloud.model.add(thinking)
    # When the worker goes on
    (letter,) = cloud.letters()
    deliver(letter)
    # Then the round that had begun is done, and no other
    state = cloud.look()
    assert (state["status"], state["rounds"]) == ("stopped", 1)


def test_what_the_queue_does_not_take_goes_on_when_it_is_sent_again(
    cloud: Cloud, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a queue that is not there
    handover = chat.app.agent.handover
    monkeypatch.setattr(handover, "_url", "http://localhost/123456789012/nowhere.fifo")
    failed = cloud.post()
    assert (failed.status, header(failed, "retry-after")) == (500, "3")
    # When the same message comes again
    cloud.model.add(message("Here it is."))
    # Then nothing is in its way
    assert cloud.post(prefer="").status == 200


def test_an_erased_message_is_dropped_by_worker_and_dead_letters(
    cloud: Cloud, deliver: Deliver, deliver_dead: Deliver, caplog: pytest.LogCaptureFixture
) -> None:
    # Given a message in the queue whose conversation is erased
    cloud.post()
    (letter,) = cloud.letters()
    assert cloud.door.ask("DELETE", "/conversations/c-1").status == 204
    # When it is delivered, then nothing is stored, nobody told, and no model asked; the operator hears of it
    with caplog.at_level("INFO", "rondas"):
        deliver(letter)
        deliver_dead(letter)
    assert [record.name for record in caplog.records if "not there any more" in record.getMessage()] == [
        "rondas.worker",
        "rondas.dead_letters",
    ]
    assert cloud.look()["http"] == 404
    assert cloud.announced() == []
    # And its run is counted no more
    assert "C#c-1" not in cloud.runs()


def test_a_run_that_is_erased_at_work_is_counted_no_more(cloud: Cloud, deliver: Deliver) -> None:
    # Given a person who erases the conversation while the worker's model thinks
    cloud.post()

    def thinking(_: Request) -> Reply:
        assert cloud.door.ask("DELETE", "/conversations/c-1").status == 204
        assert "C#c-1" in cloud.runs()
        return message("Here it is.")

    cloud.model.add(thinking)
    # When the worker finds that out
    (letter,) = cloud.letters()
    deliver(letter)
    # Then its run does not stand in another one's way for as long as it might have taken
    assert "C#c-1" not in cloud.runs()
    assert cloud.announced() == []


def test_a_message_that_another_worker_has_is_delivered_again_later(
    cloud: Cloud, worker: ModuleType, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a message that is delivered again while the first worker is at work
    waited: list[float] = []
    monkeypatch.setattr(worker.time, "sleep", waited.append)
    cloud.post()
    (letter,) = cloud.letters()

    def meanwhile(_: Request) -> Reply:
        with pytest.raises(InProgress):
            deliver(letter)
        return message("Here it is.")

    cloud.model.add(meanwhile)
    # When the first one ends, then there is one answer, and later deliveries tell of it again
    deliver(letter)
    assert sum(waited) == worker.PATIENCE_SECONDS
    deliver(letter)
    assert [event["detail"]["status"] for event in cloud.announced()] == ["answered", "answered"]


def test_a_worker_says_again_and_again_that_it_lives(
    cloud: Cloud, worker: ModuleType, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given signs of life in quick succession
    monkeypatch.setattr(rondas.agent, "beating", partial(beating, every=0.01))
    kept: list[int] = []
    alive = threading.Event()

    def keep(_receipt: str, seconds: int) -> None:
        kept.append(seconds)
        if len(kept) > 2:
            alive.set()

    held: list[float] = []
    renew = ClaimedRun.renew

    def renewed(run: ClaimedRun, seconds: float) -> None:
        renew(run, seconds)
        held.append(seconds)

    monkeypatch.setattr(ClaimedRun, "renew", renewed)
    monkeypatch.setattr(worker.queue, "keep", keep)
    cloud.post()
    (letter,) = cloud.letters()

    def long_thought(_: Request) -> Reply:
        assert alive.wait(30)
        return message("Here it is.")

    cloud.model.add(long_thought)
    # When it works for a while
    deliver(letter)
    # Then the queue was told at the start and after that, each time for one life, and the lease was held with it
    assert set(kept) == {LIFE_SECONDS}
    assert set(held) == {LIFE_SECONDS}


def test_a_worker_has_limits_of_its_own(cloud: Cloud, deliver: Deliver, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given somebody who looks at what a run may take
    limits: list[tuple[int, float]] = []
    leases: list[float] = []

    def looked_at(**given: Any) -> Loop:
        limits.append((given["max_rounds"], given["budget"].left()))
        leases.append(cloud.lease())
        return Loop(**given)

    monkeypatch.setattr(rondas.agent, "Loop", looked_at)
    cloud.model.add(message("Here it is."), message("Here it is, too."))
    # When one message is answered at once, and another one by the worker
    cloud.post(prefer="", key=OTHER_KEY)
    cloud.post()
    (letter,) = cloud.letters()
    deliver(letter)
    # Then the gateway's limit is not the worker's
    (rounds, seconds), (_, nothing), (more_rounds, minutes) = limits
    assert (rounds, more_rounds, nothing) == (10, 20, 0)
    assert seconds <= 25
    assert minutes > 500
    # But who does not hear of it for a minute takes the message over
    assert leases[-1] <= LIFE_SECONDS + 2


def test_who_hands_a_message_on_holds_it_for_as_long_as_that_may_take(
    cloud: Cloud, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given an app that does not wait at all, and a queue that takes its time
    leases: list[float] = []

    def send(_message: HandedOn, _fence: int) -> None:
        leases.append(cloud.lease())

    monkeypatch.setattr(chat.app.agent.handover, "send", send)
    # When the message is handed on, then nobody takes it over meanwhile, and afterwards the queue has it for long
    cloud.post()
    assert leases[0] > 20
    assert cloud.lease() > 3000


def test_a_message_is_in_the_queue_once_for_each_time_it_is_handed_on(cloud: Cloud) -> None:
    # Given messages of two conversations; when they are sent, and sent again, and handed on anew
    one, other = (HandedOn(person="ana", conversation_id=name, message_id=KEY) for name in ("c-1", "c-2"))
    sent = queue.Queue(os.environ["QUEUE_URL"])
    for message_, fence in [(one, 1), (one, 1), (other, 1), (one, 2)]:
        sent.send(message_, fence)
    # Then a message that is sent twice is there once, and conversations do not wait for each other
    groups = [letter["attributes"]["MessageGroupId"] for letter in cloud.letters()]
    assert len(groups) == 3
    assert len(set(groups)) == 2


def test_an_event_that_the_bus_does_not_take_is_put_again_with_the_next_delivery(
    cloud: Cloud, worker: ModuleType, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a bus that refuses an event once
    def refuse(**_: object) -> dict[str, Any]:
        return {"FailedEntryCount": 1, "Entries": [{"ErrorCode": "ThrottlingException"}]}

    cloud.post()
    (letter,) = cloud.letters()
    cloud.model.add(message("Here it is."))
    with monkeypatch.context() as patch:
        patch.setattr(announce.client(), "put_events", refuse)
        with pytest.raises(announce.NotAnnounced, match="ThrottlingException"):
            deliver(letter)
    # When the queue delivers the message again, then it is told
    deliver(letter)
    assert [event["detail"]["status"] for event in cloud.announced()] == ["answered"]


def test_the_time_of_the_worker_is_a_metric_of_its_own(
    cloud: Cloud, deliver: Deliver, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a message that is handed on and answered
    cloud.post()
    (letter,) = cloud.letters()
    cloud.model.add(message("Here it is."))
    capsys.readouterr()
    # When its metrics are written
    deliver(letter)
    # Then the alarm on slow runs does not see a run for which nobody waits
    (metrics,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    assert "WorkerRunTime" in metrics
    assert "RunTime" not in metrics


def test_what_no_worker_brought_to_an_end_is_closed_and_announced(cloud: Cloud, deliver_dead: Deliver) -> None:
    # Given a message that no worker came for
    cloud.post()
    (letter,) = cloud.letters()
    # When its letter is dead
    deliver_dead(letter)
    # Then it has an honest end
    state = cloud.look()
    assert (state["status"], state["http"]) == ("failed", 200)
    assert state["reply"] == "I was interrupted before I could finish this answer."
    assert cloud.announced()[0]["detail"]["status"] == "failed"
    # And the conversation goes on
    cloud.model.add(message("Here it is."))
    assert cloud.post(prefer="", key=OTHER_KEY).status == 200
