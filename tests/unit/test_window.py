"""What the model is shown of a conversation (rule S6)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import pytest
from doubles import asks
from hypothesis import given
from hypothesis import strategies as st

from rondas.history import UNAVAILABLE, Answer, Entry, Round, ToolResult, UserMessage, settle
from rondas.repair import EARLIER
from rondas.tokens import estimated_tokens
from rondas.window import SHORT_CHARS, SHORT_PART, View, Window, for_model, shortened, view

FAILED = Answer("sorry", "failed", UNAVAILABLE)
DONE = Round(asks("look", "save"), (ToolResult("0-look", "found"), ToolResult("1-save", "saved")))
ENDLESS = 10**9
NOTE = f"{EARLIER}\n\n"


@dataclass
class Conversation:
    """A conversation as the store keeps it: its entries, and the window that the last finished message left.

    `views` are what the model was shown for each message, `read` is how many entries the last one took to read.
    """

    entries: list[Entry] = field(default_factory=list[Entry])
    window: Window = field(default_factory=Window)
    views: list[View] = field(default_factory=list[View])
    read: int = 0

    def ask(self, text: str, budget: int) -> View:
        """A message comes in."""
        self.entries.append(UserMessage(text))
        return self.resume(budget)

    def resume(self, budget: int) -> View:
        self.views.append(view(self.newest_first(), self.window, budget))
        return self.views[-1]

    def end(self, *entries: Entry) -> None:
        """The message is done: its rounds and its answer are there, and so is where the window stood."""
        self.entries += entries
        self.window = self.views[-1].window

    def newest_first(self) -> Iterator[tuple[int, Entry]]:
        self.read = 0
        for seq in range(len(self.entries) - 1, self.window.start - 1, -1):
            self.read += 1
            yield seq, self.entries[seq]

    def unmoved(self) -> list[Entry]:
        """What the model would be shown if the window had stayed where it was."""
        return view(self.newest_first(), self.window, ENDLESS).history


def tokens(history: Sequence[Entry]) -> int:
    return sum(map(estimated_tokens, history))


def is_alone(shown: View) -> bool:
    """Whether only the message being answered is left in the window."""
    return sum(isinstance(entry, UserMessage) for entry in shown.history) == 1


def a_round(*chars: int) -> Round:
    """A round with results of so many characters, all different."""
    turn = asks(*(f"look:{{{number}}}" for number in chars))
    return Round(turn, tuple(ToolResult(call.id, words(size)) for call, size in zip(turn.calls, chars)))  # noqa: B905


def letter(number: int) -> str:
    return "abcdefghij ñ漢"[number % 13]


def words(size: int) -> str:
    return letter(size) * size


_texts = st.integers(1, 900).map(words)
_rounds = st.lists(st.integers(0, 6_000), min_size=0, max_size=3).map(lambda sizes: a_round(*sizes))
_messages = st.tuples(_texts, st.lists(_rounds, max_size=3), _texts)
_talks = st.lists(_messages, min_size=1, max_size=14)
_budgets = st.integers(0, 6_000)
type Talk = list[tuple[str, list[Round], str]]


def told(talk: Talk, budgets: Sequence[int]) -> Iterator[tuple[Conversation, View, int]]:
    """Goes through a talk: the conversation at each message, what the model is shown, and what it may cost."""
    conversation = Conversation()
    for number, (text, rounds, reply) in enumerate(talk):
        budget = budgets[number % len(budgets)]
        yield conversation, conversation.ask(text, budget), budget
        conversation.end(*rounds, Answer(reply))


def after(talk: Talk, budget: int) -> Conversation:
    """The conversation when all of a talk has been answered."""
    return [conversation for conversation, _, _ in told(talk, [budget])][-1]


@given(talk=_talks, budgets=st.lists(_budgets, min_size=1, max_size=3))
def test_s6_every_window_starts_at_a_persons_message_and_ends_with_the_conversation(
    talk: Talk, budgets: list[int]
) -> None:
    # Given any conversation and any budgets, changed between messages or not (case 10); when each message is answered
    for conversation, shown, _ in told(talk, budgets):
        # Then the model sees the end of the conversation from a person's message on, in order, nothing twice
        stored = conversation.entries[-len(shown.history) :]
        assert isinstance(stored[0], UserMessage)
        start = len(conversation.entries) - len(stored)
        assert start == shown.window.start
        # And says in one line that something is left out, where something is
        assert shown.history[0] == (UserMessage(NOTE + stored[0].text) if start else stored[0])
        # And every entry is there, whole or with its long results shortened
        for seq, (seen, entry) in enumerate(zip(shown.history, stored, strict=True), start):
            assert seq == start or seen == (entry if seq >= shown.window.whole_from else shortened(entry))


@given(talk=_talks, budget=_budgets)
def test_s6_a_window_fits_unless_the_message_alone_does_not(talk: Talk, budget: int) -> None:
    # Given any conversation and any budget; when each message is answered, then what is shown fits
    for _, shown, _ in told(talk, [budget]):
        assert tokens(shown.history) <= budget or is_alone(shown)


@given(talk=_talks, budgets=st.lists(_budgets, min_size=1, max_size=3))
def test_s6_a_window_never_goes_back(talk: Talk, budgets: list[int]) -> None:
    # Given any conversation and any budgets; when each message is answered
    for conversation, shown, _ in told(talk, budgets):
        # Then what was left out stays out, and what was shortened stays short
        assert shown.window.start >= conversation.window.start
        assert shown.window.whole_from >= conversation.window.whole_from


@given(talk=_talks, budget=_budgets)
def test_s6_what_is_shown_begins_as_it_began_before_unless_the_window_moved(talk: Talk, budget: int) -> None:
    # Given any conversation and any budget; when each message is answered
    for conversation, shown, _ in told(talk, [budget]):
        if shown.window == conversation.window and len(conversation.views) > 1:
            # Then the model sees what it saw the last time, word for word, and what came after
            before = conversation.views[-2].history
            assert shown.history[: len(before)] == before


@given(talk=_talks, budget=_budgets)
def test_s6_a_window_moves_only_when_it_must_and_then_far(talk: Talk, budget: int) -> None:
    # Given any conversation and any budget; when each message is answered
    for conversation, shown, _ in told(talk, [budget]):
        room = budget - estimated_tokens(UserMessage(NOTE))
        if shown.window != conversation.window:
            # Then the window moves only where its content is more than may be shown
            assert tokens(conversation.unmoved()) > room
            # And so far that half of the budget is free, or nothing is left but the message itself
            assert tokens(shown.history) <= budget // 2 + estimated_tokens(UserMessage(NOTE)) or is_alone(shown)


@given(talk=_talks, budget=_budgets)
def test_s6_results_are_shortened_before_messages_are_left_out(talk: Talk, budget: int) -> None:
    # Given any conversation and any budget; when a message makes the window leave something out
    for conversation, shown, _ in told(talk, [budget]):
        if shown.window.start > conversation.window.start:
            # Then the results of all that is still shown before it are short
            newest = len(conversation.entries) - 1
            assert newest in (shown.window.start, shown.window.whole_from)


@given(talk=_talks, budget=_budgets, crash=st.integers(0, 13))
def test_s6_a_run_that_died_before_it_said_where_the_window_stands_changes_nothing(
    talk: Talk, budget: int, crash: int
) -> None:
    # Given a message whose run dies before its end is stored
    for number, (conversation, shown, _) in enumerate(told(talk, [budget])):
        if number == crash:
            # When it is taken up again, then the same is shown
            assert conversation.resume(budget) == shown


@given(talk=_talks, rounds=st.lists(_rounds, min_size=1, max_size=10), budget=_budgets)
def test_s6_a_run_taken_up_again_fits_as_far_as_its_own_rounds_can_be_shortened(
    talk: Talk, rounds: list[Round], budget: int
) -> None:
    # Given a conversation, and a message whose run died after some rounds
    conversation = after(talk, budget)
    conversation.ask("and now?", budget)
    conversation.entries += rounds
    # When it is taken up again
    shown = conversation.resume(budget)
    # Then the message and all its rounds are there, the last one whole
    current = shown.history[-len(rounds) - 1 :]
    assert current[0] in (UserMessage("and now?"), UserMessage(f"{NOTE}and now?"))
    assert current[-1] == rounds[-1]
    assert [replace(seen, results=()) for seen in current[1:] if isinstance(seen, Round)] == [
        replace(each, results=()) for each in rounds
    ]
    # And it fits, or all of it that may be short is
    assert tokens(shown.history) <= budget or current[1:-1] == [shortened(each) for each in rounds[:-1]]


def test_the_oldest_results_of_a_run_are_shortened_first() -> None:
    # Given a run of eight large rounds that was over the budget when it died
    conversation = Conversation([UserMessage("one"), *[a_round(6_000)] * 8])
    # When it is taken up again
    history = conversation.resume(16_000).history
    # Then its oldest results are short, so many that half of the budget is free, and the last ones whole
    assert history == [UserMessage("one"), *[shortened(a_round(6_000))] * 6, *[a_round(6_000)] * 2]


def test_the_round_that_a_run_which_failed_has_to_answer_stays_whole() -> None:
    # Given a run that failed twice after a round that is larger than the budget
    conversation = Conversation([UserMessage("one"), a_round(6_000), FAILED, FAILED])
    # When it is taken up again, then the round is whole
    assert conversation.resume(300).history == [UserMessage("one"), a_round(6_000)]


@pytest.mark.parametrize("stored", [Window(), Window(9_990, 9_992)])
def test_s6_no_more_is_read_than_is_needed(stored: Window) -> None:
    # Given a conversation of 10 000 entries, whose head says where its window stands, or comes from before it did
    conversation = Conversation([UserMessage("question"), Answer("answer")] * 5_000, stored)
    # When the next message is answered, then reading stops early
    conversation.ask("next", 200)
    assert conversation.read < 30


@given(talk=_talks, budget=st.integers(200, 6_000))
def test_s6_what_is_read_is_no_more_than_a_few_times_what_may_be_shown(talk: Talk, budget: int) -> None:
    # Given any conversation before which there are thousands of entries
    conversation = Conversation([UserMessage("question"), a_round(900), Answer("answer")] * 2_000)
    for text, rounds, reply in talk:
        conversation.ask(text, budget)
        # When its messages are read, then it takes so much of the conversation, beside the two newest entries
        read = conversation.entries[-conversation.read : -1]
        assert tokens(read[1:]) <= SHORT_PART * budget
        conversation.end(*rounds, Answer(reply))


def test_s6_a_long_talk_moves_its_window_seldom() -> None:
    # Given two hundred messages with a round each, of about 300 tokens, in a window of 6 000
    conversation = Conversation()
    windows: list[Window] = []
    for number in range(200):
        windows.append(conversation.ask(f"question {number}", 6_000).window)
        conversation.end(a_round(550 + number % 7), Answer("So much."))
    # When they are all answered, then the window stood still nine times of ten
    moves = sum(before != after for before, after in pairwise(windows))
    assert 10 <= moves <= 20


def test_a_short_conversation_is_shown_as_it_is() -> None:
    conversation = Conversation([UserMessage("one"), a_round(6_000), Answer("two")])
    assert conversation.ask("three", 10_000) == View(Window(), conversation.entries)


def test_a_budget_that_grows_brings_nothing_back() -> None:
    # Given a window that has left something out
    conversation = Conversation([UserMessage("one " * 300), Answer("two")])
    first = conversation.ask("three", 300)
    conversation.end(Answer("four"))
    assert first.history == [UserMessage(f"{NOTE}three")]
    # When the budget is raised, then it stays where it is, for so does what the provider has cached
    assert conversation.ask("five", 10_000).window == first.window


@given(
    entries=st.lists(st.sampled_from([DONE, Answer("two"), UserMessage("one"), Round(asks("look"))]), max_size=8),
    budget=_budgets,
)
def test_no_damage_empties_a_window(entries: list[Entry], budget: int) -> None:
    # Given any entries, even without a person's message, of which the last is no answer
    conversation = Conversation([*entries, DONE])
    # When they are shown, then something is
    assert conversation.resume(budget).history[-1] == DONE


def test_a_long_result_keeps_its_beginning_and_says_how_much_is_missing() -> None:
    short = shortened(a_round(6_000))
    assert isinstance(short, Round)
    letters, _, mark = short.results[0].text.partition("...")
    assert letters == letter(6_000) * 1_500
    assert "4500 characters" in mark


@given(chars=st.integers(0, 5_000))
def test_a_shortened_result_is_never_longer(chars: int) -> None:
    # Given a result of any length; when it is shortened, then it is not longer, and short ones are whole
    whole = a_round(chars)
    short = shortened(whole)
    assert estimated_tokens(short) <= estimated_tokens(whole)
    assert chars > SHORT_CHARS or short == whole
    # And what is left of it is never less than a part of it
    assert tokens([short]) * SHORT_PART >= tokens([whole])


def test_what_nobody_said_to_the_person_in_a_call_is_left_as_it_is() -> None:
    # Given a round whose words and arguments are long
    said = settle(asks(f"save:{'x' * 5_000}", text="y" * 5_000), "saved", "done")
    # When it is shortened, then they stay: only results can be looked up again
    assert shortened(said) == said


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


@given(talk=_talks)
def test_a_good_history_is_left_as_it_is(talk: Talk) -> None:
    # Given a history without any damage; when the model is shown it, then it is the same
    entries = after(talk, ENDLESS).entries
    assert for_model(entries) == entries


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
