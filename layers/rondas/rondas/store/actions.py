"""The conditional writes that claims, rounds and endings are made of, each as one action of a transaction."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rondas.history import Entry, Round
from rondas.store.claim import KeyState, Message
from rondas.store.head_actions import HeadActions
from rondas.store.items import StoredEntry, entry_item, iso, number

if TYPE_CHECKING:
    from rondas.store.head_actions import Action
    from rondas.store.items import Item

KEY_REMEMBERED_SECONDS = 48 * 3600
"""How long a request key is remembered after its message ended; apps retry for hours, not for days."""


@dataclass(frozen=True, slots=True)
class Actions(HeadActions):
    """All actions on one conversation: on its head, its entries and its request keys."""

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

    def delete(self, key: "Item") -> "Action":
        """Removes an item of the conversation, or nothing where it is gone already."""
        return {"Delete": {"TableName": self.table, "Key": key}}
