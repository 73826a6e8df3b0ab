"""The conversations function as Lambda runs it, on an engine inside the process."""

from typing import TYPE_CHECKING

import pytest
from conversations_function import ConversationsApi, load_app

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def api(dynamodb: "DynamoDBClient") -> ConversationsApi:
    """The function and its table, empty."""
    return ConversationsApi(load_app(), dynamodb)
