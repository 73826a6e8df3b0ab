"""Messages that are handed on: left to the queue, taken up once, kept by signs of life, stopped, given up."""

from typing import TYPE_CHECKING, Any

import pytest
from doubles import FakeClock, asks

from rondas.history import UNAVAILABLE, Answer, Round, Turn, UserMessage, settle
from rondas.loop import Ending
from rondas.store.allowance import Allowance, TooManyRuns
from rondas.store.claim import ConversationBusy, Gone, InProgress, Message
from rondas.store.closing import give_up
from rondas.store.conversations import Conversations, Replayed
from rondas.store.erase import erase
from rondas.store.items import Keys
from rondas.store.message import MessageNotFound, MessageState, ask_to_stop, message_state
from rondas.store.run import ClaimedRun, ConversationErased, LeaseLost
from rondas.store.table import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from rondas.watcher import Mishap

WAIT, LIFE, RUN, IN_QUEUE = 27, 60, 600, 3600
KEYS = Keys("ana", "c-1")
DONE = settle(asks("look"), "found", "done")
ANSWER = Answer("Here it is", model="fake:model", rounds=1)


class Store:
    """One person's conversations, each run of which counts, with a clock that can be moved."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self.clock = FakeClock()
        self.table = Table("conversations", client)
        self.allowance = Allowance(daily_tokens=1_000_000, runs=1)
        self.conversations = Conversations(self.table, 10_000, self.clock, allowance=self.allowance)

    def claim(self, key: str = "k1", conversation: str = "c-1") -> ClaimedRun:
        claimed = self.conversations.claim(Message("ana", conversation, key, f"hello {key}"), seconds=WAIT)
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def from_queue(self, key: str = "k1") -> ClaimedRun | Replayed:
        message = self.conversations.message("ana", "c-1", key)
        return self.conversations.claim(message, seconds=RUN, lease=LIFE, from_queue=True)

    def take_up(self, key: str = "k1") -> ClaimedRun:
        claimed = self.from_queue(key)
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def handed_on(self, *rounds: Round) -> ClaimedRun:
        run = self.claim()
        for done in rounds:
            run.append(done)
        run.hand_on(IN_QUEUE)
        return run

    def state(self, key: str = "k1") -> MessageState:
        return message_state(self.table, KEYS, key, self.clock)

    def head(self) -> dict[str, Any]:
        (item,) = self.table.get([KEYS.head()])
        return {name: next(iter(value.values())) for name, value in (item or {}).items()}

    def ask_to_stop(self, keys: Keys = KEYS, key: str = "k1") -> MessageState:
        return ask_to_stop(self.table, keys, key, self.clock)

    def give_up(self, key: str = "k1") -> Answer | None:
        return give_up(self.table, KEYS, key, self.allowance, self.clock)


@pytest.fixture
def store(dynamodb: "DynamoDBClient") -> Store:
    return Store(dynamodb)


# The queue


def test_a_message_is_taken_up_after_its_last_round(store: Store) -> None:
    # Given a message that was handed on after a round
    store.handed_on(DONE)
    # When the worker comes for it
    run = store.take_up()
    # Then it goes on after that round, and its end is the message's
    assert run.history == [UserMessage("hello k1"), DONE]
    run.finish(Ending(ANSWER))
    assert store.state().answer == ANSWER


def test_a_turn_that_was_left_is_where_the_worker_begins(store: Store) -> None:
    # Given a message that was handed on with a turn
    turn = asks("look")
    run = store.claim()
    run.write_ahead(turn)
    run.hand_on(IN_QUEUE)
    # When the worker comes for it, then its calls are to run
    assert store.take_up().pending == turn


def test_what_is_in_the_queue_is_nobody_elses(store: Store) -> None:
    # Given a message in the queue, long after its first runner is gone
    store.handed_on()
    store.clock.advance(WAIT * 10)
    # When the app sends it again, or another one, then both are to wait
    with pytest.raises(InProgress):
        store.claim()
    with pytest.raises(ConversationBusy):
        store.claim("k2")


def test_what_the_queue_has_lost_is_taken_up_when_it_is_sent_again(store: Store) -> None:
    # Given a message for which nobody has come in all the time there is
    store.handed_on(DONE)
    store.clock.advance(IN_QUEUE + 1)
    # When the app sends it again, then it goes on
    assert store.claim().history[1:] == [DONE]


def test_s3_who_handed_on_can_write_no_more_once_it_is_taken_up(store: Store) -> None:
    # Given a worker who has come
    before = store.handed_on()
    store.take_up()
    # When the one before goes on all the same, then it is refused
    with pytest.raises(LeaseLost):
        before.append(DONE)


def test_a_message_that_arrives_before_its_runner_let_go_has_to_wait(store: Store) -> None:
    # Given a message that is in the queue already, and whose runner has not said so
    store.claim()
    # When the worker comes for it
    with pytest.raises(InProgress):
        store.from_queue()
    # Then it has it when the lease is over, as after a crash
    store.clock.advance(WAIT + 2)
    store.take_up()


def test_a_message_that_arrives_twice_is_taken_up_once(store: Store) -> None:
    # Given a worker at work
    store.handed_on()
    run = store.take_up()
    # When it arrives again
    with pytest.raises(InProgress):
        store.from_queue()
    # Then it is answered once, and arriving later it has that answer
    run.finish(Ending(ANSWER))
    assert store.from_queue() == Replayed(ANSWER)


def test_a_message_that_failed_and_arrives_again_stays_as_its_app_was_told(store: Store) -> None:
    # Given a worker whose models were all down, and a queue that has not heard of the end
    store.handed_on()
    failed = Answer("Not now", "failed", UNAVAILABLE)
    store.take_up().finish(Ending(failed))
    # When the message arrives again
    again = store.from_queue()
    # Then it has that end, and only its app may try again
    assert isinstance(again, Replayed)
    assert again.answer.text == "Not now"
    assert store.state().status == "failed"
    store.claim()


def test_what_was_left_to_the_worker_is_no_run_that_died(store: Store) -> None:
    # Given a message that was handed on
    mishaps: list[Mishap] = []
    store.conversations = Conversations(store.table, 10_000, store.clock, on_mishap=mishaps.append)
    store.handed_on()
    # When the worker comes for it, then nothing was made good
    store.take_up()
    assert mishaps == []
    # But where that one dies, the next one makes it good
    store.clock.advance(LIFE + 2)
    store.take_up()
    assert mishaps == ["takeover"]


def test_a_message_that_arrives_after_its_conversation_was_erased_begins_nothing(store: Store) -> None:
    # Given a message in the queue, and an erase
    store.handed_on()
    erase(store.table, KEYS)
    # When it arrives
    with pytest.raises(Gone):
        store.from_queue()
    # Then there is nothing
    with pytest.raises(MessageNotFound):
        store.state()


def test_an_erase_between_looking_and_claiming_begins_nothing_either(store: Store) -> None:
    # Given a worker that has read the message, and an erase
    store.handed_on()
    message = store.conversations.message("ana", "c-1", "k1")
    erase(store.table, KEYS)
    # When it claims it, then there is no conversation
    with pytest.raises(Gone):
        store.conversations.claim(message, seconds=RUN, from_queue=True)


# Signs of life


def test_a_worker_that_gives_signs_of_life_keeps_its_message(store: Store) -> None:
    # Given a worker at work for longer than a lease
    store.handed_on()
    run = store.take_up()
    for _ in range(5):
        store.clock.advance(LIFE / 2)
        run.renew(LIFE)
    # When it arrives again, then it is still held
    with pytest.raises(InProgress):
        store.from_queue()
    run.append(DONE)


def test_a_worker_that_died_is_succeeded_within_a_lease(store: Store) -> None:
    # Given a worker that died after a round
    store.handed_on()
    dead = store.take_up()
    dead.append(DONE)
    store.clock.advance(LIFE + 2)
    # When the queue brings the message again
    run = store.take_up()
    # Then that round is not done again, and a late sign of life takes nothing back
    assert run.history[1:] == [DONE]
    dead.renew(LIFE)
    run.append(settle(asks("look", id_prefix="2"), "found", "done"))
    with pytest.raises(LeaseLost):
        dead.append(DONE)


def test_a_sign_of_life_after_the_end_holds_nothing(store: Store) -> None:
    # Given a run that has ended
    run = store.claim()
    run.finish(Ending(ANSWER))
    # When its last sign of life comes late
    run.renew(LIFE)
    # Then the next message is taken
    store.claim("k2")


# What the person may have at the same time


def test_what_is_in_the_queue_and_with_the_worker_is_counted_as_a_run(store: Store) -> None:
    # Given a person with one run at a time, whose message is in the queue
    store.handed_on()
    store.clock.advance(WAIT + 2)
    # When another of their conversations wants one, then it is one too many
    with pytest.raises(TooManyRuns):
        store.claim("k2", "c-2")
    # And the worker is not one more
    run = store.take_up()
    store.clock.advance(LIFE + 2)  # it counts for as long as it may work, whatever its lease says
    with pytest.raises(TooManyRuns):
        store.claim("k2", "c-2")
    run.finish(Ending(ANSWER))
    store.claim("k2", "c-2")


def test_what_was_let_in_is_answered_although_others_run_by_now(store: Store) -> None:
    # Given a message that its worker had to give back, and another conversation that took the one run there may be
    store.handed_on()
    store.take_up().release()
    store.claim("k2", "c-2")
    # When the queue brings it again, then it goes on
    store.take_up().finish(Ending(ANSWER))
    assert store.state().answer == ANSWER


def test_a_run_whose_conversation_was_erased_is_counted_until_its_worker_knows(store: Store) -> None:
    # Given a person with one run at a time, whose message was in the queue when they erased its conversation
    store.handed_on()
    erase(store.table, KEYS)
    with pytest.raises(TooManyRuns):
        store.claim("k2", "c-2")
    # When the worker finds nothing
    store.conversations.end_count("ana", "c-1")
    # Then there is room for another
    store.claim("k2", "c-2")


def test_a_run_of_a_conversation_that_was_begun_anew_is_counted_all_the_same(store: Store) -> None:
    # Given a conversation that was begun anew while the worker was on its way
    store.handed_on()
    erase(store.table, KEYS)
    store.claim("k2")
    # When that one finds its message gone, then the new run still counts
    store.conversations.end_count("ana", "c-1")
    with pytest.raises(TooManyRuns):
        store.claim("k3", "c-2")


# The wish to stop


def test_the_wish_to_stop_is_seen_with_the_next_write(store: Store) -> None:
    # Given a message at work
    run = store.claim()
    run.append(DONE)
    assert not run.stop_asked
    # When its person asks to stop
    assert store.ask_to_stop().status == "running"
    # Then the next round is stored all the same, and the wish seen
    second = settle(asks("look", id_prefix="2"), "found", "done")
    run.append(second)
    assert run.stop_asked
    # And whatever is left is stored as ever
    run.write_ahead(asks("save"))
    run.append(settle(asks("save"), "Not executed", "not_executed"))
    run.finish(Ending(Answer("Stopped", "stopped")))
    assert [each.entry for each in store.state().rounds][:2] == [DONE, second]
    assert store.state().status == "stopped"


def test_the_wish_to_stop_waits_for_the_worker(store: Store) -> None:
    # Given a message in the queue that its person does not want any more
    store.handed_on()
    store.ask_to_stop()
    # When the worker comes for it, then it knows
    assert store.take_up().stop_asked


def test_the_wish_to_stop_is_for_one_message(store: Store) -> None:
    # Given a message that was stopped
    run = store.claim()
    store.ask_to_stop()
    run.finish(Ending(ANSWER))
    # When the next one comes, then it is not, and nothing of the wish is left
    assert "stop_key" not in store.head()
    second = store.claim("k2")
    second.append(DONE)
    assert not second.stop_asked


def test_the_wish_to_stop_changes_nothing_of_what_has_ended_or_is_not_there(store: Store) -> None:
    # Given a message that has ended
    run = store.claim()
    run.finish(Ending(ANSWER))
    # When its person asks to stop, then it has its answer
    assert store.ask_to_stop().answer == ANSWER
    # And of one that is not there, or is another's, nothing is said
    for keys, key in [(KEYS, "k2"), (Keys("ana", "c-2"), "k1"), (Keys("ben", "c-1"), "k1")]:
        with pytest.raises(MessageNotFound):
            store.ask_to_stop(keys, key)


def test_s3_who_has_seen_the_wish_is_fenced_off_like_anybody(store: Store) -> None:
    # Given a runner that has seen that it is to stop, and slept past its lease
    run = store.claim()
    store.ask_to_stop()
    run.append(DONE)
    store.clock.advance(WAIT + 2)
    store.claim()
    # When it goes on all the same, then it stores nothing more
    with pytest.raises(LeaseLost):
        run.append(settle(asks("look", id_prefix="2"), "found", "done"))
    with pytest.raises(LeaseLost):
        run.finish(Ending(ANSWER))


def test_an_erase_is_not_taken_for_a_wish_to_stop(store: Store) -> None:
    # Given a message at work whose person stops it, and erases it
    run = store.claim()
    store.ask_to_stop()
    erase(store.table, KEYS)
    # When it writes, then it hears of the erase
    with pytest.raises(ConversationErased):
        run.append(DONE)


def test_a_runner_that_was_succeeded_hears_nothing_of_a_wish(store: Store) -> None:
    # Given a runner that was succeeded, and a wish
    before = store.handed_on()
    store.take_up()
    store.ask_to_stop()
    # When it writes, then it has lost its lease
    with pytest.raises(LeaseLost):
        before.append(DONE)
    assert not before.stop_asked


# Where a message stands


def test_a_message_at_work_shows_the_rounds_so_far(store: Store) -> None:
    # Given a message with one round done and the next one at work, after another message
    store.claim("k0").finish(Ending(ANSWER))
    run = store.claim()
    run.append(DONE)
    run.write_ahead(asks("save"))
    # When its person looks
    state = store.state()
    # Then they are there, and nothing of the message before
    assert (state.status, state.answer) == ("running", None)
    assert [each.entry for each in state.rounds] == [DONE, Round(asks("save"))]


@pytest.mark.parametrize("seconds", [WAIT + 2, IN_QUEUE + 2])
def test_a_message_whose_runner_died_says_so(store: Store, seconds: int) -> None:
    # Given a message whose runner died, or whose queue lost it
    if seconds > WAIT + 2:
        store.handed_on()
    else:
        store.claim()
    assert store.state().status == "running"
    # When all that time has passed, then it is not called running
    store.clock.advance(seconds)
    assert store.state().status == "interrupted"


def test_a_message_without_a_model_has_ended_until_it_is_sent_again(store: Store) -> None:
    # Given a message that no model could answer
    run = store.claim()
    run.finish(Ending(Answer("Not now", "failed", UNAVAILABLE)))
    assert store.state().status == "failed"
    # When it is sent again, then it is at work
    store.claim()
    assert store.state().status == "running"


def test_a_message_that_ended_long_ago_is_forgotten(store: Store) -> None:
    # Given a message that has ended
    store.claim().finish(Ending(ANSWER))
    # When its key is forgotten
    store.clock.advance(49 * 3600)
    # Then only the history has it
    with pytest.raises(MessageNotFound):
        store.state()


# What nobody could bring to an end


def test_a_message_that_is_given_up_has_an_honest_end(store: Store) -> None:
    # Given a message whose last worker died in an effect
    store.handed_on(DONE)
    run = store.take_up()
    run.write_ahead(Turn("I save it.", asks("save").calls))
    store.clock.advance(LIFE + 2)
    # When it is given up
    answer = store.give_up()
    # Then what was done stays, what may have happened is called so, and the person is told
    assert answer is not None
    assert (answer.status, answer.reason, answer.rounds) == ("failed", "interrupted", 2)
    assert "I don't know whether it took effect" in answer.text
    state = store.state()
    assert state.answer == answer
    assert [round_.entry.results[0].outcome for round_ in state.rounds if isinstance(round_.entry, Round)] == [
        "done",
        "unknown",
    ]
    # And the conversation goes on, and the dead one's late write is refused
    store.claim("k2")
    with pytest.raises(LeaseLost):
        run.append(DONE)


def test_a_message_that_no_worker_came_for_is_given_up_as_well(store: Store) -> None:
    # Given a message in the queue
    before = store.handed_on()
    fence = int(store.head()["fence"])
    # When it is given up
    answer = store.give_up()
    # Then it has ended, and neither a worker nor its first runner goes on
    assert answer is not None
    assert answer.status == "failed"
    assert store.from_queue() == Replayed(answer)
    assert int(store.head()["fence"]) > fence
    with pytest.raises(LeaseLost):
        before.append(DONE)
    # And the person may have another run
    store.claim("k2", "c-2")


def test_giving_up_twice_says_the_same(store: Store) -> None:
    store.handed_on()
    assert store.give_up() == store.give_up()


def test_giving_up_leaves_alone_what_is_at_work_answered_or_gone(store: Store) -> None:
    # Given a worker at work
    store.handed_on()
    run = store.take_up()
    # When its message is given up, then that has to wait
    with pytest.raises(InProgress):
        store.give_up()
    # And an answer stays the answer
    run.finish(Ending(ANSWER))
    assert store.give_up() == ANSWER
    # And what is gone is gone
    erase(store.table, KEYS)
    assert store.give_up() is None
