"""Tables for the tests that need some: an engine inside the process, one thread at a time."""

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chat_function import Chat
from engine.dynamodb_local import running
from engine.package import EngineMissing, engine_folder
from fakes.anthropic import strict
from fakes.server import ModelServer, serving
from moto import mock_aws
from tables import create_table

from rondas.providers.attempt import shared_client
from rondas.store.table import client

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

TABLE = "conversations"
COACH_TABLE = "coach"


@pytest.fixture(autouse=True)
def closed_connections() -> "Iterator[None]":
    """Leaves no connection of the models' HTTP client open behind a test."""
    yield
    if shared_client.cache_info().currsize:
        shared_client().close()
        shared_client.cache_clear()


@pytest.fixture
def dynamodb(monkeypatch: pytest.MonkeyPatch) -> "Iterator[DynamoDBClient]":
    """An engine with both tables, empty."""
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "TABLE_NAME": TABLE,
        "COACH_TABLE_NAME": COACH_TABLE,
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_ENDPOINT_URL_DYNAMODB", raising=False)
    client.cache_clear()
    with mock_aws():
        create_table(client(), TABLE)
        create_table(client(), COACH_TABLE, "CoachTable")
        yield client()
    client.cache_clear()


@pytest.fixture
def chat(dynamodb: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> "Iterator[Chat]":
    """The chat function, imported anew with settings of its own. The script of its model must be used up."""
    with serving(ModelServer([], strict(binds_thinking=True))) as model:
        monkeypatch.setenv("MODELS", "anthropic:claude-sonnet-5-5")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        monkeypatch.delitem(sys.modules, "app", raising=False)
        yield Chat(importlib.import_module("app"), model, dynamodb)
        model.check_used_up()


@pytest.fixture(scope="session")
def dynamodb_local() -> "Iterator[str]":
    """The address of DynamoDB Local; where it cannot be had, the test is skipped, but not in CI."""
    folder, missing = _engine()
    if not folder:
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(f"rules S1 to S4 must be proved in CI. {missing}", pytrace=False)
        pytest.skip(missing)
    with running(folder) as url:
        yield url


def _engine() -> tuple[Path | None, str]:
    try:
        return engine_folder(), ""
    except EngineMissing as missing:
        return None, str(missing)
