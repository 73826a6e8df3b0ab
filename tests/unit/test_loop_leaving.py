"""A run that leaves its message to another, and one whose person asks it to stop."""

from collections.abc import Sequence

import pytest
from doubles import FakeClock, MemoryJournal, RecordingTools, ScriptedModel, Step, a_budget, asks, says

from rondas.history import Entry, Round, ToolResult, Turn, UserMessage, settle
from rondas.interrupt import OutOfTime
from rondas.loop import Ending, Loop, Unfinished

DONE = Round(asks("look:{0}"), (ToolResult("0-look:{0}", "found"),))


class Bench:
    """A loop with its doubles around it, whose message another would go on with."""

    def __init__(
        self,
        *steps: Step,
        wait: float = 5,
        takes: float = 0,
        max_rounds: int = 10,
        history: Sequence[Entry] = (UserMessage("hello"),),
        hands_on: bool = True,
        stop_at: int | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.model = ScriptedModel(*steps)
        self.tools = RecordingTools(self.clock, takes, frozenset({"save"}))
        self.journal = MemoryJournal(stop_at=stop_at)
        self.loop = Loop(
            model=self.model,
            tools=self.tools,
            history=list(history),
            budget=a_budget(self.clock).only(wait) if hands_on else a_budget(self.clock),
            journal=self.journal,
            max_rounds=max_rounds,
            hands_on=hands_on,
        )

    def leave(self, resumed: Turn | None = None) -> None:
        with pytest.raises(Unfinished):
            self.loop.run(resumed)
        self.model.check_used_up()

    def run(self, resumed: Turn | None = None) -> Ending:
        ending = self.loop.run(resumed)
        self.model.check_used_up()
        return ending


def test_a_message_that_is_answered_in_time_is_not_left() -> None:
    assert Bench(asks("look"), says("Done")).run().answer.text == "Done"


def test_without_any_time_nothing_is_asked() -> None:
    # Given nobody who waits
    bench = Bench(wait=0)
    # When it runs, then it leaves the message as it found it
    bench.leave()
    assert (bench.model.asked, bench.journal.written, bench.journal.ahead) == ([], [], [])


def test_a_model_that_is_too_late_leaves_the_rounds_that_are_done() -> None:
    # Given a model that does not answer in time after a round
    bench = Bench(asks("look"), OutOfTime())
    # When it runs
    bench.leave()
    # Then the round is stored, and no closing words were asked for
    assert len(bench.journal.written) == 1
    assert [asked.closing for asked in bench.model.asked] == [None, None]


def test_a_turn_that_came_when_the_time_was_over_is_kept_with_its_calls() -> None:
    # Given a turn that comes at the very end
    turn = asks("look")
    bench = Bench()

    def late(_: object) -> Turn:
        bench.clock.advance(5)
        return turn

    bench.model = bench.loop.model = ScriptedModel(late)
    # When it runs
    bench.leave()
    # Then whoever goes on begins with its calls: it was paid for
    assert bench.journal.ahead == [turn]
    assert bench.tools.ran == []


def test_the_limit_of_steps_is_for_whoever_goes_on_to_say() -> None:
    # Given a cap of one round, and a model that wants another
    second = asks("look:{2}")
    bench = Bench(asks("look:{1}"), second, max_rounds=1)
    # When it runs
    bench.leave()
    # Then nothing was declined
    assert len(bench.journal.written) == 1
    assert bench.journal.ahead == [second]


def test_a_turn_that_was_resumed_is_not_written_ahead_again() -> None:
    # Given a turn that a crashed run had written ahead, and no time
    bench = Bench(wait=0)
    # When it is resumed
    bench.leave(asks("save"))
    # Then it lies where it lay
    assert (bench.journal.ahead, bench.journal.written, bench.tools.ran) == ([], [], [])


def test_a_turn_that_was_cut_off_is_kept_and_its_calls_are_not() -> None:
    # Given a turn that was cut off as the time was over
    bench = Bench()

    def late(_: object) -> Turn:
        bench.clock.advance(5)
        return asks("look", stop="truncated")

    bench.model = bench.loop.model = ScriptedModel(late)
    # When it runs
    bench.leave()
    # Then nobody will run them
    (done,) = bench.journal.written
    assert [result.outcome for result in done.results] == ["not_executed"]


@pytest.mark.parametrize("tool", ["look", "save"])
def test_a_tool_that_is_too_late_is_run_again_by_the_other(tool: str) -> None:
    # Given a tool that does not come back in time
    turn = asks(tool)
    bench = Bench(turn, takes=60)
    # When it runs
    bench.leave()
    # Then no result is stored for it; the turn lies there, once: it was paid for, and what may have taken effect is run
    # under the same key
    assert bench.journal.written == []
    assert bench.journal.ahead == [turn]


def test_a_call_for_which_no_time_is_left_is_left_as_well() -> None:
    # Given two calls, of which the first one takes all the time
    bench = Bench(asks("save:{1}", "save:{2}"), takes=5)
    # When it runs
    bench.leave()
    # Then nothing is said of either
    assert (len(bench.tools.ran), bench.journal.written) == (1, [])


@pytest.mark.parametrize("silence", [OutOfTime(), None])
def test_words_for_which_no_time_is_left_are_for_whoever_goes_on(silence: OutOfTime | None) -> None:
    # Given a run that goes round in circles, and no time for closing words; or a model that ended without any
    same = [settle(asks("look"), "found", "done")] * 3
    given = [UserMessage("hello"), *(same if silence is None else [])]
    bench = Bench(*([says(""), silence] if silence else []), wait=5 if silence else 0, history=given)
    # When it runs, then it ends in no fixed sentence
    bench.leave()
    assert bench.journal.written == []


# A person who asks to stop


def test_l11_no_round_begins_after_the_person_has_asked_to_stop() -> None:
    # Given a person who asks while the first round is at work
    bench = Bench(asks("look"), hands_on=False, stop_at=1)
    # When it runs
    ending = bench.run()
    # Then that round is stored, and no model is asked again, not even for closing words
    assert len(bench.journal.written) == 1
    assert len(bench.model.asked) == 1
    assert (ending.answer.status, ending.answer.rounds, ending.answer.model) == ("stopped", 1, "")
    assert ending.answer.text == "I have stopped, as you asked. What was done before stays done. Shall I go on?"


def test_l11_what_was_written_ahead_when_the_person_asked_takes_no_effect() -> None:
    # Given a person who asks before an effect
    bench = Bench(asks("save"), hands_on=False, stop_at=1)
    # When it runs
    ending = bench.run()
    # Then the call is answered with a fact
    assert bench.tools.ran == []
    (done,) = bench.journal.written
    assert [(result.text, result.outcome) for result in done.results] == [
        ("Not executed: the person asked to stop.", "not_executed")
    ]
    assert (ending.answer.status, ending.answer.rounds) == ("stopped", 0)


def test_l11_a_message_that_is_taken_up_after_the_person_asked_is_closed_at_once() -> None:
    # Given a message with a round done, and a turn written ahead by a runner that died
    bench = Bench(hands_on=False, stop_at=0, history=[UserMessage("hello"), DONE])
    # When it is resumed
    ending = bench.run(asks("save"))
    # Then nothing runs, and what may have happened is not denied
    assert (ending.answer.status, bench.tools.ran, bench.model.asked) == ("stopped", [], [])
    assert ending.declined is not None
    assert [result.outcome for result in ending.declined.results] == ["unknown"]


def test_l11_an_answer_that_is_there_already_is_given() -> None:
    # Given a person who asks too late
    bench = Bench(says("Done"), hands_on=False, stop_at=1)
    # When it runs, then the answer is the answer
    assert bench.run().answer.status == "answered"


def test_a_run_that_goes_round_in_circles_ends_wherever_it_is() -> None:
    # Given three rounds that were the same, the last of them another runner's
    same = [settle(asks("look"), "found", "done")] * 3
    bench = Bench(says("I am stuck."), history=[UserMessage("hello"), *same])
    # When it is taken up
    ending = bench.run()
    # Then it closes
    assert (ending.answer.status, ending.answer.reason) == ("step_limit", "repeating")
