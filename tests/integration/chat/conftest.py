"""The chat function as Lambda runs it, on an engine inside the process and a strict fake of Claude."""

import importlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from chat_function import Chat
from fakes.anthropic import strict
from fakes.server import ModelServer, serving

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def chat(dynamodb: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> Iterator[Chat]:
    """The function, imported anew with settings of its own. The script of its model must be used up."""
    with serving(ModelServer([], strict(binds_thinking=True))) as model:
        monkeypatch.setenv("MODELS", "anthropic:claude-sonnet-5-5")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "secret-key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        monkeypatch.delitem(sys.modules, "app", raising=False)
        yield Chat(importlib.import_module("app"), model, dynamodb)
        model.check_used_up()
