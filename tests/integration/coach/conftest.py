import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from moto import mock_aws

from coach import TOOLS, clock, table
from rondas.history import ToolCall, ToolResult
from rondas.toolbox import Toolbox


@pytest.fixture(autouse=True)
def coach_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An empty table, and a client that knows no other."""
    for name, value in {
        "COACH_TABLE_NAME": "coach",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL_DYNAMODB", raising=False)
    table.client.cache_clear()
    with mock_aws():
        table.client().create_table(
            TableName="coach",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        yield
    table.client.cache_clear()


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the coach's clock to noon of a day, or to a moment."""

    def set_to(moment: str) -> None:
        at = datetime.fromisoformat(moment if "T" in moment else f"{moment}T12:00").replace(tzinfo=UTC)
        monkeypatch.setattr(clock, "now", lambda: at)

    set_to("2026-11-30")
    return set_to


@pytest.fixture
def ask(set_clock: Callable[[str], None]) -> Callable[..., ToolResult]:
    """Calls a tool as the loop does, with arguments as a model writes them."""

    def call(name: str, *, user: str = "ana", key: str = "c1/7/call_1", **arguments: object) -> ToolResult:
        asked = ToolCall("call_1", name, json.dumps(arguments))
        return Toolbox(TOOLS).for_user(user).run(asked, key=key, seconds=5)

    return call
