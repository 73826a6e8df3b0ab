"""The conversation table: the few calls of boto3's client that the store needs, and what their errors mean."""

import functools
import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

    from rondas.store.items import Item

ATTEMPTS = 4
"""For what passes by itself within moments: a conflict with another transaction, a throttled key."""

FIRST_WAIT_SECONDS = 0.05

USER_AGENT = f"Boto3/{boto3.__version__} rondas"
"""Said outright: what botocore composes anew for each request is an eighth of the request's time."""

_PASSING = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}

PAGE_ITEMS = 100


class ConditionFailed(Exception):  # noqa: N818 - what the table says, not a mistake
    """Something in the table was not as expected; nothing was written."""


class StoreUnavailable(Exception):  # noqa: N818 - a state of the world
    """The table did not answer, in spite of retries. The text says what it said, in a word for the operator."""


@functools.cache
def client() -> "DynamoDBClient":
    """Returns the one DynamoDB client of the process; region and endpoint come from AWS's own variables.

    An attempt has many times what a healthy table needs. What all attempts may take together is for the deadline of
    the answer to say, which interrupts them.
    """
    limits = Config(
        connect_timeout=0.5,
        read_timeout=1.0,
        retries={"mode": "standard", "total_max_attempts": 3},
        tcp_keepalive=True,
        parameter_validation=False,  # the items are built here, in one place; a wrong one is refused by the service
        user_agent=USER_AGENT,
    )
    return boto3.client("dynamodb", config=limits)  # pyright: ignore[reportUnknownMemberType] - its other services


@dataclass(frozen=True, slots=True)
class Page:
    """Items in their order, and the key of the last one where more may follow."""

    items: "list[Item]"
    last: "Item | None"


class Table:
    """One DynamoDB table.

    Raises `StoreUnavailable` from every method when the table does not answer.

    Args:
        name: of the table.
        dynamodb: the client.
        on_request: is told how many seconds each request has taken.
    """

    def __init__(
        self, name: str, dynamodb: "DynamoDBClient", on_request: Callable[[float], None] = lambda _seconds: None
    ) -> None:
        self.name = name
        self._dynamodb = dynamodb
        self._on_request = on_request

    def get(self, keys: Sequence["Item"]) -> list["Item | None"]:
        """Reads items by key in one request, each as it is now; None where there is none."""
        found: dict[tuple[str, str], Item] = {}
        wanted = list(keys)
        for attempt in range(ATTEMPTS):
            if attempt:
                _wait(attempt)
            with self._request():
                response = self._dynamodb.batch_get_item(
                    RequestItems={self.name: {"Keys": wanted, "ConsistentRead": True}}
                )
            found |= {_key(item): item for item in response["Responses"].get(self.name, [])}
            left = response["UnprocessedKeys"].get(self.name)
            if not left:
                return [found.get(_key(key)) for key in keys]
            wanted = list(left["Keys"])
        raise StoreUnavailable("UnprocessedKeys")

    def newest_first(self, partition: str, below: str, above: str, *, page_items: int = PAGE_ITEMS) -> Iterator["Item"]:
        """Reads the items of a partition with sort keys from `below` down to `above`, page by page.

        A page is one request; it holds `page_items`, or fewer where they come to a megabyte.
        """
        start: Item | None = None
        while True:
            page = self.page(
                "pk = :pk AND sk BETWEEN :above AND :below",
                {":pk": {"S": partition}, ":above": {"S": above}, ":below": {"S": below}},
                items=page_items,
                newest_first=True,
                after=start,
            )
            yield from page.items
            if page.last is None:
                return
            start = page.last

    def page(
        self,
        where: str,
        values: "Item",
        *,
        items: int,
        newest_first: bool = False,
        after: "Item | None" = None,
        index: str = "",
        only: str = "",
    ) -> Page:
        """Reads one page of a partition as it is now: one request.

        Args:
            where: the condition on the keys.
            values: what stands for the names in it.
            items: the most it may hold; it holds fewer where they come to a megabyte.
            newest_first: from the highest sort key down.
            after: the key of the item that the page begins after.
            index: the index whose keys are meant, in place of the table's.
            only: the attributes that are wanted, in place of all.
        """
        more: Any = {"ExclusiveStartKey": after} if after else {}
        if index:
            more["IndexName"] = index
        if only:
            more["ProjectionExpression"] = only
        with self._request():
            found = self._dynamodb.query(
                TableName=self.name,
                KeyConditionExpression=where,
                ExpressionAttributeValues=values,
                ScanIndexForward=not newest_first,
                ConsistentRead=True,
                Limit=items,
                **more,
            )
        return Page(found["Items"], found.get("LastEvaluatedKey"))

    def transact(self, actions: Sequence["TransactWriteItemTypeDef"]) -> None:
        """Writes all of it or nothing.

        boto3 gives the request a token, so its own retries after a lost answer write nothing twice.

        Raises:
            ConditionFailed: a condition of an action did not hold.
        """
        for attempt in range(ATTEMPTS):
            if attempt:
                _wait(attempt)
            with self._request():
                try:
                    self._dynamodb.transact_write_items(TransactItems=actions)
                except self._dynamodb.exceptions.TransactionCanceledException as error:
                    reasons = {reason.get("Code", "") for reason in error.response.get("CancellationReasons", [])}
                    if "ConditionalCheckFailed" in reasons:
                        raise ConditionFailed from None
                    if not reasons & _PASSING:
                        raise
                else:
                    return
        raise StoreUnavailable("TransactionConflict")

    @contextmanager
    def _request(self) -> Generator[None]:
        """Turns what boto3 raises in a request into what the store says, and takes the time of it."""
        started = time.monotonic()
        try:
            yield
        except ClientError as error:
            raise StoreUnavailable(error.response.get("Error", {}).get("Code", "ClientError")) from error
        except BotoCoreError as error:
            raise StoreUnavailable(type(error).__name__) from error
        finally:
            self._on_request(time.monotonic() - started)


def _wait(attempt: int) -> None:
    time.sleep(random.uniform(0, FIRST_WAIT_SECONDS * 2**attempt))


def _key(item: "Item") -> tuple[str, str]:
    return item["pk"].get("S", ""), item["sk"].get("S", "")
