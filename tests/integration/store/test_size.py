"""Long conversations and large entries, on AWS's own engine, which knows the limits to the byte (rules S6 and S7)."""

from typing import TYPE_CHECKING, Any

import pytest
from doubles import FakeClock
from engine.dynamodb_local import connect
from tables import create_table

from rondas.fit import fitted
from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, Turn, UserMessage
from rondas.loop import Ending
from rondas.store.actions import iso
from rondas.store.claim import Message
from rondas.store.conversations import Conversations
from rondas.store.items import Keys, StoredEntry, entry_item
from rondas.store.run import ClaimedRun
from rondas.store.table import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH = 25


class Store:
    """Conversations on DynamoDB Local, and the read units that they take."""

    def __init__(self, url: str, name: str) -> None:
        self.client: DynamoDBClient = connect(url)
        create_table(self.client, name)
        self.name = name
        self.requests: list[str] = []
        self.client.meta.events.register("before-send.dynamodb", self._count)
        self.conversations = Conversations(Table(name, self.client), 300, FakeClock())

    def _count(self, request: Any, **_: Any) -> None:
        self.requests.append(request.headers["X-Amz-Target"].decode().partition(".")[2])

    def claim(self, conversation: str, key: str) -> ClaimedRun:
        claimed = self.conversations.claim(Message("ana", conversation, key, "hello"), seconds=20)
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def fill(self, conversation: str, entries: int) -> None:
        """Writes a conversation of so many entries, as if it had been going on for a year."""
        self.claim(conversation, "first").finish(Ending(Answer("Hi")))
        keys = Keys("ana", conversation)
        told: list[Entry] = [UserMessage("How much?"), Answer("So much.")]
        items = [entry_item(keys, StoredEntry(seq, told[seq % 2], iso(0), "old")) for seq in range(2, entries)]
        for start in range(0, len(items), BATCH):
            puts: Any = [{"PutRequest": {"Item": item}} for item in items[start : start + BATCH]]
            self.client.batch_write_item(RequestItems={self.name: puts})
        self.client.update_item(
            TableName=self.name,
            Key=keys.head(),
            UpdateExpression="SET next_seq = :next",
            ExpressionAttributeValues={":next": {"N": str(entries)}},
        )


@pytest.fixture
def store(dynamodb_local: str, request: pytest.FixtureRequest) -> Store:
    return Store(dynamodb_local, f"size-{abs(hash(request.node.name))}")


def test_s6_ten_thousand_entries_cost_what_a_hundred_cost(store: Store) -> None:
    # Given a short conversation and a very long one
    store.fill("short", 100)
    store.fill("long", 10_000)
    cost: list[tuple[list[str], int]] = []
    for conversation in ("short", "long"):
        store.requests.clear()
        # When the next message of each is claimed
        run = store.claim(conversation, "next")
        cost.append((list(store.requests), len(run.history)))
        run.finish(Ending(Answer("Done")))
    # Then both took the same requests, and the model is shown as much
    assert cost[0] == cost[1]


@pytest.mark.parametrize("letter", ["漢", "ñ", "\U0001f3cb", '"', "\x01"])
def test_s7_a_round_of_many_large_results_is_stored_whatever_its_letters(store: Store, letter: str) -> None:
    # Given a turn with sixty calls, each with as long a result as the boundary lets through, in letters of many bytes
    calls = tuple(ToolCall(f"c{number}", "read", "{}") for number in range(60))
    results = tuple(ToolResult(call.id, (letter + str(number)) * 6_000) for number, call in enumerate(calls))
    large = fitted(Round(Turn("", calls), results))
    # When it is stored, then it is, and comes back whole
    run = store.claim("c", "k1")
    run.append(large)
    run.finish(Ending(Answer("Done")))
    store.conversations = Conversations(Table(store.name, store.client), 10**6, FakeClock())
    assert large in store.claim("c", "k2").history
