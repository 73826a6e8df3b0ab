"""The store beside twins of it in memory: whatever happens in whatever order, both say the same (S1 to S4, S9).

So do the accounts of the person to whom the conversations belong: what is stored is counted once, and no erase takes
anything off.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
from twin import Twin

from rondas.history import UNAVAILABLE, Answer, Entry, Round, Turn, Usage, UserMessage, settle
from rondas.loop import Ending
from rondas.repair import EARLIER
from rondas.store import erase as erasing
from rondas.store.allowance import Allowance, QuotaExceeded, TooManyRuns
from rondas.store.claim import ConversationBusy, InProgress, Message
from rondas.store.conversations import Conversations, Replayed
from rondas.store.items import Keys, StoredEntry, read_entry, read_number
from rondas.store.reading import ConversationNotFound, conversations, history
from rondas.store.run import ClaimedRun, ConversationErased, LeaseLost
from rondas.store.table import ConditionFailed, Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rondas.store.items import Item

LEASE = 20.0
KEYS = st.sampled_from(["k1", "k2"])
NAMES = ("a", "b")
RUNS = 1
ROUND_TOKENS = asks("look").usage.total
FAILED_TOKENS = 5

_numbers = count()


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


@dataclass
class Conversation:
    """A conversation, its twin, and those who are or were at work on it."""

    keys: Keys
    twin: Twin = field(default_factory=Twin)
    current: ClaimedRun | None = None
    stale: list[ClaimedRun] = field(default_factory=list[ClaimedRun])

    def runner(self) -> ClaimedRun:
        assert self.current is not None
        return self.current

    def replace_runner(self, run: ClaimedRun | None) -> None:
        if self.current is not None:
            self.stale.append(self.current)
        self.current = run


@dataclass
class Sleeper:
    """An erase that fell asleep before a write, and how often the head had changed hands when it looked."""

    conversation: Conversation
    changes: int
    actions: Sequence[Any]


class StoreMachine(RuleBasedStateMachine):
    """Claims, rounds, crashes, stale runners, endings and erases in any order, on two conversations of a person."""

    dynamodb: ClassVar["DynamoDBClient"]

    @initialize(token_budget=st.sampled_from([100, 300, 100_000]), quota=st.sampled_from([100, 10**6]))
    def start(self, token_budget: int, quota: int) -> None:
        self.clock = FakeClock()
        self.table = Table(f"conversations-{next(_numbers)}", self.dynamodb)
        create_table(self.dynamodb, self.table.name)
        self.quota = quota
        self.store = Conversations(self.table, token_budget, self.clock, allowance=Allowance(quota, RUNS))
        self.conversations = [Conversation(Keys("ana", name)) for name in NAMES]
        self.sleepers: list[Sleeper] = []
        self.rounds = 0

    @rule(data=st.data(), key=KEYS)
    def claim(self, data: st.DataObject, key: str) -> None:
        self._claim(data.draw(st.sampled_from(self.conversations)), key)

    @precondition(lambda self: self.failed())
    @rule(data=st.data(), status=st.sampled_from(["failed", "done"]))
    def try_again(self, data: st.DataObject, status: str) -> None:
        """The app sends a message again that no model could answer; this one, if it is taken, ends at once."""
        conversation = data.draw(st.sampled_from(self.failed()))
        self._claim(conversation, conversation.twin.entries[-1].removeprefix("failed "))
        if conversation.current:
            self._finish(conversation, status, FAILED_TOKENS)

    def _claim(self, conversation: Conversation, key: str) -> None:
        expected = self._expected(conversation, key)
        message = Message("ana", conversation.keys.conversation, key, f"text of {key}")
        try:
            claimed = self.store.claim(message, seconds=LEASE)
        except InProgress:
            assert expected == "in_progress"
        except ConversationBusy:
            assert expected == "busy"
        except ConversationErased:
            assert expected == "erased"
        except QuotaExceeded:
            assert expected == "no tokens"
        except TooManyRuns:
            assert expected == "no room"
        else:
            assert expected == ("replay" if isinstance(claimed, Replayed) else "run")
            if isinstance(claimed, ClaimedRun):
                self._took_over(conversation, message, claimed)

    def _expected(self, conversation: Conversation, key: str) -> str:
        expected = conversation.twin.expects(key, self.clock())
        if expected != "run":
            return expected
        if key not in conversation.twin.states and self.quota <= self._tokens():
            return "no tokens"
        return "run" if len(self._counted_runs() - {conversation.keys.conversation}) < RUNS else "no room"

    def _took_over(self, conversation: Conversation, message: Message, run: ClaimedRun) -> None:
        twin = conversation.twin
        conversation.replace_runner(run)
        twin.take(message.key, self.clock() + LEASE + 1, ROUND_TOKENS)
        # The model is shown the message, then the rounds done for it, and nothing else after it.
        last = max(index for index, entry in enumerate(run.history) if isinstance(entry, UserMessage))
        assert run.history[last] in (UserMessage(message.text), UserMessage(f"{EARLIER}\n\n{message.text}"))
        assert all(isinstance(entry, Round) for entry in run.history[last + 1 :])
        assert (run.pending is not None) == twin.ahead
        assert len(run.history) <= len(twin.entries)

    @precondition(lambda self: self.running())
    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        conversation = data.draw(st.sampled_from(self.running()))
        run = conversation.runner()
        run.append(settle(run.pending or self._asks("look"), "found", "done"))
        run.pending = None
        conversation.twin.store_round()

    @precondition(lambda self: self.between_rounds())
    @rule(data=st.data())
    def write_ahead(self, data: st.DataObject) -> None:
        conversation = data.draw(st.sampled_from(self.between_rounds()))
        run = conversation.runner()
        run.pending = self._asks("save")
        run.write_ahead(run.pending)
        conversation.twin.write_ahead()

    @precondition(lambda self: self.between_rounds())
    @rule(data=st.data(), status=st.sampled_from(["failed", "done"]), words=st.integers(FAILED_TOKENS, 40))
    def finish(self, data: st.DataObject, status: str, words: int) -> None:
        """Ends a run with the tokens of all rounds of its message, and of its last turn."""
        self._finish(data.draw(st.sampled_from(self.between_rounds())), status, words)

    def _finish(self, conversation: Conversation, status: str, words: int) -> None:
        twin = conversation.twin
        usage = Usage(twin.rounds * ROUND_TOKENS, 0, words if status == "done" else FAILED_TOKENS)
        answer = Answer(f"answer to {twin.holder}") if status == "done" else Answer("sorry", "failed", UNAVAILABLE)
        conversation.runner().finish(Ending(replace(answer, usage=usage)))
        twin.finish(status, usage.total)
        conversation.replace_runner(None)

    @precondition(lambda self: self.running())
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        conversation = data.draw(st.sampled_from(self.running()))
        conversation.runner().release()
        conversation.twin.release()
        conversation.current = None

    @precondition(lambda self: self.existing())
    @rule(data=st.data(), writes=st.sampled_from([0, 1, 2, 100]))
    def erase(self, data: st.DataObject, writes: int) -> None:
        """The person erases a conversation; the process may fall asleep before any of its writes."""
        conversation = data.draw(st.sampled_from(self.existing()))
        twin = conversation.twin
        table = SleepyTable(self.table.name, self.dynamodb)
        table.writes = writes
        if not twin.erasing and writes:
            twin.begin_erase()
            conversation.replace_runner(None)
        try:
            erasing.erase(table, conversation.keys)
        except Asleep as asleep:
            self.sleepers.append(Sleeper(conversation, twin.changes, asleep.actions))
        else:
            self._erased(conversation)

    @precondition(lambda self: self.sleepers)
    @rule(data=st.data())
    def erase_wakes_up(self, data: st.DataObject) -> None:
        """Its write takes place only if nothing has happened to the head since it looked; then it goes on."""
        sleeper = data.draw(st.sampled_from(self.sleepers))
        self.sleepers.remove(sleeper)
        conversation, twin = sleeper.conversation, sleeper.conversation.twin
        try:
            self.table.transact(sleeper.actions)
        except ConditionFailed:
            assert sleeper.changes != twin.changes
            return
        # A message that was answered meanwhile has left the fence as it was: the conversation is the one it looked at.
        assert sleeper.changes == twin.changes
        if not twin.erasing:
            twin.begin_erase()
            conversation.replace_runner(None)
        erasing.erase(self.table, conversation.keys)
        self._erased(conversation)

    def _erased(self, conversation: Conversation) -> None:
        conversation.twin.end_erase()
        keys, items = conversation.keys, self._items()
        assert _of(items, keys) == []
        assert [item for item in items if item["sk"] == keys.head()["sk"]] == []

    @precondition(lambda self: self._counted_runs())
    @rule()
    def crash(self) -> None:
        """The leases run out; whoever held them may still be alive."""
        self.clock.advance(LEASE + 2)

    @precondition(lambda self: any(each.stale for each in self.conversations))
    @rule(data=st.data())
    def wake_up(self, data: st.DataObject) -> None:
        stale = data.draw(st.sampled_from([run for each in self.conversations for run in each.stale]))
        for late in (
            lambda: stale.append(settle(asks("late"), "late", "done")),
            lambda: stale.write_ahead(asks("late")),
            lambda: stale.finish(Ending(Answer("late"))),
        ):
            with pytest.raises(LeaseLost):
                late()
        stale.release()

    @rule()
    def look(self) -> None:
        """The person reads the list and each history; a conversation whose erase has begun is in none."""
        listed = {each.conversation for each in conversations(self.table, "ana", after=None, limit=9).conversations}
        items = self._items()
        for each in self.conversations:
            assert (each.keys.conversation in listed) == bool(each.twin.entries)
            if each.twin.entries:
                assert history(self.table, each.keys, after=-1, limit=1000).entries == _entries(items, each.keys)
            else:
                with pytest.raises(ConversationNotFound):
                    history(self.table, each.keys, after=-1, limit=1000)

    @invariant()
    def all_that_is_stored_is_as_the_twins_say(self) -> None:
        if not hasattr(self, "table"):
            return
        items = self._items()
        for each in self.conversations:
            if not each.twin.erasing:  # its rest is nobody's
                stored = _entries(items, each.keys)
                assert [entry.seq for entry in stored] == list(range(len(stored)))
                assert [_in_words(entry) for entry in stored] == each.twin.entries
        assert _counted(items) == self._tokens()
        assert _leases(items, self.clock()) == self._counted_runs()
        assert len(self._counted_runs()) <= RUNS

    def existing(self) -> list[Conversation]:
        return [each for each in self.conversations if each.twin.exists]

    def running(self) -> list[Conversation]:
        return [each for each in self.conversations if each.current is not None]

    def between_rounds(self) -> list[Conversation]:
        return [each for each in self.running() if not each.twin.ahead]

    def failed(self) -> list[Conversation]:
        return [
            each for each in self.conversations if each.twin.entries and each.twin.entries[-1].startswith("failed ")
        ]

    def _asks(self, tool: str) -> Turn:
        self.rounds += 1
        return asks(f"{tool}:{{{self.rounds}}}")

    def _tokens(self) -> int:
        return sum(each.twin.tokens() for each in self.conversations)

    def _counted_runs(self) -> set[str]:
        now = self.clock()
        return {each.keys.conversation for each in self.conversations if each.twin.counted_until > now}

    def _items(self) -> "list[Item]":
        return self.dynamodb.scan(TableName=self.table.name, ConsistentRead=True)["Items"]


def _of(items: "Sequence[Item]", keys: Keys) -> "list[Item]":
    return [item for item in items if item["pk"] == {"S": keys.partition()}]


def _entries(items: "Sequence[Item]", keys: Keys) -> list[StoredEntry]:
    """Returns the entries of a conversation among all that is stored, in their order."""
    found = [read_entry(item) for item in _of(items, keys) if item["sk"].get("S", "").startswith("M#")]
    return sorted(found, key=lambda entry: entry.seq)


def _counted(items: "Sequence[Item]") -> int:
    """Returns the tokens that the person's account holds."""
    return sum(read_number(item, "tokens") for item in items if item["sk"].get("S", "").startswith("Q#"))


def _leases(items: "Sequence[Item]", now: float) -> set[str]:
    """Returns the conversations that the person's account holds for being answered now."""
    runs = [item for item in items if item["sk"] == {"S": "Q#runs"}]
    ends = {name: read_number(item, name) / 1000 for item in runs for name in item if name.startswith("C#")}
    return {name.removeprefix("C#") for name, end in ends.items() if end > now}


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
        max_examples=20, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
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
