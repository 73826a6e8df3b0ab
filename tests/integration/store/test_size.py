"""Long conversations and large entries, on AWS's own engine, which knows the limits to the byte (rules S6 and S7)."""

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pytest
from doubles import FakeClock, asks
from engine.dynamodb_local import connect
from tables import create_table

from rondas.fit import fitted
from rondas.history import Answer, Round, ToolCall, ToolResult, Turn, UserMessage, settle
from rondas.loop import Ending
from rondas.store.claim import Message
from rondas.store.conversations import Conversations
from rondas.store.items import Keys, StoredEntry, entry_item, iso
from rondas.store.run import ClaimedRun
from rondas.store.table import Table
from rondas.tokens import estimated_tokens

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH = 25
TOKEN_BUDGET = 2_000
TOLD: tuple[Answer, UserMessage, Round] = (
    Answer("So much."),
    UserMessage("How much?"),
    settle(asks("look"), "12 kg " * 150, "done"),
)


def _ask_for_capacity(params: dict[str, Any], **_: Any) -> None:
    params["ReturnConsumedCapacity"] = "TOTAL"


def _listed(consumed: Any) -> list[dict[str, Any]]:
    """One table's consumption or a list of several tables', as the operation has it."""
    return cast("list[dict[str, Any]]", consumed if isinstance(consumed, list) else [consumed])


class Cost(NamedTuple):
    """What a message took: its requests to the table, the read units, and about how many tokens the model is shown."""

    requests: tuple[str, ...]
    read_units: float
    tokens: int


class Store:
    """Conversations on DynamoDB Local, and what they cost."""

    def __init__(self, url: str, name: str) -> None:
        self.client: DynamoDBClient = connect(url)
        create_table(self.client, name)
        self.name = name
        self.requests: list[str] = []
        self.read_units = 0.0
        for read in ("Query", "BatchGetItem"):
            self.client.meta.events.register(f"before-parameter-build.dynamodb.{read}", _ask_for_capacity)
        self.client.meta.events.register("after-call.dynamodb", self._count)
        self.conversations = Conversations(Table(name, self.client), TOKEN_BUDGET, FakeClock())

    def _count(self, model: Any, parsed: Any, **_: Any) -> None:
        self.requests.append(model.name)
        consumed: Any = parsed.get("ConsumedCapacity", [])
        self.read_units += sum(each["CapacityUnits"] for each in _listed(consumed))

    def claim(self, conversation: str, key: str) -> ClaimedRun:
        claimed = self.conversations.claim(Message("ana", conversation, key, "hello"), seconds=20)
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def cost(self, conversation: str, key: str) -> Cost:
        """Answers a message of the conversation after one round, and returns what it took."""
        self.requests, self.read_units = [], 0.0
        run = self.claim(conversation, key)
        run.append(TOLD[2])
        run.finish(Ending(Answer("So much.")))
        return Cost(tuple(self.requests), self.read_units, sum(map(estimated_tokens, run.history)))

    def fill(self, conversation: str, entries: int) -> None:
        """Writes a conversation of so many entries, as if it had been going on for a year before heads had a window."""
        self.claim(conversation, "first").finish(Ending(Answer("Hi")))
        keys = Keys("ana", conversation)
        items = [entry_item(keys, StoredEntry(seq, TOLD[seq % 3], iso(0), "old")) for seq in range(2, entries)]
        for start in range(0, len(items), BATCH):
            puts: Any = [{"PutRequest": {"Item": item}} for item in items[start : start + BATCH]]
            self.client.batch_write_item(RequestItems={self.name: puts})
        self.client.update_item(
            TableName=self.name,
            Key=keys.head(),
            UpdateExpression="SET next_seq = :next REMOVE window_start, whole_from",
            ExpressionAttributeValues={":next": {"N": str(entries)}},
        )


@pytest.fixture
def store(dynamodb_local: str, request: pytest.FixtureRequest) -> Store:
    return Store(dynamodb_local, f"size-{abs(hash(request.node.name))}")


def test_s6_ten_thousand_entries_cost_what_a_hundred_cost(store: Store) -> None:
    # Given a short conversation and a very long one, both longer than the window
    store.fill("short", 100)
    store.fill("long", 10_000)
    # When thirty more messages of each are answered
    short, long = ([store.cost(each, f"next-{number}") for number in range(30)] for each in ("short", "long"))
    # Then each took the same requests and the same read units, and the model is shown as much
    assert short == long
    # And that it is one page a message
    assert {cost.requests for cost in long} == {
        ("BatchGetItem", "TransactWriteItems", "Query", "TransactWriteItems", "TransactWriteItems")
    }
    assert all(cost.tokens <= TOKEN_BUDGET for cost in long)
    # And that hardly more is read than is shown, as soon as the head says where the window stands
    assert long[0].read_units <= 15
    assert max(cost.read_units for cost in long[1:]) <= 4


def test_s6_a_long_window_is_one_page(store: Store) -> None:
    # Given a conversation of a thousand entries, all of which the model may be shown
    store.conversations = Conversations(Table(store.name, store.client), 10**6, FakeClock())
    store.fill("c", 1_000)
    # When the next message is answered, then they came with one request
    cost = store.cost("c", "next")
    assert cost.requests.count("Query") == 1
    assert cost.tokens > 100_000


def test_s6_the_window_stays_where_it_stood_when_its_run_ended(store: Store) -> None:
    # Given a conversation with a message that moved its window
    store.fill("c", 100)
    moved = store.claim("c", "k1")
    # When its run ends, and the next message is claimed
    moved.finish(Ending(Answer("Done")))
    shown = store.claim("c", "k2").history
    # Then the model sees what it saw, and what came after
    assert shown == [*moved.history, Answer("Done"), UserMessage("hello")]


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
