"""The erase of a conversation: at once for every reader and writer, then item by item, and nothing of it stays.

It begins with the head: marked as erased, the conversation is missing for everybody, and its fence has moved on, so a
runner that is still at work stores nothing more (rule S3). Then the items go in transactions that hold the head's fence
like every other write; the last one takes the head as well. An erase that was cut off is taken up by the next one. One
that slept while another ended its work finds another fence, or none, and touches nothing of a conversation that has
begun under the same id since.
"""

import time
from collections.abc import Callable

from rondas.store.actions import Actions
from rondas.store.items import Keys, is_erased, read_number
from rondas.store.table import ConditionFailed, Table

PAGE_ITEMS = 99
"""A transaction takes 100 actions, and 4 MB, which no page of a query reaches."""

PAGE_SECONDS = 4.0
"""No page is begun with less time than this left: many times what both its requests take."""


class EraseUnfinished(Exception):  # noqa: N818 - a state of the world
    """The time was too short for all items. The conversation is missing for everybody; the rest goes with a repeat."""


def erase(table: Table, keys: Keys, left: Callable[[], float] = lambda: PAGE_SECONDS) -> None:
    """Removes every item of a conversation; does nothing where there is none.

    Args:
        table: where it lies.
        keys: the conversation's keys.
        left: how many seconds are left for it.

    Raises:
        EraseUnfinished: it is to be repeated.
        StoreUnavailable: the table does not answer; it is to be repeated.
    """
    actions = Actions(table.name, keys, time.time)
    fence = _begun(table, actions, left)
    while fence:
        _check(left)
        page = table.page("pk = :pk", {":pk": {"S": keys.partition()}}, items=PAGE_ITEMS, only="pk, sk")
        guard = actions.check_fence(fence) if page.last else actions.delete_head(fence)
        try:
            table.transact([guard, *map(actions.delete, page.items)])
        except ConditionFailed:
            return  # another erase has ended it
        if page.last is None:
            return


def _begun(table: Table, actions: Actions, left: Callable[[], float]) -> int:
    """Returns the fence of the erase, of one that was begun before where there is one; 0 where nothing is stored."""
    while True:
        _check(left)
        (head,) = table.get([actions.keys.head()])
        if head is None:
            return 0
        fence = read_number(head, "fence")
        if is_erased(head):
            return fence
        try:
            table.transact([actions.begin_erase(fence)])
        except ConditionFailed:
            continue  # a message was claimed in between
        return fence + 1


def _check(left: Callable[[], float]) -> None:
    if left() < PAGE_SECONDS:
        raise EraseUnfinished
