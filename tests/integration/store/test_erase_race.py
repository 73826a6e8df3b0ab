"""An erase among runners that all write at once, on AWS's own engine (rule S9)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier

import pytest
from doubles import asks
from engine.dynamodb_local import connect
from tables import create_table

from rondas.history import Answer, settle
from rondas.loop import Ending
from rondas.store import erase as erasing
from rondas.store.claim import Message, Refused
from rondas.store.conversations import Conversations
from rondas.store.erase import erase
from rondas.store.items import Keys
from rondas.store.reading import ConversationNotFound, conversations, history
from rondas.store.run import ClaimedRun, ConversationErased, LeaseLost
from rondas.store.table import StoreUnavailable, Table

CONVERSATIONS = 6
RUNNERS = 4
ENTRIES = 40
PAGE = 15
"""So an erase takes several transactions."""


def test_nothing_stays_of_a_conversation_that_is_erased_while_it_is_written(
    dynamodb_local: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given conversations, each long, in which a message is being answered
    monkeypatch.setattr(erasing, "PAGE_ITEMS", PAGE)
    client = connect(dynamodb_local)
    create_table(client, "race")
    table = Table("race", client)
    store = Conversations(table, 10_000)
    everything = [Keys("ana", f"c-{number}") for number in range(CONVERSATIONS)]
    runs = [_run(store, keys, "k") for keys in everything]
    for _ in range(ENTRIES):
        for run in runs:
            run.append(settle(asks("look"), "found", "done"))
    # When runners append, newcomers claim and two processes erase, all at once
    start = Barrier(CONVERSATIONS * RUNNERS, timeout=60)
    doings: list[Callable[[], None]] = []

    def at_once(doing: Callable[[], None]) -> None:
        start.wait()
        doing()

    for keys, run in zip(everything, runs, strict=True):
        doings += [_appends(run), _claims(store, keys), _erases(table, keys), _erases(table, keys)]
    with ThreadPoolExecutor(len(doings)) as pool:
        list(pool.map(at_once, doings))
    # Then every runner was stopped, and after one erase more, with nobody writing, there is nothing
    for keys, run in zip(everything, runs, strict=True):
        with pytest.raises(LeaseLost):
            run.append(settle(asks("late"), "late", "done"))
        erase(table, keys)
        with pytest.raises(ConversationNotFound):
            history(table, keys, after=-1, limit=10)
    assert conversations(table, "ana", after=None, limit=10).conversations == []
    assert client.scan(TableName="race", ConsistentRead=True)["Items"] == []


def test_a_long_conversation_with_large_entries_is_erased(dynamodb_local: str) -> None:
    # Given entries of the largest kind, more than a transaction may hold in bytes
    client = connect(dynamodb_local)
    create_table(client, "large")
    table, keys = Table("large", client), Keys("ana", "c")
    _run(Conversations(table, 10_000), keys, "k").finish(Ending(Answer("Yes.")))
    for seq in range(2, 22):
        body = {"S": "x" * 390_000}
        client.put_item(TableName="large", Item={**keys.entry(seq), "kind": {"S": "answer"}, "body": body})
    # When it is erased, then nothing stays
    erase(table, keys)
    assert client.scan(TableName="large", ConsistentRead=True)["Items"] == []


def _run(store: Conversations, keys: Keys, key: str) -> ClaimedRun:
    claimed = store.claim(Message(keys.user, keys.conversation, key, "hello"), seconds=60)
    assert isinstance(claimed, ClaimedRun)
    return claimed


def _appends(run: ClaimedRun) -> Callable[[], None]:
    def doing() -> None:
        with suppress(ConversationErased, StoreUnavailable):
            while True:
                run.append(settle(asks("look"), "found", "done"))

    return doing


def _claims(store: Conversations, keys: Keys) -> Callable[[], None]:
    def doing() -> None:
        for number in range(20):
            with suppress(Refused, LeaseLost, StoreUnavailable):
                _run(store, keys, f"new {number}").finish(Ending(Answer("Yes.")))

    return doing


def _erases(table: Table, keys: Keys) -> Callable[[], None]:
    def doing() -> None:
        for _ in range(20):  # a table that is asked too much at once may say so
            with suppress(StoreUnavailable):
                erase(table, keys)
                return

    return doing
