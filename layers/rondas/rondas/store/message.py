"""One message as its person sees it: at work, with the rounds so far, or at its end; and the wish that it stop."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from rondas.history import Answer, Round, Status
from rondas.store.actions import Actions
from rondas.store.heads import read_head, read_key
from rondas.store.items import MAX_SEQ, Keys, StoredEntry, is_erased
from rondas.store.reading import ConversationNotFound, newest_first
from rondas.store.table import ConditionFailed, Table

type Progress = Literal["running", "interrupted"]
"""`interrupted`: whoever was at work gives no sign of life. It is taken up again: by the queue where it was handed on,
else when the same message is sent again."""


class MessageNotFound(ConversationNotFound):
    """The person has no such message: there is none, it is another's, it was erased, or it ended long ago."""


@dataclass(frozen=True, slots=True)
class MessageState:
    """Where a message stands.

    Attributes:
        status: how it ended, or how far it is.
        rounds: what is stored of it after what the person wrote, in order.
        answer: its end; None as long as it has none.
    """

    status: Status | Progress
    rounds: list[StoredEntry]
    answer: Answer | None = None


def message_state(table: Table, keys: Keys, key: str, clock: Callable[[], float] = time.time) -> MessageState:
    """Returns where a message stands.

    Args:
        table: where it lies.
        keys: of its conversation.
        key: its request key.
        clock: seconds since the epoch.

    Raises:
        MessageNotFound: the person has no such message.
        StoreUnavailable: the table does not answer.
    """
    item, key_item = table.get([keys.head(), keys.request(key)])
    head, known, now = read_head(item), read_key(key_item, clock()), clock()
    if is_erased(item) or known is None:
        raise MessageNotFound
    last = MAX_SEQ if known.state == "open" else known.answer_seq
    found = list(newest_first(table, keys, from_seq=known.message_seq + 1, to_seq=last))[::-1]
    rounds = [each for each in found if isinstance(each.entry, Round)]
    if known.state == "open":
        return MessageState("running" if head.lease_until > now else "interrupted", rounds)
    if not found or not isinstance(found[-1].entry, Answer):
        raise MessageNotFound  # erased since
    return MessageState(found[-1].entry.status, rounds, found[-1].entry)


def ask_to_stop(table: Table, keys: Keys, key: str, clock: Callable[[], float] = time.time) -> MessageState:
    """Asks a message that is at work to begin no further round; one that has ended stays as it is.

    Arguments, result and errors are those of `message_state`.
    """
    with suppress(ConditionFailed):  # it is not being answered, or there is none: the state says which
        table.transact([Actions(table.name, keys, clock).ask_to_stop(key)])
    return message_state(table, keys, key, clock)
