"""The conditional writes that claims, rounds and endings are made of, each as one action of a transaction."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rondas.history import Entry, Round
from rondas.store.claim import Head, KeyState, Message
from rondas.store.items import Keys, StoredEntry, entry_item, number
from rondas.window import Window

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, TransactWriteItemTypeDef

    from rondas.store.items import Item

    type Action = TransactWriteItemTypeDef
    type Values = dict[str, AttributeValueTypeDef]

KEY_REMEMBERED_SECONDS = 48 * 3600
"""How long a request key is remembered after its message ended; apps retry for hours, not for days."""

TITLE_CHARS = 80


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions on one conversation.

    Attributes:
        table: the table's name.
        keys: the conversation's keys.
        clock: seconds since the epoch.
    """

    table: str
    keys: Keys
    clock: Callable[[], float]

    def take_lease(
        self, head: Head, message: Message, *, fence: int, owner: str, until: float, message_seq: int, next_seq: int
    ) -> "Action":
        """Takes the conversation if its head is still as it was read, with a fence that nobody had before.

        What is written here of `updated_at` is not touched again until the next claim: it orders the person's
        conversations, and each change of it writes to the index.
        """
        unchanged: Values = {":seen_fence": number(head.fence), ":seen_next": number(head.next_seq)}
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "UpdateExpression": (
                    "SET fence = :fence, lease_until = :until, open_key = :key, open_seq = :seq, next_seq = :next, "
                    "#owner = :owner, "
                    "updated_at = :now, created_at = if_not_exists(created_at, :now), "
                    "title = if_not_exists(title, :title)"
                ),
                "ConditionExpression": (
                    "fence = :seen_fence AND next_seq = :seen_next" if head.exists else "attribute_not_exists(pk)"
                ),
                "ExpressionAttributeNames": {"#owner": "owner"},
                "ExpressionAttributeValues": {
                    ":owner": {"S": owner},
                    ":fence": number(fence),
                    ":until": number(int(until * 1000)),
                    ":key": {"S": message.key},
                    ":seq": number(message_seq),
                    ":next": number(next_seq),
                    ":now": self._now(),
                    ":title": {"S": message.text[:TITLE_CHARS]},
                    **(unchanged if head.exists else {}),
                },
            }
        }

    def check_fence(self, fence: int) -> "Action":
        """Lets the transaction through only while nobody has taken the conversation over (rule S3)."""
        return {
            "ConditionCheck": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "ConditionExpression": "fence = :fence",
                "ExpressionAttributeValues": {":fence": number(fence)},
            }
        }

    def release(self, fence: int, key: str) -> "Action":
        """Lets anybody take the message up at once, while this runner still holds it."""
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "UpdateExpression": "SET lease_until = :now",
                "ConditionExpression": "fence = :fence AND open_key = :key",
                "ExpressionAttributeValues": {":fence": number(fence), ":key": {"S": key}, ":now": number(0)},
            }
        }

    def free(self, fence: int, next_seq: int, window: Window) -> "Action":
        """Gives the conversation back, under the same condition, and says where its window stands."""
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "UpdateExpression": (
                    "SET next_seq = :next, window_start = :start, whole_from = :whole "
                    "REMOVE lease_until, open_key, open_seq"
                ),
                "ConditionExpression": "fence = :fence",
                "ExpressionAttributeValues": {
                    ":fence": number(fence),
                    ":next": number(next_seq),
                    ":start": number(window.start),
                    ":whole": number(window.whole_from),
                },
            }
        }

    def put_entry(self, seq: int, entry: Entry, key: str) -> "Action":
        """Stores an entry where its number is free."""
        return {
            "Put": {
                "TableName": self.table,
                "Item": entry_item(self.keys, StoredEntry(seq, entry, iso(self.clock()), key)),
                "ConditionExpression": "attribute_not_exists(pk)",
            }
        }

    def complete_round(self, seq: int, done: Round, key: str) -> "Action":
        """Stores a round over the same one written ahead, and over nothing else."""
        return {
            "Put": {
                "TableName": self.table,
                "Item": entry_item(self.keys, StoredEntry(seq, done, iso(self.clock()), key)),
                "ConditionExpression": "#open = :true AND #key = :key",
                "ExpressionAttributeNames": {"#open": "open", "#key": "key"},
                "ExpressionAttributeValues": {":true": {"BOOL": True}, ":key": {"S": key}},
            }
        }

    def open_key(self, message: Message, seq: int) -> "Action":
        """Records a new request key; an expired one that the table has not deleted yet counts as forgotten."""
        return {
            "Put": {
                "TableName": self.table,
                "Item": {
                    **self.keys.request(message.key),
                    "state": {"S": "open"},
                    "body_hash": {"S": message.body_hash()},
                    "message_seq": number(seq),
                },
                "ConditionExpression": "attribute_not_exists(pk) OR #ttl < :now",
                "ExpressionAttributeNames": {"#ttl": "ttl"},
                "ExpressionAttributeValues": {":now": number(int(self.clock()))},
            }
        }

    def reopen_key(self, key: str) -> "Action":
        """Takes a request key up again whose message nobody has answered yet."""
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.request(key),
                "UpdateExpression": "SET #state = :open REMOVE #ttl",
                "ConditionExpression": "attribute_exists(pk) AND #state <> :done",
                "ExpressionAttributeNames": {"#state": "state", "#ttl": "ttl"},
                "ExpressionAttributeValues": {":open": {"S": "open"}, ":done": {"S": "done"}},
            }
        }

    def end_key(self, key: str, state: KeyState, answer_seq: int, tokens: int) -> "Action":
        """Records what became of a message and how many tokens it took, to be forgotten after a while."""
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.request(key),
                "UpdateExpression": "SET #state = :state, answer_seq = :seq, tokens = :tokens, #ttl = :ttl",
                "ConditionExpression": "attribute_exists(pk) AND #state <> :done",
                "ExpressionAttributeNames": {"#state": "state", "#ttl": "ttl"},
                "ExpressionAttributeValues": {
                    ":state": {"S": state},
                    ":done": {"S": "done"},
                    ":seq": number(answer_seq),
                    ":tokens": number(tokens),
                    ":ttl": number(int(self.clock()) + KEY_REMEMBERED_SECONDS),
                },
            }
        }

    def begin_erase(self, fence: int) -> "Action":
        """Makes the conversation count as missing, takes it off the list, and fences its runner off."""
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "UpdateExpression": "SET fence = :next, erased = :true REMOVE updated_at, title",
                "ConditionExpression": "fence = :fence",
                "ExpressionAttributeValues": {
                    ":fence": number(fence),
                    ":next": number(fence + 1),
                    ":true": {"BOOL": True},
                },
            }
        }

    def delete(self, key: "Item") -> "Action":
        """Removes an item of the conversation, or nothing where it is gone already."""
        return {"Delete": {"TableName": self.table, "Key": key}}

    def delete_head(self, fence: int) -> "Action":
        """Removes the head, the last trace of the conversation, as long as it is the one whose erase was begun."""
        return {
            "Delete": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "ConditionExpression": "fence = :fence",
                "ExpressionAttributeValues": {":fence": number(fence)},
            }
        }

    def _now(self) -> "AttributeValueTypeDef":
        return {"S": iso(self.clock())}


def iso(seconds: float) -> str:
    """Returns seconds since the epoch as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
