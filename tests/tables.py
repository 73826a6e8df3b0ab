"""Tables as the template defines them."""

from functools import cache
from typing import TYPE_CHECKING, Any

from local.template import Template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def create_table(dynamodb: "DynamoDBClient", name: str, kind: str = "ConversationsTable") -> None:
    """Creates a table as the template defines `kind`."""
    dynamodb.create_table(TableName=name, **_definitions()[kind])


@cache
def _definitions() -> dict[str, Any]:
    return {table.name: table.definition for table in Template.read().tables}
