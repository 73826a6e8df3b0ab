"""The conversations function in the hands of a test: requests in, answers out, and what it asked of the table."""

import importlib.util
import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from chat_function import Context
from doubles import FakeClock

from rondas.history import Answer, Round
from rondas.loop import Ending
from rondas.store.claim import Message
from rondas.store.conversations import Conversations
from rondas.store.run import ClaimedRun
from rondas.store.table import Table, client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rondas.store.items import Item


APP = Path(__file__).parents[1] / "functions" / "conversations" / "app.py"


def load_app() -> ModuleType:
    """Returns the function, with the table of this test; there is more than one `app` in this repository."""
    module = _imported()
    vars(module)["table"] = Table("conversations", client())
    return module


@cache
def _imported() -> ModuleType:
    spec = importlib.util.spec_from_file_location("conversations_app", APP)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["conversations_app"] = module
    spec.loader.exec_module(module)
    return module


class BrokenOff(Exception):  # noqa: N818 - what happens to a process
    """The process has been ended here."""


@dataclass
class Got:
    """An answer of the function: its body as it was sent, and what it says, None where it is empty."""

    status: int
    headers: dict[str, str]
    raw: str
    body: Any


@dataclass
class ConversationsApi:
    """The function with its table, and the store that fills it."""

    app: ModuleType
    client: "DynamoDBClient"
    clock: FakeClock = field(default_factory=FakeClock)

    @property
    def store(self) -> Conversations:
        return Conversations(Table("conversations", self.client), 100_000, self.clock)

    def claim(self, text: str = "hello", *, user: str = "ana", conversation: str = "c-1", key: str = "") -> ClaimedRun:
        """Claims a message, a second after the last one."""
        self.clock.advance(1)
        claimed = self.store.claim(Message(user, conversation, key or f"key of {text}", text), seconds=20)
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def told(self, text: str, *rounds: Round, answer: str = "Yes.", **where: str) -> None:
        """Stores an answered message."""
        run = self.claim(text, **where)
        for done in rounds:
            run.append(done)
        run.finish(Ending(Answer(answer)))

    def request(
        self,
        method: str,
        path: str,
        *,
        user: str | None = "ana",
        headers: dict[str, str] | None = None,
        remaining: float = 10,
        **query: object,
    ) -> Got:
        """Sends a request as API Gateway hands it on."""
        authorizer = {"authorizer": {"jwt": {"claims": {"sub": user}, "scopes": None}}} if user is not None else {}
        event = {
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": "",
            "headers": headers or {},
            "queryStringParameters": {name: str(value) for name, value in query.items()},
            "requestContext": {"http": {"method": method, "path": path}, "stage": "$default", **authorizer},
            "isBase64Encoded": False,
        }
        result = self.app.handler(event, Context(remaining))
        raw = result.get("body") or ""
        return Got(result["statusCode"], result["headers"], raw, json.loads(raw or "null"))

    def conversations(self, **more: Any) -> Got:
        return self.request("GET", "/conversations", **more)

    def read(self, conversation: str = "c-1", **more: Any) -> Got:
        return self.request("GET", f"/conversations/{conversation}/messages", **more)

    def delete(self, conversation: str = "c-1", **more: Any) -> Got:
        return self.request("DELETE", f"/conversations/{conversation}", **more)

    def stored(self) -> "list[Item]":
        """All that lies in the table."""
        return self.client.scan(TableName="conversations", ConsistentRead=True)["Items"]

    @contextmanager
    def requests(self, most: int = 1000) -> Generator[list[str]]:
        """Lists the requests to the table that are made inside the block; what comes after the most, breaks off."""
        made: list[str] = []

        def note(model: Any, **_: Any) -> None:
            if len(made) == most:
                raise BrokenOff
            made.append(model.name)

        self.client.meta.events.register("before-call.dynamodb", note)
        yield made
        self.client.meta.events.unregister("before-call.dynamodb", note)


def texts(page: Any) -> list[str]:
    """The words of a page of history."""
    return [item["text"] for item in page["messages"]]
