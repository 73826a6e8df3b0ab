"""The store that a careful person writes by hand."""

from typing import Any, cast

import boto3

BATCH = 25


class Store:
    """One item a message, which holds its turns as JSON text, written once at the end.

    A message costs one query of the whole conversation and one put.
    """

    def __init__(self) -> None:
        self._dynamodb = cast("Any", boto3).client("dynamodb")

    def load(self, conversation: str) -> list[str]:
        """Returns the texts of a conversation in their order."""
        texts: list[str] = []
        start: dict[str, Any] = {}
        while True:
            page = self._dynamodb.query(
                TableName="turns",
                KeyConditionExpression="PK = :c",
                ExpressionAttributeValues={":c": {"S": conversation}},
                **start,
            )
            texts += [item["messages"]["S"] for item in page["Items"]]
            if "LastEvaluatedKey" not in page:
                return texts
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def append(self, conversation: str, number: int, text: str) -> None:
        """Stores one more, unless another process has stored one meanwhile."""
        item = self._item(conversation, number, text)
        self._dynamodb.put_item(TableName="turns", Item=item, ConditionExpression="attribute_not_exists(PK)")

    def seed(self, conversation: str, texts: list[str]) -> None:
        """Stores earlier ones."""
        items = [self._item(conversation, number, text) for number, text in enumerate(texts)]
        batch_write(self._dynamodb, "turns", items)

    @staticmethod
    def _item(conversation: str, number: int, text: str) -> dict[str, Any]:
        return {"PK": {"S": conversation}, "SK": {"S": f"{number:09d}"}, "messages": {"S": text}}


def batch_write(dynamodb: Any, table: str, items: list[Any]) -> None:
    """Writes many items, 25 a request."""
    for first in range(0, len(items), BATCH):
        puts = [{"PutRequest": {"Item": item}} for item in items[first : first + BATCH]]
        dynamodb.batch_write_item(RequestItems={table: puts})
