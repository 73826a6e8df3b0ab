"""The tokens and the runs of a person are counted with the messages themselves, each exactly once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from doubles import FakeClock, asks

from rondas.history import UNAVAILABLE, Answer, Usage, settle
from rondas.loop import Ending
from rondas.store.allowance import Allowance, OverAllowance, QuotaExceeded, TooManyRuns
from rondas.store.claim import Message
from rondas.store.conversations import Conversations, Replayed
from rondas.store.run import ClaimedRun
from rondas.store.table import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

LEASE = 27
DAY = 86_400
DONE = settle(asks("look"), "found", "done")
ROUND = DONE.turn.usage
ANSWER = Answer("Here it is", usage=Usage(70, 60, 30))
UNANSWERED = Answer("Try again", "failed", UNAVAILABLE)


class Store:
    """Conversations of people who may not use everything, on a table, with a clock that can be moved."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self.client = client
        self.clock = FakeClock()
        self.requests: list[str] = []
        self.refused: list[str] = []
        client.meta.events.register("before-send.dynamodb", self._count)
        self.table = Table("conversations", client)
        self.allow()

    def _count(self, request: Any, **_: Any) -> None:
        self.requests.append(request.headers["X-Amz-Target"].decode().partition(".")[2])

    def allow(self, tokens: int = 0, runs: int = 0) -> None:
        self.conversations = Conversations(
            self.table, 10_000, self.clock, allowance=Allowance(tokens, runs), on_refused=self._on_refused
        )

    def _on_refused(self, refused: OverAllowance) -> None:
        self.refused.append(refused.limit)

    def claim(self, conversation: str = "a", key: str = "k1", *, user: str = "ana") -> ClaimedRun:
        claimed = self.conversations.claim(Message(user, conversation, key, "hello"), seconds=LEASE)
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def items(self, sort_key: str) -> list[dict[str, Any]]:
        found = self.client.scan(TableName="conversations")["Items"]
        mine = [item for item in found if item["sk"].get("S", "").startswith(sort_key)]
        return [{name: next(iter(value.values())) for name, value in item.items()} for item in mine]

    def tokens(self) -> int:
        (usage,) = self.items("Q#1")
        return int(usage["tokens"])

    def runs(self) -> list[str]:
        (runs,) = self.items("Q#runs")
        return sorted(name for name in runs if name.startswith("C#"))

    def crash(self) -> None:
        """Lets the lease of a runner that is no more run out."""
        self.clock.advance(LEASE + 2)


@pytest.fixture
def store(dynamodb: "DynamoDBClient") -> Store:
    return Store(dynamodb)


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_tokens_are_counted_by_person_and_day_and_forgotten_after_a_month(store: Store) -> None:
    # Given a person with a quota
    store.allow(tokens=1000)
    # When two messages are answered
    store.claim().finish(Ending(ANSWER))
    store.claim("b").finish(Ending(ANSWER))
    # Then what was read and written stands in one item
    assert store.items("Q#") == [
        {
            "pk": "U#ana",
            "sk": "Q#19700101",
            "tokens": "200",
            "requests": "2",
            "ttl": str(1000 + 35 * DAY),
        }
    ]


def test_s1_nothing_is_spent_or_stored_for_a_person_whose_quota_is_used_up(store: Store) -> None:
    # Given a quota that one message has used up
    store.allow(tokens=100)
    store.claim().finish(Ending(ANSWER))
    before = store.client.scan(TableName="conversations")["Items"]
    store.requests.clear()
    # When another message comes, then it is refused until the day is over, for the price of the read of a claim
    with pytest.raises(QuotaExceeded) as refused:
        store.claim(key="k2")
    assert store.clock() + refused.value.retry_after == DAY
    assert store.requests == ["BatchGetItem"]
    # And nothing of it is stored, and the operator is told
    assert store.client.scan(TableName="conversations")["Items"] == before
    assert store.refused == ["tokens"]
    # And another person is not concerned
    store.claim(user="bob")


def test_a_new_day_is_a_new_quota(store: Store) -> None:
    store.allow(tokens=100)
    store.claim().finish(Ending(ANSWER))
    store.clock.now = float(DAY)
    store.claim(key="k2").finish(Ending(ANSWER))
    assert [item["sk"] for item in store.items("Q#")] == ["Q#19700101", "Q#19700102"]


def test_a_day_that_ends_while_the_claim_reads_is_the_one_that_is_judged(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a used-up quota, and a read that comes back when the day is over
    store.allow(tokens=100)
    store.claim().finish(Ending(ANSWER))
    store.clock.now = DAY - 0.5
    get = store.table.get

    def slowly(keys: Sequence[Any]) -> list[Any]:
        items = get(keys)
        store.clock.advance(1)
        return items

    monkeypatch.setattr(store.table, "get", slowly)
    # When a message comes, then it is not told to wait for another day
    with pytest.raises(QuotaExceeded) as refused:
        store.claim(key="k2")
    assert refused.value.retry_after == 0.5


def test_an_answered_message_is_replayed_whatever_is_used_up(store: Store) -> None:
    # Given an answer that used up the quota
    store.allow(tokens=100, runs=1)
    store.claim().finish(Ending(ANSWER))
    store.claim("b", "k2", user="bob")
    # When its message comes again, then so does the answer, and it is not counted again
    assert store.conversations.claim(Message("ana", "a", "k1", "hello"), seconds=LEASE) == Replayed(ANSWER)
    assert store.tokens() == 100


@pytest.mark.parametrize("ended", [False, True], ids=["crashed", "failed"])
def test_a_message_that_was_taken_is_answered_although_the_quota_is_used_up_meanwhile(
    store: Store, ended: bool
) -> None:
    # Given a message without an answer, and another one that used up the quota
    store.allow(tokens=100)
    run = store.claim()
    if ended:
        run.finish(Ending(UNANSWERED))
    else:
        store.crash()
    store.claim("b").finish(Ending(ANSWER))
    # When the first comes again, then it is taken up
    store.claim().finish(Ending(ANSWER))
    assert store.tokens() == 200


def test_a_message_that_failed_is_counted_once_when_it_is_answered(store: Store) -> None:
    # Given a message that failed twice, each time after one more round, and a runner that died in between
    store.allow(tokens=10_000)
    for rounds in (1, 2):
        run = store.claim()
        run.append(DONE)
        run.finish(Ending(replace(UNANSWERED, usage=Usage(input=rounds * ROUND.total))))
        assert store.tokens() == rounds * ROUND.total
    store.claim().append(DONE)
    store.crash()
    # When it is answered, with the tokens of all its rounds
    store.claim().finish(Ending(ANSWER))
    # Then those are counted, and none of them again
    assert store.tokens() == ANSWER.usage.total


def test_a_message_that_is_closed_for_a_dead_runner_is_counted_once(store: Store) -> None:
    # Given a message that failed after a round, and whose next runner died after another one
    store.allow(tokens=10_000)
    run = store.claim()
    run.append(DONE)
    run.finish(Ending(replace(UNANSWERED, usage=ROUND)))
    store.claim().append(DONE)
    store.crash()
    # When another message closes it
    store.claim(key="k2")
    # Then both rounds are counted
    assert store.tokens() == 2 * ROUND.total


def test_a_stale_runner_counts_nothing(store: Store) -> None:
    # Given a runner that was overtaken, and its message answered by another one
    store.allow(tokens=1000, runs=2)
    stale = store.claim()
    store.crash()
    current = store.claim()
    # When the stale one gives up, then the run of the other one still counts
    stale.release()
    assert store.runs() == ["C#a"]
    current.finish(Ending(ANSWER))
    assert store.tokens() == 100


# ── runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_s1_a_person_has_no_more_runs_at_once_than_allowed(store: Store) -> None:
    # Given two runs of a person, where two may be
    store.allow(runs=2)
    first = store.claim("a")
    store.clock.advance(5)
    store.claim("b")
    before = store.client.scan(TableName="conversations")["Items"]
    # When a third comes, then it is told when the first has ended at the latest, and leaves no trace
    with pytest.raises(TooManyRuns) as refused:
        store.claim("c")
    assert refused.value.retry_after == LEASE + 1 - 5
    assert store.client.scan(TableName="conversations")["Items"] == before
    assert store.refused == ["runs"]
    # And another person is not concerned, and when one has ended, there is room
    store.claim("c", user="bob")
    first.finish(Ending(ANSWER))
    store.claim("c")


def test_a_run_that_gives_up_makes_room_at_once(store: Store) -> None:
    store.allow(runs=1)
    store.claim("a").release()
    store.claim("b")


def test_a_run_that_died_makes_room_when_its_lease_is_over_and_is_cleared_away(store: Store) -> None:
    # Given two runs that died
    store.allow(runs=2)
    store.claim("a")
    store.claim("b")
    store.crash()
    # When another one begins, then nothing of them is left in the person's item, which so never grows
    store.claim("c")
    assert store.runs() == ["C#c"]


def test_a_dead_run_is_taken_up_again_where_all_others_are_alive(store: Store) -> None:
    # Given one dead run and one that is alive, where two may be
    store.allow(runs=2)
    store.claim("a")
    store.crash()
    store.claim("b")
    # When the dead one is resumed, then it is the second
    store.claim("a")
    with pytest.raises(TooManyRuns):
        store.claim("c")


def test_a_message_that_is_resumed_waits_for_room_as_well(store: Store) -> None:
    store.allow(runs=1)
    store.claim("a")
    store.crash()
    store.claim("b")
    with pytest.raises(TooManyRuns):
        store.claim("a")


@pytest.mark.parametrize("begun", ["new", "once more"])
def test_runs_that_begin_between_reading_and_writing_are_seen(store: Store, begun: str) -> None:
    # Given a claim that has read that there is room for one, in an item that is new or has been there
    store.allow(runs=1)
    if begun == "once more":
        store.claim("z").finish(Ending(ANSWER))
    meanwhile(store, lambda: store.claim("b"))
    # When another run begins before it writes, then it is refused
    with pytest.raises(TooManyRuns):
        store.claim("a")
    assert store.runs() == ["C#b"]


def test_runs_for_which_there_is_room_do_not_stand_in_each_others_way(store: Store) -> None:
    # Given a claim that has read that there is room for two
    store.allow(runs=2)
    meanwhile(store, lambda: store.claim("b"))
    store.requests.clear()
    # When another one begins before it writes, then it need not look again
    store.claim("a")
    assert store.requests.count("BatchGetItem") == 2
    assert store.runs() == ["C#a", "C#b"]


def test_a_dead_run_that_is_taken_up_meanwhile_is_not_cleared_away(store: Store) -> None:
    # Given a dead run, and a claim of another conversation that has read of its death
    store.allow(runs=3)
    store.claim("a")
    store.crash()
    meanwhile(store, lambda: store.claim("a"))
    # When the dead one is resumed before the claim writes, then its new lease stays
    store.claim("b")
    assert store.runs() == ["C#a", "C#b"]


# ── what it costs ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("limits", [{}, {"tokens": 10_000}, {"runs": 3}, {"tokens": 10_000, "runs": 3}])
def test_no_limit_takes_a_request_of_its_own(store: Store, limits: dict[str, int]) -> None:
    # Given any limits; when a message with two rounds is answered, then it takes two requests and four
    store.allow(**limits)
    run = store.claim()
    run.append(DONE)
    run.append(DONE)
    run.finish(Ending(ANSWER))
    assert len(store.requests) <= 2 + 4


@pytest.mark.parametrize(
    ("limits", "read", "written"),
    [
        pytest.param({}, [2], [3, 3], id="none"),
        pytest.param({"tokens": 10_000}, [3], [3, 4], id="tokens"),
        pytest.param({"runs": 3}, [3], [4, 4], id="runs"),
        pytest.param({"tokens": 10_000, "runs": 3}, [4], [4, 5], id="both"),
    ],
)
def test_a_limit_costs_one_item_to_read_and_one_in_each_transaction_that_needs_it(
    store: Store, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int], read: list[int], written: list[int]
) -> None:
    # Given any limits; when a message is answered, then head, key and entry are read and written, and what they need
    store.allow(**limits)
    reads, writes = counted(store.table, "get", monkeypatch), counted(store.table, "transact", monkeypatch)
    store.claim().finish(Ending(ANSWER))
    assert (reads, writes) == (read, written)


def counted(table: Table, method: str, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Notes with how many items the method is called."""
    calls: list[int] = []
    real = getattr(table, method)

    def noting(items: Sequence[Any]) -> Any:
        calls.append(len(items))
        return real(items)

    monkeypatch.setattr(table, method, noting)
    return calls


def meanwhile(store: Store, what: Any) -> None:
    """Lets something happen between the next claim's reading and its writing."""
    transact = store.table.transact

    def interrupted(actions: Sequence[Any]) -> None:
        store.table.transact = transact
        what()
        transact(actions)

    store.table.transact = interrupted
