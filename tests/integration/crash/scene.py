"""Where the processes meet: the tables on the engine, the record on the disk, and what lies there."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.dynamodb_local import connect
from tables import create_table
from traces import Record

from rondas.store.items import Keys, StoredEntry, read_entry

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rondas.store.items import Item

USER = "ana"


@dataclass(frozen=True)
class Stored:
    """A conversation as it lies in the table.

    Attributes:
        head: the attributes of its head.
        entries: in the order of their numbers.
        open_seqs: the entries that are marked as open.
        requests: the attributes of each request key.
        effects: of each message, the keys under which its effect is stored.
    """

    head: dict[str, Any]
    entries: list[StoredEntry]
    open_seqs: list[int]
    requests: dict[str, dict[str, Any]]
    effects: dict[str, list[str]]

    @property
    def fence(self) -> int:
        """The fence of the last claim; 0 where there is none."""
        return int(self.head.get("fence", 0))


@dataclass(frozen=True)
class Scene:
    """Two tables and a folder of records.

    Nothing is connected yet where a process forks: a child takes the clients for its own, and each has its own
    connections.

    Attributes:
        url: of the engine.
        folder: of the records.
        name: of the program, for each has its own tables.
    """

    url: str
    folder: Path
    name: str

    @property
    def table(self) -> str:
        """The table of the conversations."""
        return f"{self.name}-conversations"

    @property
    def effects(self) -> str:
        """The table in which the tool has its effect."""
        return f"{self.name}-effects"

    @cached_property
    def actor(self) -> "DynamoDBClient":
        """The client of a child's run."""
        return connect(self.url)

    @cached_property
    def onlooker(self) -> "DynamoDBClient":
        """The client with which a child looks at the table beside its run."""
        return connect(self.url)

    @cached_property
    def parent(self) -> "DynamoDBClient":
        """The client of the program that starts the children."""
        return connect(self.url)

    def open(self) -> None:
        """Creates the tables and makes the clients, so that no child has to."""
        for name in (self.table, self.effects):
            create_table(self.parent, name)
        _ = self.actor, self.onlooker

    def record(self, conversation: str) -> Record:
        """Returns the record of all that was done in a conversation."""
        return Record(self.folder / conversation)

    def look(self, conversation: str, client: "DynamoDBClient | None" = None) -> Stored:
        """Reads a conversation as it is now."""
        client = client or self.parent
        keys = Keys(USER, conversation)
        head = client.get_item(TableName=self.table, Key=keys.head(), ConsistentRead=True).get("Item", {})
        items = _partition(client, self.table, keys.partition(), "")
        entries = [item for item in items if item["sk"].get("S", "").startswith("M#")]
        effects: dict[str, list[str]] = defaultdict(list)
        for item in _partition(client, self.effects, conversation, ""):
            effects[item["message"].get("S", "")].append(item["sk"].get("S", ""))
        stored = [read_entry(item) for item in entries]
        return Stored(
            head=_plain(head),
            entries=stored,
            open_seqs=[entry.seq for entry, item in zip(stored, entries, strict=True) if "open" in item],
            requests={
                item["sk"].get("S", "").removeprefix("R#"): _plain(item)
                for item in items
                if item["sk"].get("S", "").startswith("R#")
            },
            effects=dict(effects),
        )

    def entries(self, conversation: str, client: "DynamoDBClient") -> list[StoredEntry]:
        """Reads only the entries, as they are now."""
        return list(map(read_entry, _partition(client, self.table, Keys(USER, conversation).partition(), "M#")))


def _partition(client: "DynamoDBClient", table: str, partition: str, prefix: str) -> "list[Item]":
    begins = " AND begins_with(sk, :prefix)" if prefix else ""
    page = client.query(
        TableName=table,
        KeyConditionExpression=f"pk = :pk{begins}",
        ExpressionAttributeValues={":pk": {"S": partition}} | ({":prefix": {"S": prefix}} if prefix else {}),
        ConsistentRead=True,
    )
    if "LastEvaluatedKey" in page:
        raise ValueError("a conversation of these tests has outgrown one page")
    return page["Items"]


def _plain(item: "Item") -> dict[str, Any]:
    return {name: next(iter(value.values())) for name, value in item.items()}
