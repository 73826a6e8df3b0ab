"""The conversation table: the few calls of boto3's client that the store needs, and what their errors mean."""

import functools
import random
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from rondas.store.items import Item

CONFLICT_ATTEMPTS = 4
CONFLICT_WAIT_SECONDS = 0.05

PAGE_ENTRIES = 100


class ConditionFailed(Exception):  # noqa: N818 - what the table says, not a mistake
    """Something in the table was not as expected; nothing was written.

    Attributes:
        failed: for each action of the transaction, whether its condition failed.
    """

    def __init__(self, failed: Sequence[bool]) -> None:
        super().__init__("the table has changed")
        self.failed = tuple(failed)


class StoreUnavailable(Exception):  # noqa: N818 - a state of the world
    """The table did not answer, in spite of retries."""


@functools.cache
def client() -> "DynamoDBClient":
    """Returns the one DynamoDB client of the process; region and endpoint come from AWS's own variables.

    Its timeouts are short, for its calls lie inside the deadline of an answer.
    """
    limits = Config(
        connect_timeout=1,
        read_timeout=2,
        retries={"mode": "standard", "total_max_attempts": 3},
        tcp_keepalive=True,
        parameter_validation=False,  # the items are built here, in one place; a wrong one is refused by the service
    )
    return boto3.client("dynamodb", config=limits)  # pyright: ignore[reportUnknownMemberType] - its other services


class Table:
    """One DynamoDB table.

    Raises `StoreUnavailable` from every method when the table does not answer.
    """

    def __init__(self, name: str, dynamodb: "DynamoDBClient") -> None:
        self.name = name
        self._dynamodb = dynamodb

    def get(self, keys: Sequence["Item"]) -> list["Item | None"]:
        """Reads items by key in one request, each as it is now; None where there is none."""
        found: list[Item] = []
        wanted = list(keys)
        while wanted:
            try:
                response = self._dynamodb.batch_get_item(
                    RequestItems={self.name: {"Keys": wanted, "ConsistentRead": True}}
                )
            except (BotoCoreError, ClientError) as error:
                raise StoreUnavailable from error
            found += response["Responses"].get(self.name, [])
            left = response["UnprocessedKeys"].get(self.name)
            wanted = list(left["Keys"]) if left else []
        by_key = {(_text(item, "pk"), _text(item, "sk")): item for item in found}
        return [by_key.get((_text(key, "pk"), _text(key, "sk"))) for key in keys]

    def newest_first(self, partition: str, below: str, above: str) -> Iterator["Item"]:
        """Reads the items of a partition with sort keys from `below` down to `above`, page by page."""
        start: dict[str, Item] = {}
        while True:
            try:
                page = self._dynamodb.query(
                    TableName=self.name,
                    KeyConditionExpression="pk = :pk AND sk BETWEEN :above AND :below",
                    ExpressionAttributeValues={":pk": {"S": partition}, ":above": {"S": above}, ":below": {"S": below}},
                    ScanIndexForward=False,
                    ConsistentRead=True,
                    Limit=PAGE_ENTRIES,
                    **start,  # pyright: ignore[reportArgumentType] - present only from the second page on
                )
            except (BotoCoreError, ClientError) as error:
                raise StoreUnavailable from error
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def transact(self, actions: Sequence["TransactWriteItemTypeDef"]) -> None:
        """Writes all of it or nothing.

        boto3 gives the request a token, so its own retries after a lost answer write nothing twice.

        Raises:
            ConditionFailed: a condition of an action did not hold.
        """
        for attempt in range(CONFLICT_ATTEMPTS):
            try:
                self._dynamodb.transact_write_items(TransactItems=actions)
            except ClientError as error:
                reasons = [reason.get("Code", "None") for reason in error.response.get("CancellationReasons", [])]
                if "ConditionalCheckFailed" in reasons:
                    raise ConditionFailed([reason == "ConditionalCheckFailed" for reason in reasons]) from None
                if "TransactionConflict" not in reasons:
                    raise StoreUnavailable from error
            except BotoCoreError as error:
                raise StoreUnavailable from error
            else:
                return
            time.sleep(random.uniform(0, CONFLICT_WAIT_SECONDS * 2**attempt))
        raise StoreUnavailable


def _text(item: "Item", name: str) -> str:
    return item[name].get("S", "")
