"""The store beside a twin of it in memory: whatever happens in whatever order, both say the same (S1 to S4, S9)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, override
from unittest.mock import patch

import boto3
import pytest
from doubles import FakeClock, asks
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from moto import mock_aws
from tables import create_table

from rondas.history import UNAVAILABLE, Answer, Entry, Round, UserMessage, settle
from rondas.loop import Ending
from rondas.repair import EARLIER
from rondas.store import erase as erasing
from rondas.store.claim import ConversationBusy, InProgress, Message
from rondas.store.conversations import Conversations, Replayed
from rondas.store.items import Keys, StoredEntry, entry_sort_key, read_entry
from rondas.store.reading import ConversationNotFound, conversations, history
from rondas.store.run import ClaimedRun, ConversationErased, LeaseLost
from rondas.store.table import ConditionFailed, Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LEASE = 20.0
KEYS = st.sampled_from(["k1", "k2"])
ALL = Keys("ana", "c")

_numbers = count()


@dataclass
class Twin:
    """One conversation as it should be: its entries in words, what became of each key, and who holds it."""

    entries: list[str] = field(default_factory=list[str])
    states: dict[str, str] = field(default_factory=dict[str, str])
    holder: str = ""
    lease_until: float = 0.0
    ahead: bool = False
    erasing: bool = False
    changes: int = 0
    """Of who holds the head: claims, erases that begin, erases that end."""

    def expects(self, key: str, now: float) -> str:
        held = bool(self.holder) and self.lease_until > now
        if self.states.get(key) == "done":
            return "replay"
        if held:
            return "in_progress" if self.holder == key else "busy"
        if self.states.get(key) == "failed":
            last = not self.holder and self.entries[-1] == f"failed {key}"
            return "run" if last else "replay"
        return "run"

    def begin_erase(self) -> None:
        self.entries, self.states = [], {}
        self.holder, self.ahead, self.erasing = "", False, True
        self.changes += 1

    def end_erase(self) -> None:
        self.erasing = False
        self.changes += 1

    def take(self, key: str, until: float) -> None:
        self.changes += 1
        if self.holder and self.holder != key:  # a crashed message is closed first
            if self.ahead:
                self.entries[-1] = "round"
            self.entries.append(f"interrupted {self.holder}")
            self.states[self.holder] = "done"
            self.ahead = False
        if key not in self.states:
            self.entries.append(f"user {key}")
        self.states[key] = "open"
        self.holder, self.lease_until = key, until


class Asleep(Exception):  # noqa: N818 - what happens to a process
    """The process has stopped before this write; whether it wakes up is open."""

    def __init__(self, actions: Sequence[Any]) -> None:
        self.actions = actions


class SleepyTable(Table):
    """A table before whose so-many-th write the process falls asleep."""

    writes = 0

    @override
    def transact(self, actions: Sequence[Any]) -> None:
        if not self.writes:
            raise Asleep(actions)
        self.writes -= 1
        super().transact(actions)


class StoreMachine(RuleBasedStateMachine):
    """Claims, rounds, crashes, stale runners, endings and erases in any order, on one conversation."""

    dynamodb: ClassVar["DynamoDBClient"]

    @initialize(token_budget=st.sampled_from([100, 300, 100_000]))
    def start(self, token_budget: int) -> None:
        self.clock = FakeClock()
        self.table = Table(f"conversations-{next(_numbers)}", self.dynamodb)
        create_table(self.dynamodb, self.table.name)
        self.conversations = Conversations(self.table, token_budget, self.clock)
        self.twin = Twin()
        self.current: ClaimedRun | None = None
        self.stale: list[ClaimedRun] = []
        self.sleepers: list[tuple[int, Asleep]] = []
        self.rounds = 0

    @rule(key=KEYS)
    def claim(self, key: str) -> None:
        expected = self.twin.expects(key, self.clock())
        try:
            claimed = self.conversations.claim(Message("ana", "c", key, f"text of {key}"), seconds=LEASE)
        except InProgress:
            assert expected == "in_progress"
        except ConversationBusy:
            assert expected == "busy"
        except ConversationErased:
            assert self.twin.erasing
        else:
            assert expected == ("replay" if isinstance(claimed, Replayed) else "run")
            if isinstance(claimed, ClaimedRun):
                self._took_over(key, claimed)

    def _took_over(self, key: str, run: ClaimedRun) -> None:
        if self.current is not None:
            self.stale.append(self.current)
        self.current = run
        self.twin.take(key, self.clock() + LEASE + 1)
        # The model is shown the message, then the rounds done for it, and nothing else after it.
        last = max(index for index, entry in enumerate(run.history) if isinstance(entry, UserMessage))
        assert run.history[last] in (UserMessage(f"text of {key}"), UserMessage(f"{EARLIER}\n\ntext of {key}"))
        assert all(isinstance(entry, Round) for entry in run.history[last + 1 :])
        assert (run.pending is not None) == self.twin.ahead
        assert len(run.history) <= len(self.twin.entries)

    @precondition(lambda self: self.current is not None)
    @rule()
    def append(self) -> None:
        assert self.current is not None
        self.rounds += 1
        turn = self.current.pending or asks(f"look:{{{self.rounds}}}")
        self.current.append(settle(turn, "found", "done"))
        self.current.pending = None
        if self.twin.ahead:
            self.twin.entries[-1] = "round"
        else:
            self.twin.entries.append("round")
        self.twin.ahead = False

    @precondition(lambda self: self.current is not None and not self.twin.ahead)
    @rule()
    def write_ahead(self) -> None:
        assert self.current is not None
        self.rounds += 1
        turn = asks(f"save:{{{self.rounds}}}")
        self.current.write_ahead(turn)
        self.current.pending = turn
        self.twin.entries.append("open")
        self.twin.ahead = True

    @precondition(lambda self: self.current is not None and not self.twin.ahead)
    @rule(status=st.sampled_from(["done", "failed"]))
    def finish(self, status: str) -> None:
        assert self.current is not None
        key = self.twin.holder
        answer = Answer(f"answer to {key}") if status == "done" else Answer("sorry", "failed", UNAVAILABLE)
        self.current.finish(Ending(answer))
        self.twin.entries.append(f"{'answer' if status == 'done' else 'failed'} {key}")
        self.twin.states[key] = status
        self.twin.holder = ""
        self.stale.append(self.current)
        self.current = None

    @rule(writes=st.sampled_from([0, 1, 2, 100]))
    def erase(self, writes: int) -> None:
        """The person erases the conversation; the process may fall asleep before any of its writes."""
        exists = bool(self.twin.entries) or self.twin.erasing
        table = SleepyTable(self.table.name, self.dynamodb)
        table.writes = writes
        begins = exists and not self.twin.erasing and writes
        if begins:
            self.twin.begin_erase()
        try:
            erasing.erase(table, ALL)
        except Asleep as asleep:
            self.sleepers.append((self.twin.changes, asleep))
        else:
            self._erased(exists=exists)
        if begins:
            self._drop_current()

    def _erased(self, *, exists: bool = True) -> None:
        if exists:
            self.twin.end_erase()
        everything = self.dynamodb.scan(TableName=self.table.name)["Items"]
        assert everything == []

    def _drop_current(self) -> None:
        if self.current is not None:
            self.stale.append(self.current)
            self.current = None

    @precondition(lambda self: self.sleepers)
    @rule(data=st.data())
    def erase_wakes_up(self, data: st.DataObject) -> None:
        """Its write takes place only if nothing has happened to the head since it looked; then it goes on."""
        sleeper = data.draw(st.sampled_from(self.sleepers))
        self.sleepers.remove(sleeper)
        changes, asleep = sleeper
        try:
            self.table.transact(asleep.actions)
        except ConditionFailed:
            assert changes != self.twin.changes
            return
        # A message that was answered meanwhile has left the fence as it was: the conversation is the one it looked at.
        assert changes == self.twin.changes
        if not self.twin.erasing:
            self.twin.begin_erase()
        erasing.erase(self.table, ALL)
        self._erased()
        self._drop_current()

    @rule()
    def crash(self) -> None:
        """The lease runs out; whoever held it may still be alive."""
        self.clock.advance(LEASE + 2)

    @precondition(lambda self: self.stale)
    @rule(data=st.data())
    def wake_up(self, data: st.DataObject) -> None:
        stale = data.draw(st.sampled_from(self.stale))
        for late in (
            lambda: stale.append(settle(asks("late"), "late", "done")),
            lambda: stale.write_ahead(asks("late")),
            lambda: stale.finish(Ending(Answer("late"))),
        ):
            with pytest.raises(LeaseLost):
                late()
        stale.release()

    @invariant()
    def both_say_the_same(self) -> None:
        if not hasattr(self, "table"):
            return
        listed = [each.conversation for each in conversations(self.table, "ana", after=None, limit=9).conversations]
        if not self.twin.entries:  # there is none, or its erase has begun
            assert listed == []
            with pytest.raises(ConversationNotFound):
                history(self.table, ALL, after=-1, limit=1000)
            return
        assert listed == ["c"]
        items = self.table.newest_first(ALL.partition(), entry_sort_key(999_999_999), entry_sort_key(0))
        stored = [read_entry(item) for item in items][::-1]
        assert [each.seq for each in stored] == list(range(len(stored)))
        assert [_in_words(each) for each in stored] == self.twin.entries
        assert history(self.table, ALL, after=-1, limit=1000).entries == stored


def _in_words(stored: StoredEntry) -> str:
    entry: Entry = stored.entry
    match entry:
        case UserMessage():
            return f"user {stored.key}"
        case Round():
            return "open" if entry.is_open else "round"
        case Answer():
            kind = "failed" if entry.is_retryable else "interrupted" if entry.reason else "answer"
            return f"{kind} {stored.key}"


class TestStore(StoreMachine.TestCase):
    """Runs the machine on an engine inside the process, a table an example."""

    settings = settings(
        max_examples=30, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )

    @classmethod
    def setUpClass(cls) -> None:
        cls.mock = mock_aws()
        cls.mock.start()
        cls.small_pages = patch.object(erasing, "PAGE_ITEMS", 2)
        cls.small_pages.start()
        StoreMachine.dynamodb = boto3.client("dynamodb", region_name="eu-west-1")  # pyright: ignore[reportUnknownMemberType]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.small_pages.stop()
        cls.mock.stop()
