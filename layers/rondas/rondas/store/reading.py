"""What a person may read: their conversations, the last active first, and the history of one. It changes nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rondas.history import Answer
from rondas.store.items import MAX_SEQ, Keys, StoredEntry, entry_sort_key, heads_of, is_erased, read_entry
from rondas.store.table import PAGE_ITEMS, Page, StoreUnavailable, Table

if TYPE_CHECKING:
    from rondas.store.items import Item

BY_ACTIVITY = "by_activity"
"""The index of the heads by `updated_at`. Nothing else in the table has that attribute, so nothing else is in it."""

PAGE_BYTES = 1_000_000
"""Of stored bodies unpacked; an answer of Lambda's may have 6 MB, and its JSON is at most a few times as long."""


class ConversationNotFound(Exception):  # noqa: N818 - what the person is told
    """The person has no such conversation: there is none, it is another's, or it was erased."""


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Entries in their order, and whether more follow."""

    entries: list[StoredEntry]
    more: bool


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation as the list shows it. Times are ISO 8601 in UTC; `updated_at` is when its last message came."""

    conversation: str
    title: str
    created_at: str
    updated_at: str


@dataclass(frozen=True, slots=True)
class ListPage:
    """Conversations, the last active first, and whether more follow."""

    conversations: list[Listed]
    more: bool


def history(table: Table, keys: Keys, *, after: int, limit: int) -> HistoryPage:
    """Returns the entries of a conversation whose numbers are greater than `after`, the open round included.

    The head is looked at last: as long as it is there, no erase had begun when the entries were read.

    Raises:
        ConversationNotFound: the person has no such conversation.
        StoreUnavailable: the table does not answer.
    """
    page = _entries(table, keys, after, limit)
    (head,) = table.get([keys.head()])
    if is_erased(head):
        raise ConversationNotFound
    if page.entries and page.entries[-1].seq - after != len(page.entries):
        # Entries of one write may come into sight one after the other. Who has seen the later one would never ask for
        # the one before it; a moment later both are there, and a number that is missing still was never given.
        page = _entries(table, keys, after, limit)
    return page


def _entries(table: Table, keys: Keys, after: int, limit: int) -> HistoryPage:
    values: Item = {
        ":pk": {"S": keys.partition()},
        ":from": {"S": entry_sort_key(after + 1)},
        ":to": {"S": entry_sort_key(MAX_SEQ)},
    }
    found = table.page("pk = :pk AND sk BETWEEN :from AND :to", values, items=limit + 1)
    entries: list[StoredEntry] = []
    size = 0
    for item in found.items[:limit]:
        entry = read_entry(item)
        size += len(str(entry.entry))
        if entries and size > PAGE_BYTES:
            return HistoryPage(entries, more=True)
        entries.append(entry)
    return HistoryPage(entries, _has_more(found, limit))


def conversations(table: Table, user: str, *, after: tuple[str, str] | None, limit: int) -> ListPage:
    """Returns conversations of a person, the last active first.

    Args:
        table: where they lie.
        user: whose they are; whatever `after` holds, only theirs are found.
        after: `updated_at` and id of the conversation that the page begins after; None for the first page.
        limit: the most it may hold.

    Raises:
        StoreUnavailable: the table does not answer.
    """
    start: Item | None = None
    if after:
        updated_at, conversation = after
        start = {**Keys(user, conversation).head(), "updated_at": {"S": updated_at}}
    found = table.page(
        "pk = :pk",
        {":pk": {"S": heads_of(user)}},
        items=limit + 1,
        newest_first=True,
        after=start,
        index=BY_ACTIVITY,
    )
    return ListPage([_listed(item) for item in found.items[:limit]], _has_more(found, limit))


def newest_first(
    table: Table, keys: Keys, *, from_seq: int, to_seq: int = MAX_SEQ, page_items: int = PAGE_ITEMS
) -> Iterator[StoredEntry]:
    """Reads the entries of a conversation with numbers from `to_seq` down to `from_seq`, as many as are asked for."""
    items = table.newest_first(
        keys.partition(), entry_sort_key(to_seq), entry_sort_key(from_seq), page_items=page_items
    )
    return map(read_entry, items)


def answer_of(table: Table, keys: Keys, seq: int) -> Answer:
    """Returns the answer of a message that has ended, for good: the conversation has gone on, or may have.

    Raises:
        StoreUnavailable: it is not there, or the table does not answer.
    """
    (item,) = table.get([keys.entry(seq)])
    entry = read_entry(item).entry if item else None
    if not isinstance(entry, Answer):
        raise StoreUnavailable("the answer of a finished message is missing")
    return replace(entry, reason="") if entry.is_retryable else entry


def _has_more(page: Page, limit: int) -> bool:
    """Whether more follows what was asked for, of which one more than `limit` was read to know it."""
    return len(page.items) > limit or page.last is not None


def _listed(head: "Item") -> Listed:
    text = {name: value.get("S", "") for name, value in head.items()}
    return Listed(text["sk"].removeprefix("C#"), text.get("title", ""), text.get("created_at", ""), text["updated_at"])
