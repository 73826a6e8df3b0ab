"""What may happen to a message that comes in (rule S1)."""

import pytest

from rondas.store.claim import (
    ConversationBusy,
    Fresh,
    Head,
    InProgress,
    KeyReused,
    KnownKey,
    Message,
    Replay,
    Resume,
    decide,
)

MESSAGE = Message("ana", "c-1", "key-1", "hello")
HASH = MESSAGE.body_hash()
NOW = 1000.0


def test_the_first_message_of_a_conversation_is_fresh() -> None:
    assert decide(Head(), None, MESSAGE, NOW) == Fresh(crashed=False)


def test_a_new_message_in_an_idle_conversation_is_fresh() -> None:
    assert decide(Head(next_seq=4, fence=1), None, MESSAGE, NOW) == Fresh(crashed=False)


def test_a_finished_message_is_replayed_whoever_holds_the_conversation() -> None:
    # Given a finished message, and another one being answered
    head = Head(next_seq=5, fence=2, lease_until=NOW + 10, open_key="other", open_seq=4)
    # When the finished one comes again, then its answer is
    assert decide(head, KnownKey("done", HASH, 0, 3), MESSAGE, NOW) == Replay(3)


def test_a_message_being_answered_is_in_progress() -> None:
    head = Head(next_seq=1, fence=1, lease_until=NOW + 10, open_key="key-1")
    with pytest.raises(InProgress) as refused:
        decide(head, KnownKey("open", HASH, 0), MESSAGE, NOW)
    assert refused.value.retry_after == 10


def test_a_crashed_message_is_resumed() -> None:
    head = Head(next_seq=1, fence=1, lease_until=NOW - 1, open_key="key-1")
    assert decide(head, KnownKey("open", HASH, 0), MESSAGE, NOW) == Resume(0)


def test_a_key_that_is_newer_than_the_head_beside_it_leads_to_another_look() -> None:
    # Given a head that was read before a claim, and a key that was read after it
    head, known = Head(next_seq=1, fence=1), KnownKey("open", HASH, 1)
    # When the message comes again in between, then taking the head is tried, which its condition refuses
    assert decide(head, known, MESSAGE, NOW) == Resume(1)


def test_another_message_while_one_runs_is_refused() -> None:
    head = Head(next_seq=1, fence=1, lease_until=NOW + 10, open_key="other")
    with pytest.raises(ConversationBusy):
        decide(head, None, MESSAGE, NOW)


def test_another_message_after_a_crash_closes_it_first() -> None:
    head = Head(next_seq=1, fence=1, lease_until=NOW - 1, open_key="other")
    assert decide(head, None, MESSAGE, NOW) == Fresh(crashed=True)


@pytest.mark.parametrize("state", ["open", "done", "failed"])
def test_the_same_key_with_another_text_is_refused_in_every_state(state: str) -> None:
    known = KnownKey(state, "another hash", 0, 1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(KeyReused):
        decide(Head(next_seq=2, fence=1), known, MESSAGE, NOW)


def test_a_message_nobody_could_answer_may_try_again_while_it_is_the_last() -> None:
    assert decide(Head(next_seq=2, fence=1), KnownKey("failed", HASH, 0, 1), MESSAGE, NOW) == Resume(0)


def test_a_message_nobody_could_answer_stays_so_once_the_conversation_went_on() -> None:
    assert decide(Head(next_seq=4, fence=2), KnownKey("failed", HASH, 0, 1), MESSAGE, NOW) == Replay(1)
