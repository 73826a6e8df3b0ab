"""The embedded DynamoDB engine, over HTTP."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from local.engine import Engine, EngineError, create_tables
from local.template import TEMPLATE, Template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TABLES = Template.read(TEMPLATE).tables
RACERS = 16
ROUNDS = 5


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine()
    yield engine
    engine.stop()


@pytest.fixture
def client(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator["DynamoDBClient"]:
    variables = {
        "AWS_ENDPOINT_URL_DYNAMODB": engine.url,
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "TABLE_NAME": "talks",
        "COACH_TABLE_NAME": "workouts",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    limits = Config(max_pool_connections=RACERS)
    client = boto3.client("dynamodb", config=limits)  # pyright: ignore[reportUnknownMemberType]
    yield client
    client.close()


def test_missing_tables_are_created_under_the_names_of_the_environment(client: "DynamoDBClient") -> None:
    create_tables(TABLES)
    assert {"talks", "workouts"} <= set(client.list_tables()["TableNames"])
    table = client.describe_table(TableName="talks")["Table"]
    assert table.get("TableStatus") == "ACTIVE"
    assert table.get("KeySchema") == TABLES[0].definition["KeySchema"]


def test_existing_tables_are_left_alone(client: "DynamoDBClient") -> None:
    # given
    create_tables(TABLES)
    client.put_item(TableName="talks", Item={"pk": {"S": "kept"}, "sk": {"S": "1"}})
    # when
    create_tables(TABLES)
    # then
    assert "Item" in client.get_item(TableName="talks", Key={"pk": {"S": "kept"}, "sk": {"S": "1"}})


def test_several_processes_may_create_them_at_once(client: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLE_NAME", "raced")
    with ThreadPoolExecutor(RACERS) as racers:
        for done in [racers.submit(create_tables, TABLES) for _ in range(RACERS)]:
            done.result()
    assert "raced" in client.list_tables()["TableNames"]


def test_racing_transactions_have_one_winner_and_leave_no_other_rows(client: "DynamoDBClient") -> None:
    create_tables(TABLES)
    with ThreadPoolExecutor(RACERS) as racers:
        for number in range(ROUNDS):
            # when
            claims = [racers.submit(_claims, client, f"race{number}", racer) for racer in range(RACERS)]
            wins = [claim.result() for claim in claims]
            # then
            assert wins.count(True) == 1
            assert len(_rows(client, f"race{number}")) == 2


def test_an_engine_that_does_not_answer_is_named(client: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch) -> None:
    del client
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9")
    with pytest.raises(EngineError, match=r"_DYNAMODB: DynamoDB at http://127\.0\.0\.1:9: Could not connect"):
        create_tables(TABLES)


@pytest.mark.parametrize("url", ["nonsense", "http://127.0.0.1:x"])
def test_what_is_no_url_is_named(client: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    del client
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", url)
    with pytest.raises(EngineError, match=f"AWS_ENDPOINT_URL_DYNAMODB: DynamoDB at {url}: "):
        create_tables(TABLES)


def _claims(client: "DynamoDBClient", race: str, racer: int) -> bool:
    """Writes two rows if the first is free, and one of this racer's own beside them in another transaction."""
    client.put_item(TableName="talks", Item={"pk": {"S": f"{race}-unrelated"}, "sk": {"S": str(racer)}})
    try:
        client.transact_write_items(
            TransactItems=[
                {
                    "Put": {
                        "TableName": "talks",
                        "Item": {"pk": {"S": race}, "sk": {"S": "lock"}, "by": {"N": str(racer)}},
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }
                },
                {"Put": {"TableName": "talks", "Item": {"pk": {"S": race}, "sk": {"S": f"by {racer}"}}}},
            ]
        )
    except client.exceptions.TransactionCanceledException:
        return False
    return True


def _rows(client: "DynamoDBClient", key: str) -> list[object]:
    found = client.query(
        TableName="talks", KeyConditionExpression="pk = :pk", ExpressionAttributeValues={":pk": {"S": key}}
    )
    return list(found["Items"])
