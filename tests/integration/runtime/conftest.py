"""The chat function in Lambda's own runtime, with an app, a model service and settings that try to hold it."""

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest
from engine.dynamodb_local import CREDENTIALS
from fakes.hostile import HostileModel, hostile_model
from tables import create_table

from local.emulated_slot import EmulatedSlot, emulator
from local.gateway import Gateway
from local.payload import Request
from local.template import ROOT, Function, Route, Template
from local.token import bearer
from rondas.history import Entry
from rondas.store.items import read_entry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BUDGET_SECONDS = 3
CLOSING_RESERVE_SECONDS = 1
TIMEOUT_SECONDS = 6
"""Of the function: whatever holds a run longer than this ends in a 500."""

GATEWAY_SECONDS = 29
PATH = "/conversations/{conversation_id}/messages"
TABLE = "conversations"


@dataclass(frozen=True)
class Answer:
    """What a caller got, and after how long."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str]
    seconds: float


class Chat:
    """The function behind a gateway, and what it has stored."""

    def __init__(self, gateway: Gateway, table: "DynamoDBClient") -> None:
        self._gateway = gateway
        self._table = table

    def post(self, text: str, conversation: str, key: str | None = None) -> Answer:
        """Posts a message."""
        headers = [("authorization", f"Bearer {bearer('ana')}"), ("idempotency-key", key or str(uuid4()))]
        path = PATH.replace("{conversation_id}", conversation)
        request = Request("POST", path, headers=headers, body=json.dumps({"text": text}).encode())
        started = time.monotonic()
        response = self._gateway.answer(request)
        body = json.loads(response.body)
        return Answer(response.status, body, dict(response.headers), time.monotonic() - started)

    def history(self, conversation: str) -> list[Entry]:
        """Returns what is stored, in order."""
        found = self._table.query(
            TableName=TABLE,
            KeyConditionExpression="pk = :pk AND begins_with(sk, :m)",
            ExpressionAttributeValues={":pk": {"S": f"U#ana#C#{conversation}"}, ":m": {"S": "M#"}},
            ConsistentRead=True,
        )
        return [read_entry(item).entry for item in found["Items"]]


@pytest.fixture(scope="session")
def model() -> Iterator[HostileModel]:
    with hostile_model() as server:
        yield server


@pytest.fixture(scope="session")
def chat(
    dynamodb_local: str, model: HostileModel, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., Chat]]:
    """Starts the function: `chat(slots, timeout, **variables)`."""
    if emulator() is None:
        pytest.skip("Lambda's runtime emulator is there on Linux only")
    table: DynamoDBClient = boto3.client(  # pyright: ignore[reportUnknownMemberType]
        "dynamodb", endpoint_url=dynamodb_local, region_name="eu-west-1",
        aws_access_key_id="runtime", aws_secret_access_key="test",
    )  # fmt: skip
    create_table(table, TABLE)
    code = tmp_path_factory.mktemp("function")
    shutil.copy(ROOT / "functions" / "chat" / "app.py", code)
    shutil.copytree(Path(__file__).parent / "hostile_coach", code / "coach")
    environment = CREDENTIALS | {
        "AWS_ACCESS_KEY_ID": "runtime",
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_local,
        "TABLE_NAME": TABLE,
        "MODELS": "anthropic:claude-sonnet-5-5",
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": model.url,
        "TIME_BUDGET_SECONDS": str(BUDGET_SECONDS),
        "CLOSING_RESERVE_SECONDS": str(CLOSING_RESERVE_SECONDS),
        "MAX_RUNS_PER_PERSON": "0",  # all cases are one person's, and run side by side
        "BEEN_HERE": str(tmp_path_factory.mktemp("been")),
    }
    with ExitStack() as stack:

        def start(slots: int = 1, timeout: float = TIMEOUT_SECONDS, **variables: str) -> Chat:
            gateway = _gateway(code, timeout, environment | variables, slots)
            stack.callback(gateway.stop)
            gateway.start()
            return Chat(gateway, table)

        yield start
    table.close()


def _gateway(code: Path, timeout: float, environment: Mapping[str, str], slots: int) -> Gateway:
    function = Function("Chat", code, "app.handler", timeout, 1769, environment)
    route = Route("POST", PATH, "Chat", GATEWAY_SECONDS, protected=True)
    return Gateway(Template({"Chat": function}, (route,), ()), slots, EmulatedSlot)
