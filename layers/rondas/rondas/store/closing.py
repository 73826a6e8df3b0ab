"""The end of a message that nobody answers any more: what was done stays, and what is unknown is said."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rondas.history import Answer, Entry, Round, UserMessage, settle, total_usage
from rondas.replies import INTERRUPTED, Language, interrupted_reply, language_of
from rondas.store.actions import Actions
from rondas.store.allowance import Allowance
from rondas.store.claim import Head, InProgress
from rondas.store.heads import read_head, read_key
from rondas.store.items import Keys, StoredEntry, is_erased
from rondas.store.meter import Meter
from rondas.store.reading import answer_of, newest_first
from rondas.store.table import ConditionFailed, StoreUnavailable, Table

if TYPE_CHECKING:
    from rondas.store.head_actions import Action

ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Closing:
    """What is written to close a message: its answer, the number of the entry after that, and the writes."""

    answer: Answer
    next_seq: int
    actions: tuple["Action", ...]


def closing(actions: Actions, meter: Meter, head: Head, stored: Sequence[StoredEntry]) -> Closing:
    """Returns the closing of the open message.

    Args:
        actions: on its conversation.
        meter: of its person.
        head: of the conversation.
        stored: the message and what a runner has left after it, in their order.
    """
    newest = stored[-1]
    rounds = [each.entry for each in stored if isinstance(each.entry, Round)]
    counted = max((each.entry.usage.total for each in stored if isinstance(each.entry, Answer)), default=0)
    writes: list[Action] = []
    unknown = bool(rounds) and rounds[-1].is_open
    if unknown:
        rounds[-1] = settle(rounds[-1].turn, INTERRUPTED, "unknown", after=rounds[-1].results)
        writes.append(actions.complete_round(newest.seq, rounds[-1], head.open_key))
    answer = Answer(
        interrupted_reply(_language(stored[0].entry), effect_unknown=unknown),
        "failed",
        "interrupted",
        len(rounds),
        usage=total_usage(rounds),
    )
    answer_seq = newest.seq + 1
    writes.append(actions.put_entry(answer_seq, answer, head.open_key))
    writes.append(actions.end_key(head.open_key, "done", answer_seq, answer.usage.total))
    writes.extend(meter.count(max(0, answer.usage.total - counted)))
    return Closing(answer, answer_seq + 1, tuple(writes))


def give_up(
    table: Table, keys: Keys, key: str, allowance: Allowance, clock: Callable[[], float] = time.time
) -> Answer | None:
    """Closes a message that was handed on and that no worker has brought to an end.

    Args:
        table: where it lies.
        keys: of its conversation.
        key: its request key.
        allowance: what its person may use.
        clock: seconds since the epoch.

    Returns:
        Its answer, be it one from before; None where the message is gone: erased, or forgotten long after its end.

    Raises:
        InProgress: somebody is answering it; to be tried again after that.
        StoreUnavailable: the table does not answer.
    """
    actions, meter = Actions(table.name, keys, clock), Meter(table.name, keys, allowance, clock)
    for _ in range(ATTEMPTS):
        item, key_item = table.get([keys.head(), keys.request(key)])
        head, known, now = read_head(item), read_key(key_item, clock()), clock()
        if is_erased(item) or known is None:
            return None
        if known.state != "open":
            return answer_of(table, keys, known.answer_seq)
        if not head.is_queued and head.lease_until > now:
            raise InProgress(head.lease_until - now)
        stored = list(newest_first(table, keys, from_seq=head.open_seq))[::-1]
        end = closing(actions, meter, head, stored)
        try:
            table.transact([actions.take_away(head, end.next_seq), *end.actions, *meter.end()])
        except ConditionFailed:
            continue  # somebody was faster: look again
        return end.answer
    raise StoreUnavailable("too many requests for one conversation at once")


def _language(entry: Entry) -> Language:
    return language_of(entry.text if isinstance(entry, UserMessage) else "")
