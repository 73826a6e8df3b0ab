"""The conditional writes on a conversation's head, each one action of a transaction: who holds it, and until when."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rondas.store.claim import IN_QUEUE, Head, Message
from rondas.store.items import Keys, iso, number
from rondas.window import Window

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, TransactWriteItemTypeDef

    type Action = TransactWriteItemTypeDef
    type Values = dict[str, AttributeValueTypeDef]

TITLE_CHARS = 80

_HELD = "lease_until, open_key, open_seq, stop_key"


@dataclass(frozen=True, slots=True)
class HeadActions:
    """The actions on the head of one conversation.

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
                    ":now": {"S": iso(self.clock())},
                    ":title": {"S": message.text[:TITLE_CHARS]},
                    **(unchanged if head.exists else {}),
                },
            }
        }

    def check_fence(self, fence: int) -> "Action":
        """Lets the transaction through only while nobody has taken the conversation over (rule S3)."""
        return self._check("fence = :fence", {":fence": number(fence)})

    def check_going_on(self, fence: int, key: str) -> "Action":
        """Lets it through only while, moreover, nobody has asked to stop."""
        return self._check("fence = :fence AND NOT stop_key = :key", {":fence": number(fence), ":key": {"S": key}})

    def check_idle(self) -> "Action":
        """Lets it through only while no message of the conversation is being answered, or there is none any more."""
        return self._check("attribute_not_exists(open_key) OR attribute_exists(erased)")

    def renew(self, fence: int, key: str, until: float) -> "Action":
        """Holds the message until then, in seconds since the epoch, as long as this runner still holds it."""
        return self._hold("SET lease_until = :until", fence, key, {":until": number(int(until * 1000))})

    def release(self, fence: int, key: str) -> "Action":
        """Lets anybody take the message up at once, while this runner still holds it."""
        return self.renew(fence, key, 0)

    def hand_on(self, fence: int, key: str, until: float) -> "Action":
        """Leaves the message to the one who comes for it from the queue, and until then to nobody else."""
        return self._hold(
            "SET lease_until = :until, #owner = :queue",
            fence,
            key,
            {":until": number(int(until * 1000)), ":queue": {"S": IN_QUEUE}},
            {"#owner": "owner"},
        )

    def ask_to_stop(self, key: str) -> "Action":
        """Tells whoever answers the message, or comes to, that the person wants no more of it."""
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "UpdateExpression": "SET stop_key = :key",
                "ConditionExpression": "open_key = :key AND attribute_not_exists(erased)",
                "ExpressionAttributeValues": {":key": {"S": key}},
            }
        }

    def free(self, fence: int, next_seq: int, window: Window) -> "Action":
        """Gives the conversation back, under the same condition, and says where its window stands."""
        return {
            "Update": {
                "TableName": self.table,
                "Key": self.keys.head(),
                "UpdateExpression": (
                    f"SET next_seq = :next, window_start = :start, whole_from = :whole REMOVE {_HELD}"
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

    def take_away(self, head: Head, next_seq: int) -> "Action":
        """Ends a message that nobody answers any more, if its head is as it was read; its runner is fenced off."""
        return self._hold(
            f"SET next_seq = :next, fence = :higher REMOVE {_HELD}",
            head.fence,
            head.open_key,
            {":next": number(next_seq), ":higher": number(head.fence + 1)},
        )

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

    def _check(self, condition: str, values: "Values | None" = None) -> "Action":
        check: Any = {"TableName": self.table, "Key": self.keys.head(), "ConditionExpression": condition}
        return {"ConditionCheck": check | ({"ExpressionAttributeValues": values} if values else {})}

    def _hold(
        self, update: str, fence: int, key: str, values: "Values", names: Mapping[str, str] | None = None
    ) -> "Action":
        """Changes the head while the holder of this fence still has this message."""
        changed: Any = {
            "TableName": self.table,
            "Key": self.keys.head(),
            "UpdateExpression": update,
            "ConditionExpression": "fence = :fence AND open_key = :key",
            "ExpressionAttributeValues": {":fence": number(fence), ":key": {"S": key}, **values},
        }
        return {"Update": changed | ({"ExpressionAttributeNames": names} if names else {})}
