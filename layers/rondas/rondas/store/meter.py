"""What a person uses, as it lies in the table: two items of theirs, read and written with those of a message.

Nothing here is a request of its own: what is read is read with the claim, and what is written is part of the
transaction that begins a run or ends it. A limit that is not set costs nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rondas.store.allowance import DAY_SECONDS, Allowance, Used
from rondas.store.items import Keys, number, read_number

if TYPE_CHECKING:
    from rondas.store.head_actions import Action, Values
    from rondas.store.items import Item

USAGE_KEPT_SECONDS = 35 * DAY_SECONDS
"""How long the usage of a day can be looked up: a month and a little."""

_LEASE = "C#"


@dataclass(frozen=True, slots=True)
class Meter:
    """The account of the person to whom a conversation belongs.

    Attributes:
        table: the table's name.
        keys: the conversation's keys.
        allowance: what the person may use.
        clock: seconds since the epoch.
    """

    table: str
    keys: Keys
    allowance: Allowance
    clock: Callable[[], float]

    def items(self, now: float) -> list["Item"]:
        """Returns the keys of what has to be read before a run is begun."""
        usage = [self.keys.usage(_day(now))] if self.allowance.daily_tokens else []
        return [*usage, *([self.keys.runs()] if self.allowance.runs else [])]

    def read(self, items: Sequence["Item | None"]) -> Used:
        """Returns what they say, whichever of them there are."""
        found = {name: value for item in items if item for name, value in item.items()}
        leases = {name: read_number(found, name) for name in found if name.startswith(_LEASE)}
        return Used(read_number(found, "tokens"), read_number(found, "begun"), leases)

    def begin(self, used: Used, until: float) -> list["Action"]:
        """Begins a run that may live until then, in seconds since the epoch, unless too many others began meanwhile.

        As many may begin between reading and writing as there was room for, so that two conversations of a person
        seldom stand in each other's way. Leases that have run out are cleared away, where they are still the same.

        Raises:
            TooManyRuns: there are as many as may be.
        """
        if not self.allowance.runs:
            return []
        now = self.clock()
        left = self.allowance.runs_left(used, self._lease(), now)
        over = [(name, end) for name, end in used.others(self._lease()).items() if end / 1000 <= now]
        same = "".join(f" AND #over{index} = :over{index}" for index in range(len(over)))
        remove = f" REMOVE {', '.join(f'#over{index}' for index in range(len(over)))}" if over else ""
        return [
            {
                "Update": {
                    "TableName": self.table,
                    "Key": self.keys.runs(),
                    "UpdateExpression": f"SET #lease = :until, #ttl = :ttl{remove} ADD begun :one",
                    "ConditionExpression": f"(attribute_not_exists(begun) OR begun < :full){same}",
                    "ExpressionAttributeNames": {
                        "#lease": self._lease(),
                        "#ttl": "ttl",
                        **{f"#over{index}": name for index, (name, _) in enumerate(over)},
                    },
                    "ExpressionAttributeValues": {
                        ":until": number(int(until * 1000)),
                        ":ttl": number(int(until) + DAY_SECONDS),
                        ":one": number(1),
                        ":full": number(used.begun + left),
                        **{f":over{index}": number(end) for index, (_, end) in enumerate(over)},
                    },
                }
            }
        ]

    def hold(self, until: float) -> list["Action"]:
        """Lets the conversation's run that was begun live until then, in seconds since the epoch."""
        values: Values = {":until": number(int(until * 1000)), ":ttl": number(int(until) + DAY_SECONDS)}
        return self._change_lease(
            "SET #lease = :until, #ttl = :ttl",
            ExpressionAttributeNames={"#lease": self._lease(), "#ttl": "ttl"},
            ExpressionAttributeValues=values,
        )

    def end(self) -> list["Action"]:
        """Says that the conversation's run has ended."""
        return self._change_lease("REMOVE #lease", ExpressionAttributeNames={"#lease": self._lease()})

    def count(self, tokens: int) -> list["Action"]:
        """Adds the tokens of a message to those of the day on which its answer is stored."""
        if not self.allowance.daily_tokens:
            return []
        now = self.clock()
        return [
            {
                "Update": {
                    "TableName": self.table,
                    "Key": self.keys.usage(_day(now)),
                    "UpdateExpression": "SET #ttl = :ttl ADD tokens :tokens, requests :one",
                    "ExpressionAttributeNames": {"#ttl": "ttl"},
                    "ExpressionAttributeValues": {
                        ":ttl": number(int(now) + USAGE_KEPT_SECONDS),
                        ":tokens": number(tokens),
                        ":one": number(1),
                    },
                }
            }
        ]

    def _change_lease(self, update: str, **more: Any) -> list["Action"]:
        """Changes the item of the person's runs; nothing where they are not counted."""
        if not self.allowance.runs:
            return []
        changed: Any = {"TableName": self.table, "Key": self.keys.runs(), "UpdateExpression": update}
        return [{"Update": changed | more}]

    def _lease(self) -> str:
        return f"{_LEASE}{self.keys.conversation}"


def _day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y%m%d")
