"""Messages that are handed on, under `make serve`: the real functions, in real processes, and a model that waits."""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from fakes.anthropic import message, strict
from fakes.local_api import PATIENCE, Answer, Api
from fakes.server import Json, ModelServer, Reply, Request, serving

from local.emulated_slot import emulator
from local.template import TEMPLATE
from local.token import bearer

LIFE_SECONDS = 5
QUICKER = f"""
from rondas import pulse
pulse.LIFE_SECONDS = {LIFE_SECONDS}
pulse.beating.__defaults__ = (0.5,)
"""
"""What a function's process does first: a worker's sign of life holds for seconds and not for a minute."""

PAUSE_SECONDS = 0.2
LONG_PATIENCE = 4 * PATIENCE

real = pytest.mark.parametrize("slot_options", [[] if emulator() else ["--plain"]], ids=["as it is"])
plain = pytest.mark.parametrize("slot_options", [["--plain"]], ids=["plain"])


class SlowModel(ModelServer):
    """Asks for a tool as often as it is told to, then answers; before a round that was named it waits for the test."""

    def __init__(self, rounds: int) -> None:
        super().__init__([], strict())
        self._rounds = rounds
        self._noting = threading.Lock()
        self._awaited: dict[int, threading.Event] = {}
        self._arrived: dict[int, threading.Event] = {}

    def hold(self, round_number: int) -> None:
        """Has the request for a round wait, the first time that it comes."""
        self._awaited[round_number] = threading.Event()
        self._arrived[round_number] = threading.Event()

    def wait_for(self, round_number: int) -> None:
        """Waits until that request has come."""
        assert self._arrived[round_number].wait(LONG_PATIENCE)

    def go_on(self, round_number: int) -> None:
        self._awaited.pop(round_number).set()

    def answer(self, request: Request) -> Reply:
        with self._noting:
            self.requests.append(request)
            if refusal := self.rule(request):
                return refusal
        number = _rounds_in(request.body) + 1
        if gate := self._awaited.get(number):
            self._arrived[number].set()
            gate.wait(LONG_PATIENCE)
        if number > self._rounds:
            return message(f"Answer to {_asked(request.body)}.")
        return message("", [(f"call_{uuid4().hex}", "search_exercises", {"query": f"press {number}"})])

    def asked_for(self) -> list[int]:
        """Returns the rounds that were asked for, in order; the answer counts as one."""
        return [_rounds_in(body) + 1 for body in self.bodies]


class App:
    """An app that does not wait."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._lines = api.lines()

    def post(self, text: str, conversation: str, key: str, person: str = "ana") -> Answer:
        headers = {"content-type": "application/json", "idempotency-key": key, "prefer": "respond-async"}
        body = json.dumps({"text": text}).encode()
        return self._request("POST", f"/conversations/{conversation}/messages", person, body, headers)

    def look(self, conversation: str, key: str, person: str = "ana") -> Json:
        return self._request("GET", f"/conversations/{conversation}/messages/{key}", person).json()

    def history(self, conversation: str, person: str = "ana") -> list[Json]:
        return self._request("GET", f"/conversations/{conversation}/messages", person).json()["messages"]

    def ended(self, conversation: str, key: str, person: str = "ana") -> Json:
        """Looks until the message has ended."""
        return until(lambda: self.look(conversation, key, person), lambda found: found["reply"] is not None)

    def told(self) -> Json:
        """Returns the next event of the bus."""
        while not (line := self._lines.get(timeout=LONG_PATIENCE)).startswith("rondas.message.ended "):
            pass
        return dict(part.split("=", 1) for part in line.split()[1:])

    def _request(
        self, method: str, path: str, person: str, body: bytes | None = None, headers: Json | None = None
    ) -> Answer:
        return self._api.request(method, path, body, {"authorization": f"Bearer {bearer(person)}"} | (headers or {}))


def until[T](look: Callable[[], T], found: Callable[[T], bool]) -> T:
    """Looks until what is wanted is there."""
    deadline = time.monotonic() + LONG_PATIENCE
    while not found(seen := look()):
        assert time.monotonic() < deadline, seen
        time.sleep(PAUSE_SECONDS)
    return seen


@pytest.fixture
def template() -> Path:
    return TEMPLATE


@pytest.fixture
def start(serve: Callable[..., Api], environment: dict[str, str], tmp_path: Path) -> Callable[..., App]:
    """Starts the server with a model: `start(model, slots)`."""
    (tmp_path / "sitecustomize.py").write_text(QUICKER, encoding="utf-8")

    def start(model: ModelServer, slots: int = 2) -> App:
        api = serve(
            slots,
            PYTHONPATH=os.pathsep.join([str(tmp_path), environment["PYTHONPATH"]]),
            MODELS="anthropic:claude-sonnet-5-5",
            ANTHROPIC_BASE_URL=model.url,
            MAX_RUNS_PER_PERSON="0",
        )
        return App(api)

    return start


@pytest.fixture
def model() -> Iterator[Callable[[int], SlowModel]]:
    """Starts a model: `model(rounds)`."""
    with ExitStack() as stack:

        def start(rounds: int) -> SlowModel:
            slow = SlowModel(rounds)
            stack.enter_context(serving(slow))
            return slow

        yield start


@plain
def test_a_message_of_fifteen_rounds_is_let_go_and_its_rounds_appear_while_it_runs(
    start: Callable[..., App], model: Callable[[int], SlowModel]
) -> None:
    # given
    slow = model(15)
    slow.hold(8)
    app = start(slow)
    key = str(uuid4())
    # when
    accepted = app.post("hello", "c", key)
    # then
    headers = {name.lower(): value for name, value in accepted.headers}
    assert (accepted.status, headers["location"]) == (202, f"/conversations/c/messages/{key}")
    assert headers["preference-applied"] == "respond-async"
    # And while the model thinks about round 8, the seven before it are there
    slow.wait_for(8)
    seen = app.look("c", key)
    assert (seen["status"], seen["reply"], seen["rounds"], len(seen["steps"])) == ("running", None, 7, 7)
    slow.go_on(8)
    # And at the end the reply is, each round was asked for once, and the app is told
    seen = app.ended("c", key)
    assert (seen["status"], seen["reply"], seen["rounds"]) == ("answered", "Answer to hello.", 15)
    assert slow.asked_for() == list(range(1, 17))
    assert app.told() == {"person": "ana", "conversation_id": "c", "message_id": key, "status": "answered"}


@real
@pytest.mark.skipif(sys.platform != "linux", reason="finds the worker's process in /proc")
def test_a_worker_killed_in_round_seven_is_followed_by_one_that_does_not_repeat_the_six_before(
    start: Callable[..., App], model: Callable[[int], SlowModel]
) -> None:
    # given
    slow = model(8)
    slow.hold(7)
    app = start(slow)
    key = str(uuid4())
    app.post("hello", "c", key)
    slow.wait_for(7)
    # when
    killed = _processes("WorkerFunction", slow.url)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    slow.go_on(7)
    # then
    seen = app.ended("c", key)
    assert (seen["status"], seen["reply"], seen["rounds"]) == ("answered", "Answer to hello.", 8)
    assert slow.asked_for() == [1, 2, 3, 4, 5, 6, 7, 7, 8, 9]
    assert killed
    assert [step["role"] for step in app.history("c")] == ["user", *["assistant"] * 9]


@plain
def test_forty_messages_of_eight_conversations_all_end_in_order_each_once(
    start: Callable[..., App], model: Callable[[int], SlowModel]
) -> None:
    # given
    slow = model(1)
    app = start(slow, slots=3)
    texts = [f"message {number}" for number in range(5)]
    keys = {f"c-{name}": [str(uuid4()) for _ in texts] for name in range(8)}

    def talk(conversation: str) -> None:
        for text, key in zip(texts, keys[conversation], strict=True):
            sent = until(
                partial(app.post, text, conversation, key), lambda answer: answer.status != HTTPStatus.CONFLICT
            )
            assert sent.status == HTTPStatus.ACCEPTED, sent.body
        app.ended(conversation, keys[conversation][-1])

    # when
    with ThreadPoolExecutor(len(keys)) as people:
        list(people.map(talk, keys))
    # then
    for conversation in keys:
        said = [step["text"] for step in app.history(conversation) if step.get("text")]
        assert said == [words for text in texts for words in (text, f"Answer to {text}.")]
    assert sorted(slow.asked_for()) == [1] * 40 + [2] * 40
    told = [app.told() for _ in range(40)]
    assert sorted(event["message_id"] for event in told) == sorted(key for each in keys.values() for key in each)
    assert {event["status"] for event in told} == {"answered"}


def _turns(body: Json) -> list[Json]:
    """Returns what follows the last words of the person."""
    messages: list[Json] = body["messages"]
    asked = max(index for index, each in enumerate(messages) if each["role"] == "user" and not _results(each))
    return messages[asked:]


def _results(each: Json) -> list[Any]:
    blocks: Any = each["content"]
    return [] if isinstance(blocks, str) else [block for block in blocks if block["type"] == "tool_result"]


def _rounds_in(body: Json) -> int:
    return sum(bool(_results(each)) for each in _turns(body))


def _asked(body: Json) -> str:
    content: Any = _turns(body)[0]["content"]
    return content if isinstance(content, str) else content[-1]["text"]


def _processes(function: str, model_url: str) -> list[int]:
    """Returns the processes of a function's that know this model."""
    marks = {f"AWS_LAMBDA_FUNCTION_NAME={function}".encode(), f"ANTHROPIC_BASE_URL={model_url}".encode()}
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            known = set(path.read_bytes().split(b"\0"))
        except OSError:
            continue
        if marks <= known:
            found.append(int(path.parent.name))
    return found
