"""The coach's table: one JSON text per item, and the person leading every key.

No function here can be called without saying whose item is meant, so no code path reaches another person's. The text is
one string attribute, `body`: DynamoDB's numbers and empty sets never come into it.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from rondas.store.table import client

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, QueryInputTypeDef


def put(user: str, sort_key: str, body: str) -> None:
    """Writes an item, over the one of the same key if there is one."""
    client().put_item(TableName=_name(), Item=_key(user, sort_key) | {"body": {"S": body}})


def put_once(user: str, sort_key: str, body: str) -> bool:
    """Writes an item unless its key is taken; returns whether it was written."""
    item = _key(user, sort_key) | {"body": {"S": body}}
    try:
        client().put_item(TableName=_name(), Item=item, ConditionExpression="attribute_not_exists(pk)")
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == "ConditionalCheckFailedException":
            return False
        raise
    return True


def keep_first(user: str, sort_key: str, body: str) -> str:
    """Writes an item unless its key is taken; returns the body that stands there, the one written first.

    With a key made of a call's own (rule S4), a run that is resumed finds what it wrote before.
    """
    return body if put_once(user, sort_key, body) else get(user, sort_key) or body


def get(user: str, sort_key: str) -> str | None:
    """Returns the body of an item as it is at this moment; None where there is none."""
    answer = client().get_item(TableName=_name(), Key=_key(user, sort_key), ConsistentRead=True)
    return _body(answer["Item"]) if "Item" in answer else None


def read(user: str, first: str, last: str) -> Iterator[str]:
    """Yields the bodies of a person's items from one sort key to another, both included, in the order of the keys.

    Only that range is read, page by page, as it is at this moment.
    """
    query: QueryInputTypeDef = {
        "TableName": _name(),
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
        "ExpressionAttributeValues": {":pk": {"S": _owner(user)}, ":first": {"S": first}, ":last": {"S": last}},
        "ConsistentRead": True,
    }
    while True:
        page = client().query(**query)
        yield from map(_body, page["Items"])
        if "LastEvaluatedKey" not in page:
            return
        query["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _name() -> str:
    """Returns the table's name, read late so that importing this module asks nothing of the environment."""
    return os.environ["COACH_TABLE_NAME"]


def _owner(user: str) -> str:
    return f"U#{user}"


def _key(user: str, sort_key: str) -> "dict[str, AttributeValueTypeDef]":
    return {"pk": {"S": _owner(user)}, "sk": {"S": sort_key}}


def _body(item: "dict[str, AttributeValueTypeDef]") -> str:
    return item.get("body", {}).get("S", "")
