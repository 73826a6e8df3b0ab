"""The store beside a twin of it in memory: whatever happens in whatever order, both say the same (rules S1 to S4).

So do the accounts of the person to whom the conversations belong: what is stored is counted, and counted once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, ClassVar

import boto3
import pytest
from doubles import FakeClock, asks
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from moto import mock_aws
from tables import create_table

from rondas.history import UNAVAILABLE, Answer, Entry, Round, Turn, Usage, UserMessage, settle
from rondas.loop import Ending
from rondas.repair import EARLIER
from rondas.store.allowance import Allowance, QuotaExceeded, TooManyRuns
from rondas.store.claim import ConversationBusy, InProgress, Message
from rondas.store.conversations import Conversations, Replayed
from rondas.store.items import Keys, StoredEntry, read_entry, read_number
from rondas.store.run import ClaimedRun, LeaseLost
from rondas.store.table import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rondas.store.items import Item

LEASE = 20.0
KEYS = st.sampled_from(["k1", "k2"])
NAMES = ("a", "b")
RUNS = 1
ROUND_TOKENS = asks("look").usage.total

_numbers = count()


@dataclass
class Twin:
    """One conversation as it should be: its entries in words, what became of each key, and who holds it."""

    entries: list[str] = field(default_factory=list[str])
    states: dict[str, str] = field(default_factory=dict[str, str])
    holder: str = ""
    lease_until: float = 0.0
    ahead: bool = False
    rounds: int = 0

    def is_held(self, now: float) -> bool:
        return bool(self.holder) and self.lease_until > now

    def expects(self, key: str, now: float) -> str:
        if self.states.get(key) == "done":
            return "replay"
        if self.is_held(now):
            return "in_progress" if self.holder == key else "busy"
        if self.states.get(key) == "failed":
            last = not self.holder and self.entries[-1] == f"failed {key}"
            return "run" if last else "replay"
        return "run"

    def take(self, key: str, until: float) -> None:
        if self.holder and self.holder != key:  # a crashed message is closed first
            if self.ahead:
                self.entries[-1] = "round"
            self.entries.append(f"interrupted {self.holder}")
            self.states[self.holder] = "done"
            self.ahead = False
        if key not in self.states:
            self.entries.append(f"user {key}")
            self.rounds = 0
        self.states[key] = "open"
        self.holder, self.lease_until = key, until


@dataclass
class Conversation:
    """A conversation, its twin, and those who are or were at work on it."""

    name: str
    twin: Twin = field(default_factory=Twin)
    current: ClaimedRun | None = None
    stale: list[ClaimedRun] = field(default_factory=list[ClaimedRun])

    def runner(self) -> ClaimedRun:
        assert self.current is not None
        return self.current


class StoreMachine(RuleBasedStateMachine):
    """Claims, rounds, crashes, stale runners and endings in any order, on two conversations of a person."""

    dynamodb: ClassVar["DynamoDBClient"]

    @initialize(token_budget=st.sampled_from([100, 300, 100_000]), quota=st.sampled_from([100, 10**6]))
    def start(self, token_budget: int, quota: int) -> None:
        self.clock = FakeClock()
        self.table = Table(f"conversations-{next(_numbers)}", self.dynamodb)
        create_table(self.dynamodb, self.table.name)
        self.quota = quota
        self.store = Conversations(self.table, token_budget, self.clock, allowance=Allowance(quota, RUNS))
        self.conversations = [Conversation(name) for name in NAMES]
        self.rounds = 0

    @rule(data=st.data(), key=KEYS)
    def claim(self, data: st.DataObject, key: str) -> None:
        conversation = data.draw(st.sampled_from(self.conversations))
        expected = self._expected(conversation, key)
        try:
            claimed = self.store.claim(Message("ana", conversation.name, key, f"text of {key}"), seconds=LEASE)
        except InProgress:
            assert expected == "in_progress"
        except ConversationBusy:
            assert expected == "busy"
        except QuotaExceeded:
            assert expected == "no tokens"
        except TooManyRuns:
            assert expected == "no room"
        else:
            assert expected == ("replay" if isinstance(claimed, Replayed) else "run")
            if isinstance(claimed, ClaimedRun):
                self._took_over(conversation, key, claimed)

    def _expected(self, conversation: Conversation, key: str) -> str:
        expected = conversation.twin.expects(key, self.clock())
        if expected != "run":
            return expected
        if key not in conversation.twin.states and self.quota <= self._tokens():
            return "no tokens"
        held = [each for each in self.conversations if each is not conversation and each.twin.is_held(self.clock())]
        return "run" if len(held) < RUNS else "no room"

    def _took_over(self, conversation: Conversation, key: str, run: ClaimedRun) -> None:
        if conversation.current is not None:
            conversation.stale.append(conversation.current)
        conversation.current = run
        conversation.twin.take(key, self.clock() + LEASE + 1)
        # The model is shown the message, then the rounds done for it, and nothing else after it.
        last = max(index for index, entry in enumerate(run.history) if isinstance(entry, UserMessage))
        assert run.history[last] in (UserMessage(f"text of {key}"), UserMessage(f"{EARLIER}\n\ntext of {key}"))
        assert all(isinstance(entry, Round) for entry in run.history[last + 1 :])
        assert (run.pending is not None) == conversation.twin.ahead

    @precondition(lambda self: self.running())
    @rule(data=st.data())
    def append(self, data: st.DataObject) -> None:
        conversation = data.draw(st.sampled_from(self.running()))
        run, twin = conversation.runner(), conversation.twin
        run.append(settle(run.pending or self._asks("look"), "found", "done"))
        run.pending = None
        if twin.ahead:
            twin.entries[-1] = "round"
        else:
            twin.entries.append("round")
            twin.rounds += 1
        twin.ahead = False

    @precondition(lambda self: self.between_rounds())
    @rule(data=st.data())
    def write_ahead(self, data: st.DataObject) -> None:
        conversation = data.draw(st.sampled_from(self.between_rounds()))
        run, twin = conversation.runner(), conversation.twin
        run.pending = self._asks("save")
        run.write_ahead(run.pending)
        twin.entries.append("open")
        twin.rounds += 1
        twin.ahead = True

    @precondition(lambda self: self.between_rounds())
    @rule(data=st.data(), status=st.sampled_from(["done", "failed"]), words=st.integers(0, 40))
    def finish(self, data: st.DataObject, status: str, words: int) -> None:
        """Ends a run with the tokens of all rounds of its message, and of the words of its answer if it has one."""
        conversation = data.draw(st.sampled_from(self.between_rounds()))
        run, twin = conversation.runner(), conversation.twin
        usage = Usage(twin.rounds * ROUND_TOKENS, 0, words if status == "done" else 0)
        answer = Answer(f"answer to {twin.holder}") if status == "done" else Answer("sorry", "failed", UNAVAILABLE)
        run.finish(Ending(replace(answer, usage=usage)))
        twin.entries.append(f"{'answer' if status == 'done' else 'failed'} {twin.holder}")
        twin.states[twin.holder] = status
        twin.holder = ""
        conversation.stale.append(run)
        conversation.current = None

    @precondition(lambda self: self.running())
    @rule(data=st.data())
    def give_up(self, data: st.DataObject) -> None:
        conversation = data.draw(st.sampled_from(self.running()))
        conversation.runner().release()
        conversation.twin.lease_until = 0
        conversation.current = None

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

    @invariant()
    def all_say_the_same(self) -> None:
        if not hasattr(self, "table"):
            return
        items = self.dynamodb.scan(TableName=self.table.name, ConsistentRead=True)["Items"]
        for each in self.conversations:
            stored = _entries(items, each)
            assert [entry.seq for entry in stored] == list(range(len(stored)))
            assert [_in_words(entry) for entry in stored] == each.twin.entries
        assert _counted(items) == sum(_spent(_entries(items, each)) for each in self.conversations)
        leases = [read_number(item, "lease_until") / 1000 for item in items]
        assert sum(until > self.clock() for until in leases) <= RUNS

    def running(self) -> list[Conversation]:
        return [each for each in self.conversations if each.current is not None]

    def between_rounds(self) -> list[Conversation]:
        return [each for each in self.running() if not each.twin.ahead]

    def _asks(self, tool: str) -> Turn:
        self.rounds += 1
        return asks(f"{tool}:{{{self.rounds}}}")

    def _tokens(self) -> int:
        return _counted(self.table.get([Keys("ana", "").usage("19700101")]))


def _entries(items: "Sequence[Item]", conversation: Conversation) -> list[StoredEntry]:
    """Returns the entries of a conversation among all that is stored, in their order."""
    partition = {"S": Keys("ana", conversation.name).partition()}
    found = [read_entry(item) for item in items if item["pk"] == partition and item["sk"].get("S", "").startswith("M#")]
    return sorted(found, key=lambda entry: entry.seq)


def _spent(stored: Sequence[StoredEntry]) -> int:
    """Returns the tokens of all messages with an answer; one to a message that was tried before tells of all of it."""
    return sum({each.key: each.entry.usage.total for each in stored if isinstance(each.entry, Answer)}.values())


def _counted(items: "Sequence[Item | None]") -> int:
    return sum(read_number(item, "tokens") for item in items if item and item["sk"].get("S", "").startswith("Q#"))


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
        StoreMachine.dynamodb = boto3.client("dynamodb", region_name="eu-west-1")  # pyright: ignore[reportUnknownMemberType]

    @classmethod
    def tearDownClass(cls) -> None:
        cls.mock.stop()
