"""How conversations lie in the table: keys, and entries as one JSON string each (rules S5 and S7).

One string per entry, because DynamoDB's own types lose something on every way back: floats, empty sets, numbers
beyond 38 digits. Bodies that are large are compressed.
"""

import logging
import zlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import TypeAdapter

from rondas.history import Answer, Entry, Round, Turn, UserMessage

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    type Item = dict[str, AttributeValueTypeDef]

logger = logging.getLogger(__name__)

COMPRESS_BYTES = 8_192
"""Bodies longer than this are compressed: eight write units become two or three, for half a millisecond."""

MAX_SEQ = 999_999_999
"""Beyond every entry's number: nine digits, in which the order of texts is the order of numbers."""

type Kind = Literal["user", "round", "answer"]

_ADAPTERS: dict[Kind, TypeAdapter[Any]] = {
    "user": TypeAdapter(UserMessage),
    "round": TypeAdapter(Round),
    "answer": TypeAdapter(Answer),
}


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry as it lies in the conversation: its number, when it was written (ISO 8601, UTC), and for which key."""

    seq: int
    entry: Entry
    created_at: str
    key: str


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one conversation. The person leads every key, so no code path reaches another person's items."""

    user: str
    conversation: str

    def head(self) -> "Item":
        """Returns the key of the conversation's head."""
        return _key(heads_of(self.user), f"C#{self.conversation}")

    def entry(self, seq: int) -> "Item":
        """Returns the key of the entry with that number."""
        return _key(self.partition(), entry_sort_key(seq))

    def request(self, key: str) -> "Item":
        """Returns the key of a request key."""
        return _key(self.partition(), f"R#{key}")

    def usage(self, day: str) -> "Item":
        """Returns the key of what the person has used on a day, `yyyymmdd`."""
        return _key(heads_of(self.user), f"Q#{day}")

    def runs(self) -> "Item":
        """Returns the key of the runs that the person has at this moment, in all conversations."""
        return _key(heads_of(self.user), "Q#runs")

    def partition(self) -> str:
        """Returns the partition in which the entries and request keys lie."""
        return f"{heads_of(self.user)}#C#{self.conversation}"


def heads_of(user: str) -> str:
    """Returns the partition in which the heads of a person's conversations lie, and what the person has used."""
    return f"U#{_escaped(user)}"


def is_erased(head: "Item | None") -> bool:
    """Whether there is no such conversation, or no longer: its erase has begun."""
    return head is None or "erased" in head


def number(value: int) -> "AttributeValueTypeDef":
    """Returns a whole number as the table has it."""
    return {"N": str(value)}


def read_number(item: "Item", name: str) -> int:
    """Returns a whole number of an item; 0 where it has none of that name."""
    return int(item.get(name, {}).get("N", "0"))


def entry_sort_key(seq: int) -> str:
    """Returns the sort key of an entry: nine digits, so that the order of texts is the order of numbers."""
    return f"M#{seq:09d}"


def entry_item(keys: Keys, stored: StoredEntry) -> "Item":
    """Returns the item of an entry; a round whose calls still wait for results is marked as open."""
    kind = _kind(stored.entry)
    body = _ADAPTERS[kind].dump_json(_neutral(stored.entry), exclude_defaults=True)
    item: Item = {
        **keys.entry(stored.seq),
        "kind": {"S": kind},
        "body": {"S": body.decode()} if len(body) <= COMPRESS_BYTES else {"B": zlib.compress(body, 3)},
        "at": {"S": stored.created_at},
        "key": {"S": stored.key},
    }
    if isinstance(stored.entry, Round) and stored.entry.is_open:
        item["open"] = {"BOOL": True}
    return item


def read_entry(item: "Item") -> StoredEntry:
    """Returns the entry of an item; one that cannot be read is a round in which nothing was said."""
    seq = int(_text(item, "sk").removeprefix("M#"))
    try:
        entry = _read_body(item)
    except (ValueError, KeyError, zlib.error) as error:  # pydantic's errors are ValueErrors
        logger.warning("entry %s cannot be read: %s", seq, type(error).__name__)
        entry = Round(Turn())
    return StoredEntry(seq, entry, _text(item, "at"), _text(item, "key"))


def iso(seconds: float) -> str:
    """Returns seconds since the epoch as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _read_body(item: "Item") -> Entry:
    body: Any = item["body"]
    text = body["S"] if "S" in body else zlib.decompress(bytes(body["B"]))
    return _ADAPTERS[cast("Kind", _text(item, "kind"))].validate_json(text)


def _text(item: "Item", name: str) -> str:
    return item.get(name, {}).get("S", "")


def _neutral(entry: Entry) -> Entry:
    """Leaves out what a provider said to itself (rule S5).

    It is bound to all that was sent before it. A run that is taken up again may show less of the conversation, or
    another prompt, and would be refused for ever.
    """
    return replace(entry, turn=replace(entry.turn, opaque=None)) if isinstance(entry, Round) else entry


def _kind(entry: Entry) -> Kind:
    match entry:
        case UserMessage():
            return "user"
        case Round():
            return "round"
        case Answer():
            return "answer"


def _key(pk: str, sk: str) -> "Item":
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def _escaped(user: str) -> str:
    """Keeps `#`, which separates the parts of a key, out of the person's name."""
    return user.replace("%", "%25").replace("#", "%23")
