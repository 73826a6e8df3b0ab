"""The store on a table: claimed, stored round by round, finished, resumed, closed."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from doubles import FakeClock, asks

from rondas.history import UNAVAILABLE, Answer, Round, ToolResult, UserMessage, settle
from rondas.loop import Ending
from rondas.store.claim import ConversationBusy, InProgress, KeyReused, Message
from rondas.store.conversations import MAX_PAGE_ENTRIES, Conversations, Replayed
from rondas.store.run import ClaimedRun, LeaseLost
from rondas.store.table import StoreUnavailable, Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rondas.watcher import Mishap

LEASE = 27
DONE = settle(asks("look"), "found", "done")
ANSWER = Answer("Here it is", model="fake:model", rounds=1)


class Store:
    """Conversations on a table, with a clock that can be moved and a count of the requests."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self.client = client
        self.clock = FakeClock()
        self.requests: list[str] = []
        client.meta.events.register("before-send.dynamodb", self._count)
        self.table = Table("conversations", client)
        self.mishaps: list[Mishap] = []
        self.conversations = Conversations(self.table, 10_000, self.clock, on_mishap=self.mishaps.append)

    def _count(self, request: Any, **_: Any) -> None:
        self.requests.append(request.headers["X-Amz-Target"].decode().partition(".")[2])

    def claim(self, text: str = "hello", key: str = "k1", *, user: str = "ana") -> ClaimedRun:
        claimed = self.conversations.claim(Message(user, "c-1", key, text), seconds=LEASE)
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def replay(self, text: str = "hello", key: str = "k1") -> Answer:
        replayed = self.conversations.claim(Message("ana", "c-1", key, text), seconds=LEASE)
        assert isinstance(replayed, Replayed)
        return replayed.answer

    def meanwhile(self, what: Callable[[], object]) -> None:
        """Lets something happen between the next claim's reading and its writing."""
        transact = self.table.transact

        def interrupted(actions: Sequence[Any]) -> None:
            self.table.transact = transact
            what()
            transact(actions)

        self.table.transact = interrupted

    def head(self) -> dict[str, Any]:
        (head,) = [item for item in self.client.scan(TableName="conversations")["Items"] if "fence" in item]
        return {name: next(iter(value.values())) for name, value in head.items()}

    def crash(self) -> None:
        """Lets the lease of a runner that is no more run out."""
        self.clock.advance(LEASE + 2)

    def sort_keys(self) -> list[str]:
        items = self.client.scan(TableName="conversations")["Items"]
        return sorted(item["sk"].get("S", "") for item in items)


@pytest.fixture
def store(dynamodb: "DynamoDBClient") -> Store:
    return Store(dynamodb)


def test_s1_a_message_is_stored_when_it_is_claimed(store: Store) -> None:
    # Given an empty table; when a message is claimed
    run = store.claim()
    # Then head, message and key are there, and the model is to see the message
    assert store.sort_keys() == ["C#c-1", "M#000000000", "R#k1"]
    assert run.history == [UserMessage("hello")]


def test_s1_the_same_message_again_gets_the_stored_answer(store: Store) -> None:
    # Given an answered message
    store.claim().finish(Ending(ANSWER))
    # When it comes again, then it gets that answer, every field of it
    assert store.replay() == ANSWER


def test_s1_the_same_message_while_it_is_answered_is_in_progress(store: Store) -> None:
    # Given a message being answered
    store.claim()
    # When it comes again, then it is told when to come back
    with pytest.raises(InProgress) as refused:
        store.claim()
    assert 0 < refused.value.retry_after <= LEASE + 1


def test_s1_another_message_meanwhile_is_refused_and_leaves_no_trace(store: Store) -> None:
    # Given a message being answered
    store.claim()
    before = store.sort_keys()
    # When another one comes, then nothing of it is stored
    with pytest.raises(ConversationBusy):
        store.claim("other", "k2")
    assert store.sort_keys() == before


def test_s1_the_same_key_with_another_text_is_refused(store: Store) -> None:
    store.claim().finish(Ending(ANSWER))
    with pytest.raises(KeyReused):
        store.claim("another text")


def test_s1_a_crashed_message_is_resumed_from_its_last_round(store: Store) -> None:
    # Given a runner that died after a round
    store.claim().append(DONE)
    store.crash()
    # When the message comes again
    run = store.claim()
    # Then the message is not stored twice, the round is not lost, and the operator is told
    assert run.history == [UserMessage("hello"), DONE]
    assert store.mishaps == ["takeover"]
    run.finish(Ending(ANSWER))
    assert store.sort_keys() == ["C#c-1", "M#000000000", "M#000000001", "M#000000002", "R#k1"]


def test_s4_a_turn_written_ahead_is_resumed_under_the_same_key(store: Store) -> None:
    # Given a runner that died while a tool with an effect ran
    dead = store.claim()
    turn = asks("save")
    dead.write_ahead(turn)
    key = dead.key(turn.calls[0])
    store.crash()
    # When the message comes again
    run = store.claim()
    # Then the turn is pending, its call has the same key, and its round takes the same place
    assert run.pending == turn
    assert run.key(turn.calls[0]) == key == "c-1/1/0-save"
    run.append(settle(turn, "saved", "done"))
    run.finish(Ending(ANSWER))
    assert store.sort_keys() == ["C#c-1", "M#000000000", "M#000000001", "M#000000002", "R#k1"]


def test_s4_a_turn_written_ahead_is_completed_in_its_place(store: Store) -> None:
    # Given a turn written ahead; when its results are stored
    run = store.claim()
    run.write_ahead(asks("save"))
    run.append(settle(asks("save"), "saved", "done"))
    run.finish(Ending(ANSWER))
    # Then the next message sees one whole round
    assert store.claim("next", "k2").history[1] == settle(asks("save"), "saved", "done")


def test_a_later_message_closes_a_crashed_one_honestly(store: Store) -> None:
    # Given a runner that died after a round
    store.claim("¿qué tal?").append(DONE)
    store.crash()
    # When another message comes
    run = store.claim("next", "k2")
    # Then the first one has an end, before the second begins, and its key knows it
    closing = run.history[2]
    assert isinstance(closing, Answer)
    assert (closing.status, closing.reason, closing.rounds) == ("failed", "interrupted", 1)
    assert closing.text.startswith("Me interrumpieron")
    assert store.mishaps == ["takeover"]
    assert run.history[-1] == UserMessage("next")
    run.finish(Ending(ANSWER))
    assert store.replay("¿qué tal?") == closing


def test_a_later_message_says_that_an_effect_is_unknown(store: Store) -> None:
    # Given a runner that died while a tool with an effect ran
    store.claim().write_ahead(asks("save"))
    store.crash()
    # When another message comes
    history = store.claim("next", "k2").history
    # Then the call has a result that says so, and so has the person
    settled, closing = history[1], history[2]
    assert isinstance(settled, Round)
    assert settled.results == (
        ToolResult("0-save", "interrupted: it was started, and whether it took effect is unknown", "unknown"),
    )
    assert isinstance(closing, Answer)
    assert "don't know whether it took effect" in closing.text


def test_s3_a_runner_that_outlived_its_lease_changes_nothing(store: Store) -> None:
    # Given a runner that slept past its lease, and another one that took over
    stale = store.claim()
    store.crash()
    successor = store.claim()
    before = store.sort_keys()
    # When it wakes up, then it can neither store nor answer
    with pytest.raises(LeaseLost):
        stale.append(DONE)
    with pytest.raises(LeaseLost):
        stale.write_ahead(asks("save"))
    with pytest.raises(LeaseLost):
        stale.finish(Ending(Answer("stale")))
    assert store.sort_keys() == before
    successor.finish(Ending(ANSWER))
    assert store.replay() == ANSWER


def test_s3_a_runner_whose_work_was_finished_by_another_changes_nothing(store: Store) -> None:
    # Given a stale runner whose message has been answered meanwhile
    stale = store.claim()
    store.crash()
    store.claim().finish(Ending(ANSWER))
    # When it wakes up, then the answer stands
    with pytest.raises(LeaseLost):
        stale.finish(Ending(Answer("stale")))
    assert store.replay() == ANSWER


def test_a_message_nobody_could_answer_is_tried_again_under_the_same_key(store: Store) -> None:
    # Given a message for which no model could be reached after a round
    run = store.claim()
    run.append(DONE)
    run.finish(Ending(Answer("Sorry", "failed", UNAVAILABLE)))
    # When it comes again
    again = store.claim()
    # Then it goes on from the round, and is not stored twice
    assert again.history == [UserMessage("hello"), DONE]
    again.finish(Ending(ANSWER))
    assert store.replay() == ANSWER
    # And the next message sees the success alone
    assert store.claim("next", "k2").history == [UserMessage("hello"), DONE, ANSWER, UserMessage("next")]


def test_a_message_nobody_could_answer_does_not_disturb_the_next(store: Store) -> None:
    # Given a message that failed without a trace
    store.claim().finish(Ending(Answer("Sorry", "failed", UNAVAILABLE)))
    # When another one comes, then the model sees only that
    run = store.claim("next", "k2")
    assert run.history == [UserMessage("next")]
    run.finish(Ending(ANSWER))
    # And the failed one, sent again, is told how it ended
    assert store.replay().status == "failed"


def test_the_declined_turn_and_the_answer_are_one_write(store: Store) -> None:
    # Given a run that ends at a limit
    run = store.claim()
    declined = settle(asks("look"), "Not executed: …", "not_executed")
    store.requests.clear()
    # When it is finished
    run.finish(Ending(ANSWER, declined))
    # Then it took one request, and the next message sees both
    assert store.requests == ["TransactWriteItems"]
    assert store.claim("next", "k2").history[1:3] == [declined, ANSWER]


@pytest.mark.parametrize(("rounds", "effects"), [(0, 0), (3, 0), (10, 2)])
def test_the_requests_of_a_message_are_rounds_and_effects_and_four(store: Store, rounds: int, effects: int) -> None:
    # Given a conversation with a message in it
    store.claim().finish(Ending(ANSWER))
    store.requests.clear()
    # When another message is answered with so many rounds, some of them with effects
    run = store.claim("next", "k2")
    for number in range(rounds):
        if number < effects:
            run.write_ahead(DONE.turn)
        run.append(DONE)
    run.finish(Ending(ANSWER))
    # Then it took no more requests than the design allows
    assert len(store.requests) <= rounds + effects + 4


def test_every_read_is_consistent(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given the requests as they go out
    sent: list[bytes] = []

    def remember(request: Any, **_: Any) -> None:
        sent.append(request.body)

    store.client.meta.events.register("before-send.dynamodb", remember)
    store.claim().finish(Ending(ANSWER))
    store.claim("next", "k2")
    # When they are looked at, then every read asks for the present state
    reads = [body for body in sent if b"ConsistentRead" in body or b"KeyConditionExpression" in body]
    assert reads
    assert all(b'"ConsistentRead": true' in body for body in reads)


def test_a_long_history_is_read_in_order_through_many_pages(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given six messages with their answers, more than three pages of this size hold
    monkeypatch.setattr("rondas.store.conversations.SHORT_ENTRY_TOKENS", 2_500)  # of 10 000: four entries a page
    for number in range(6):
        store.claim(f"m{number}", f"k{number}").finish(Ending(Answer(f"a{number}")))
    # When the next one is claimed, then the model sees them in order, from the window's beginning
    texts = [entry.text for entry in store.claim("last", "last").history if isinstance(entry, UserMessage | Answer)]
    assert texts[-3:] == ["m5", "a5", "last"]
    assert texts == [*(f"{kind}{number}" for number in range(6) for kind in "ma"), "last"]


def test_no_budget_asks_for_a_page_that_the_table_refuses(store: Store) -> None:
    # Given a budget that comes to more entries than 32 bits can say, and a message that was answered
    asked: list[bytes] = []

    def remember(request: Any, **_: Any) -> None:
        asked.append(request.body)

    store.client.meta.events.register("before-send.dynamodb", remember)
    store.conversations = Conversations(store.table, 10**12, store.clock)
    store.claim().finish(Ending(ANSWER))
    # When the next one is claimed, then no page was asked for that is larger than one can be
    store.claim("next", "k2")
    limits = [json.loads(body)["Limit"] for body in asked if b"KeyConditionExpression" in body]
    assert limits
    assert max(limits) == MAX_PAGE_ENTRIES


def test_a_person_never_reaches_anothers_conversation(store: Store) -> None:
    # Given Ana's conversation
    store.claim("Ana's words").finish(Ending(ANSWER))
    # When somebody else uses the same conversation id and the same key
    run = store.claim("hello", "k1", user="bob")
    # Then it is another conversation
    assert run.history == [UserMessage("hello")]


def test_a_name_with_separators_cannot_pretend_to_be_another(store: Store) -> None:
    # Given a person whose name holds the separator of the keys
    store.claim("secret", user="ana")
    run = store.claim("hello", "k2", user="ana#C#c-1")
    assert run.history == [UserMessage("hello")]


def test_s7_a_large_round_is_compressed_and_comes_back_whole(store: Store) -> None:
    # Given a round with 300 KB of multi-byte text that repeats
    large = settle(asks("read"), "ñandú " * 50_000, "done")
    run = store.claim()
    run.append(large)
    run.finish(Ending(ANSWER))
    # When it is read, then it is whole, and the item is far below the limit
    items = store.client.scan(TableName="conversations")["Items"]
    assert max(len(str(item)) for item in items) < 100_000
    generous = Conversations(Table("conversations", store.client), 1_000_000, store.clock)
    claimed = generous.claim(Message("ana", "c-1", "k2", "next"), seconds=LEASE)
    assert isinstance(claimed, ClaimedRun)
    assert claimed.history[1] == large


def test_an_old_key_is_forgotten_after_two_days_and_not_before(store: Store) -> None:
    # Given an answered message
    store.claim().finish(Ending(ANSWER))
    # When it comes again after a day, then it is remembered
    store.clock.advance(25 * 3600)
    assert store.replay() == ANSWER
    # When it comes again after three, then it is a new message, although the table has not deleted the key yet
    store.clock.advance(48 * 3600)
    assert store.claim().history == [UserMessage("hello"), ANSWER, UserMessage("hello")]


# Races: something happens between the reading of a claim and its writing


def test_two_first_messages_at_once_are_one_message(store: Store) -> None:
    # Given a new conversation in which another message is claimed meanwhile
    others: list[ClaimedRun] = []
    store.meanwhile(lambda: others.append(store.claim("first", "k1")))
    # When the second one writes, then it finds the conversation taken
    with pytest.raises(ConversationBusy):
        store.claim("second", "k2")
    assert store.sort_keys() == ["C#c-1", "M#000000000", "R#k1"]
    others[0].finish(Ending(ANSWER))


def test_two_messages_at_once_in_an_old_conversation_are_one_message(store: Store) -> None:
    store.claim("old", "k0").finish(Ending(ANSWER))
    store.meanwhile(lambda: store.claim("first", "k1"))
    with pytest.raises(ConversationBusy):
        store.claim("second", "k2")
    assert "R#k2" not in store.sort_keys()


def test_a_message_that_was_answered_meanwhile_is_replayed(store: Store) -> None:
    # Given a runner that seems dead, and answers while its successor reads
    slow = store.claim()
    store.crash()
    store.meanwhile(lambda: slow.finish(Ending(ANSWER)))
    # When the successor writes, then it finds the answer
    assert store.replay() == ANSWER


def test_two_successors_at_once_are_one(store: Store) -> None:
    # Given a crashed message that is taken up twice at once
    store.claim()
    store.crash()
    store.meanwhile(store.claim)
    # When the second one writes, then the first has it
    with pytest.raises(InProgress):
        store.claim()


def test_a_round_stored_meanwhile_is_not_overwritten(store: Store) -> None:
    # Given a runner that seems dead, and stores a round while a later message closes it
    slow = store.claim()
    store.crash()
    store.meanwhile(lambda: slow.append(DONE))
    # When the later message writes, then the round stands, and the account of the end comes after it
    history = store.claim("next", "k2").history
    assert history[:2] == [UserMessage("hello"), DONE]
    assert isinstance(history[2], Answer)
    assert history[2].rounds == 1


def test_an_effect_begun_meanwhile_is_not_lost(store: Store) -> None:
    # Given a runner that seems dead, and begins an effect while a later message closes it
    slow = store.claim()
    store.crash()
    store.meanwhile(lambda: slow.write_ahead(asks("save")))
    # When the later message writes, then the call is there, its effect unknown
    settled, closing = store.claim("next", "k2").history[1:3]
    assert isinstance(settled, Round)
    assert [result.outcome for result in settled.results] == ["unknown"]
    assert isinstance(closing, Answer)
    assert "don't know whether it took effect" in closing.text


def test_the_results_of_an_effect_stored_meanwhile_stand(store: Store) -> None:
    # Given a runner that seems dead, and ends its effect while a later message closes it
    slow = store.claim()
    slow.write_ahead(asks("save"))
    store.crash()
    saved = settle(asks("save"), "saved", "done")
    store.meanwhile(lambda: slow.append(saved))
    # When the later message writes, then the result is what was stored
    assert store.claim("next", "k2").history[1] == saved


def test_a_message_that_failed_is_taken_up_as_often_as_it_comes(store: Store) -> None:
    # Given a message that nobody could answer, twice, with a round and a crash between
    failed = Ending(Answer("Sorry", "failed", UNAVAILABLE))
    store.claim().finish(failed)
    run = store.claim()
    run.append(DONE)
    store.crash()
    store.claim().finish(failed)
    # When it comes again and again, then it goes on from its round each time
    run = store.claim()
    assert run.history == [UserMessage("hello"), DONE]
    run.write_ahead(asks("save"))
    store.crash()
    run = store.claim()
    assert (run.history, run.pending) == ([UserMessage("hello"), DONE], asks("save"))
    run.append(settle(asks("save"), "saved", "done"))
    run.finish(Ending(ANSWER))
    assert store.replay() == ANSWER


def test_a_declined_turn_that_was_written_ahead_takes_its_place(store: Store) -> None:
    # Given a resumed effect that found no time
    store.claim().write_ahead(asks("save"))
    store.crash()
    run = store.claim()
    unknown = settle(asks("save"), "interrupted", "unknown")
    # When the run ends, then its turn is completed, not stored twice
    run.finish(Ending(ANSWER, unknown))
    assert store.claim("next", "k2").history[1:3] == [unknown, ANSWER]


def test_a_lease_lasts_a_moment_longer_than_the_run_may(store: Store) -> None:
    # Given a run at its very end, on a clock a little off
    store.claim()
    store.clock.advance(LEASE + 0.5)
    # When the message comes again, then it is left to its runner
    with pytest.raises(InProgress):
        store.claim()


def test_a_run_that_gives_up_frees_its_message_at_once(store: Store) -> None:
    # Given a run that met an error of ours
    store.claim().release()
    # When the message comes again, then it is taken up without waiting
    assert store.claim().history == [UserMessage("hello")]


def test_a_stale_run_frees_nothing(store: Store) -> None:
    # Given a stale runner that meets an error after its successor took over
    stale = store.claim()
    store.crash()
    store.claim()
    stale.release()
    # When the message comes again, then the successor still holds it
    with pytest.raises(InProgress):
        store.claim()


def test_the_title_is_the_first_message_cut_short(store: Store) -> None:
    # Given two messages
    store.claim("x" * 100, "k1").finish(Ending(ANSWER))
    created = store.head()["created_at"]
    store.clock.advance(60)
    store.claim("second", "k2").finish(Ending(ANSWER))
    # When the head is read, then title and birth are those of the first, and the last change is the second's
    head = store.head()
    assert head["title"] == "x" * 80
    assert head["created_at"] == created < head["updated_at"]


@pytest.mark.parametrize(
    "damage",
    [
        {"body": {"S": '{"text":"he'}},
        {"body": {"S": "[]"}},
        {"body": {"B": b"no zlib"}},
        {"body": {"NULL": True}},
        {"kind": {"S": "hologram"}},
        {"kind": {"N": "1"}},
    ],
)
@pytest.mark.parametrize("number", range(4))
def test_s8_an_entry_that_cannot_be_read_does_not_end_the_conversation(
    store: Store, caplog: pytest.LogCaptureFixture, damage: dict[str, Any], number: int
) -> None:
    # Given an answered message of which one entry is damaged
    run = store.claim()
    run.append(DONE)
    run.append(settle(asks("seek"), "found too", "done"))
    run.finish(Ending(ANSWER))
    key: Any = {"pk": {"S": "U#ana#C#c-1"}, "sk": {"S": f"M#{number:09d}"}}
    item = store.client.get_item(TableName="conversations", Key=key).get("Item", {})
    store.client.put_item(TableName="conversations", Item=item | damage)
    # When the next message comes, then it is answered with what is left, and the operator is told
    run = store.claim("next", "k2")
    assert isinstance(run.history[0], UserMessage)
    assert run.history[-1] == UserMessage("next")
    assert "cannot be read" in caplog.text
    run.finish(Ending(ANSWER))
    assert "M#000000005" in store.sort_keys()


def test_s8_an_entry_that_is_missing_does_not_end_the_conversation(store: Store) -> None:
    # Given an answered message whose own entry somebody deleted
    run = store.claim()
    run.append(DONE)
    run.finish(Ending(ANSWER))
    store.client.delete_item(TableName="conversations", Key={"pk": {"S": "U#ana#C#c-1"}, "sk": {"S": "M#000000000"}})
    # When the next message comes, then what is left is shown, after a person's words
    history = store.claim("next", "k2").history
    assert isinstance(history[0], UserMessage)
    assert history[-1] == UserMessage("next")


def test_s5_what_a_provider_said_to_itself_is_not_stored(store: Store) -> None:
    # Given a turn with a signed thought, and arguments nested deeper than any reader goes
    nested: dict[str, Any] = {}
    for _ in range(5000):
        nested = {"a": nested}
    turn = replace(DONE.turn, opaque=[{"type": "thinking", "signature": "sig-1"}, nested])
    run = store.claim()
    run.write_ahead(turn)
    run.append(replace(DONE, turn=turn))
    run.finish(Ending(ANSWER, replace(DONE, turn=turn)))
    # When the table and the next message's history are looked at, then it is in neither
    assert "sig-1" not in str(store.client.scan(TableName="conversations"))
    assert store.claim("next", "k2").history[1:3] == [DONE, DONE]


def test_s3_a_runner_that_slept_before_it_read_does_not_take_anothers_turn_for_its_own(store: Store) -> None:
    # Given a runner that sleeps between its claim and its reading, while another message begins an effect
    newest_first = store.table.newest_first

    def slept(partition: str, below: str, above: str, *, page_items: int = 100) -> Iterator[Any]:
        store.table.newest_first = newest_first
        store.crash()
        store.claim("other", "k2").write_ahead(asks("save"))
        return newest_first(partition, below, above, page_items=page_items)

    store.claim("old", "k0").finish(Ending(ANSWER))
    store.table.newest_first = slept
    # When it reads, then it sees that its time is over
    with pytest.raises(LeaseLost):
        store.claim("hello", "k1")


class Ambiguous:
    """A table whose next writes are carried out, or not, without an answer."""

    def __init__(self, store: Store, *, carried_out: bool) -> None:
        transact = store.table.transact

        def unanswered(actions: Sequence[Any]) -> None:
            store.table.transact = transact
            if carried_out:
                transact(actions)
            raise StoreUnavailable("ReadTimeoutError")

        store.table.transact = unanswered


def test_a_write_whose_answer_never_came_is_looked_up(store: Store) -> None:
    # Given a run whose writes are carried out while their answers are lost
    run = store.claim()
    Ambiguous(store, carried_out=True)
    run.write_ahead(asks("save"))
    Ambiguous(store, carried_out=True)
    run.append(settle(asks("save"), "saved", "done"))
    Ambiguous(store, carried_out=True)
    # When it ends, then everything is there once
    run.finish(Ending(ANSWER))
    assert store.replay() == ANSWER
    assert store.sort_keys() == ["C#c-1", "M#000000000", "M#000000001", "M#000000002", "R#k1"]


def test_a_write_that_was_not_carried_out_is_not_taken_for_done(store: Store) -> None:
    # Given a run whose write is lost
    run = store.claim()
    Ambiguous(store, carried_out=False)
    # When it is written, then the run hears of it, and may write it again
    with pytest.raises(StoreUnavailable):
        run.append(DONE)
    run.append(DONE)
    run.finish(Ending(ANSWER))
    assert store.replay() == ANSWER


def test_clocks_five_seconds_apart_cost_a_lease_some_seconds_and_nothing_else(store: Store) -> None:
    # Given two machines of which the second is five seconds ahead
    ahead = Conversations(store.table, 10_000, lambda: store.clock() + 5)
    message = Message("ana", "c-1", "k1", "hello")
    slow = store.claim()
    # When the message comes to the second in the lease of the first, then it is left alone
    with pytest.raises(InProgress):
        ahead.claim(message, seconds=LEASE)
    # And when it comes five seconds before the lease ends, then it is taken over, and the first is fenced off
    store.clock.advance(LEASE - 3)
    successor = ahead.claim(message, seconds=LEASE)
    assert isinstance(successor, ClaimedRun)
    with pytest.raises(LeaseLost):
        slow.finish(Ending(Answer("slow")))
    successor.finish(Ending(ANSWER))
    assert store.replay() == ANSWER


def test_a_message_costs_the_same_bytes_however_long_the_conversation_is(store: Store) -> None:
    # Given what a message sends to the table at the beginning of a conversation, and after fifty messages
    store.conversations = Conversations(store.table, 100, store.clock)
    sent: list[int] = []

    def measure(request: Any, **_: Any) -> None:
        sent.append(len(request.body))

    store.client.meta.events.register("before-send.dynamodb", measure)

    def message(number: int) -> int:
        sent.clear()
        run = store.claim("hello", f"k{number:03d}")
        run.append(DONE)
        run.finish(Ending(ANSWER))
        return sum(sent)

    message(0)
    early = message(1)
    for number in range(2, 50):
        message(number)
    # When they are compared, then they differ by the digits of the numbers
    assert abs(message(50) - early) < 30


@pytest.mark.parametrize("carried_out", [True, False])
@pytest.mark.parametrize("before", ["nothing", "an answer", "a crash", "a crash of another"])
def test_a_claim_whose_answer_never_came_is_looked_up(store: Store, before: str, carried_out: bool) -> None:
    # Given a conversation in any state, and a claim whose answer is lost
    if before == "an answer":
        store.claim("old", "k0").finish(Ending(ANSWER))
    elif before != "nothing":
        store.claim("hello", "k1" if before == "a crash" else "k0")
        store.crash()
    Ambiguous(store, carried_out=carried_out)
    # When the message is claimed, then it is ours, once, and can be ended
    run = store.claim("hello", "k1")
    assert run.history[-1] == UserMessage("hello")
    run.append(DONE)
    run.finish(Ending(ANSWER))
    assert store.replay() == ANSWER
