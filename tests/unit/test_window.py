"""What the model is shown of a conversation (rule S6)."""

from collections.abc import Iterator

from doubles import asks
from hypothesis import given
from hypothesis import strategies as st

from rondas.history import UNAVAILABLE, Answer, Entry, Round, ToolResult, UserMessage
from rondas.window import estimated_tokens, for_model, newest_that_fit

FAILED = Answer("sorry", "failed", UNAVAILABLE)
DONE = Round(asks("look", "save"), (ToolResult("0-look", "found"), ToolResult("1-save", "saved")))


def _message(text: str, rounds: int, reply: str) -> list[Entry]:
    return [UserMessage(text), *[DONE] * rounds, Answer(reply)]


def _joined(messages: list[list[Entry]]) -> list[Entry]:
    return [entry for message in messages for entry in message]


_texts = st.text(min_size=1, max_size=200)
_messages = st.builds(_message, _texts, st.integers(0, 3), _texts)
_conversations = st.lists(_messages, min_size=1, max_size=12).map(_joined)


@given(conversation=_conversations, budget=st.integers(0, 2000))
def test_every_window_starts_at_a_persons_message_and_ends_with_the_conversation(
    conversation: list[Entry], budget: int
) -> None:
    # Given any conversation and any budget (case 10); when the window is taken
    window = newest_that_fit(reversed(conversation), budget)
    # Then it is the end of the conversation, starting at a message
    assert isinstance(window[0], UserMessage)
    assert window == conversation[-len(window) :]


@given(conversation=_conversations, budget=st.integers(0, 2000))
def test_a_window_fits_unless_the_last_message_alone_does_not(conversation: list[Entry], budget: int) -> None:
    # Given any conversation and any budget; when the window is taken
    window = newest_that_fit(reversed(conversation), budget)
    # Then it costs no more than it may, or it is as short as it can be
    messages = sum(isinstance(entry, UserMessage) for entry in window)
    assert messages == 1 or sum(map(estimated_tokens, window)) <= budget


def test_no_more_is_read_than_is_needed() -> None:
    # Given a conversation of 10 000 messages of which few fit
    read = 0

    def newest_first() -> Iterator[Entry]:
        nonlocal read
        for _ in range(10_000):
            read += 2
            yield Answer("answer")
            yield UserMessage("question")

    # When the window is taken, then reading stops early
    newest_that_fit(newest_first(), 100)
    assert read < 50


def test_a_message_that_failed_without_a_trace_is_not_shown() -> None:
    # Given a message that nobody could answer, and a later one
    history = [UserMessage("one"), FAILED, UserMessage("two")]
    # When the model is shown the conversation, then the failure is not part of it
    assert for_model(history) == [UserMessage("two")]


def test_a_failed_message_whose_tools_ran_stays_with_its_account() -> None:
    # Given a message for which something was done before it failed
    history = [UserMessage("one"), DONE, FAILED, UserMessage("two")]
    # When the model is shown the conversation, then it knows what was done
    assert for_model(history) == history


def test_the_account_of_a_failure_that_was_mended_is_not_shown() -> None:
    # Given a message that failed, was sent again, and was answered
    history = [UserMessage("one"), FAILED, DONE, Answer("here"), UserMessage("two")]
    # When the model is shown the conversation, then only the success is there
    assert for_model(history) == [UserMessage("one"), DONE, Answer("here"), UserMessage("two")]


def test_an_open_round_is_settled_as_unknown() -> None:
    # Given a turn written ahead whose results nobody stored
    history = [UserMessage("one"), Round(asks("save")), Answer("interrupted", "failed"), UserMessage("two")]
    # When the model is shown the conversation, then every call has a result
    settled = for_model(history)[1]
    assert isinstance(settled, Round)
    assert [(result.call_id, result.outcome) for result in settled.results] == [("0-save", "unknown")]


@given(conversation=_conversations)
def test_a_good_history_is_left_as_it_is(conversation: list[Entry]) -> None:
    # Given a history without any damage; when the model is shown it, then it is the same
    assert for_model(conversation) == conversation


def test_however_often_a_message_failed_its_next_attempt_is_shown_the_message() -> None:
    # Given a message that failed three times and is being tried again
    failed = FAILED
    # When the model is shown it, then the accounts of the failures are not part of it, and the rounds are
    assert for_model([UserMessage("one"), failed, failed, failed]) == [UserMessage("one")]
    assert for_model([UserMessage("one"), failed, DONE, failed]) == [UserMessage("one"), DONE]


def test_a_message_that_failed_often_and_for_good_is_not_shown() -> None:
    failed = FAILED
    assert for_model([UserMessage("one"), failed, failed, UserMessage("two")]) == [UserMessage("two")]


def test_a_message_whose_run_died_is_shown_although_nothing_was_done_for_it() -> None:
    # Given a message that was interrupted before anything happened
    history = [
        UserMessage("My knee hurts"),
        Answer("I was interrupted", "failed", "interrupted"),
        UserMessage("Hello?"),
    ]
    # When the model is shown the conversation, then it knows what the person said
    assert for_model(history) == history
