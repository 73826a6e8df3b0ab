"""The rules of the loop, one by one."""

from collections.abc import Sequence

import pytest
from doubles import FakeClock, MemoryJournal, RecordingTools, ScriptedModel, Step, a_budget, asks, says
from hypothesis import given
from hypothesis import strategies as st

from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, Turn, Usage, UserMessage
from rondas.interrupt import OutOfTime
from rondas.loop import Ending, Loop
from rondas.model import ModelUnavailable


class Bench:
    """A loop with its doubles around it."""

    def __init__(
        self,
        *steps: Step,
        seconds: float = 25,
        reserve: float = 7,
        max_rounds: int = 10,
        history: Sequence[Entry] = (UserMessage("hello"),),
        language: str = "en",
    ) -> None:
        self.clock = FakeClock()
        self.model = ScriptedModel(*steps)
        self.tools = RecordingTools(self.clock)
        self.journal = MemoryJournal()
        self.loop = Loop(
            model=self.model,
            tools=self.tools,
            history=list(history),
            budget=a_budget(self.clock, seconds, reserve),
            journal=self.journal,
            max_rounds=max_rounds,
            language=language,  # pyright: ignore[reportArgumentType]
        )

    def run(self, resumed: Turn | None = None) -> Ending:
        ending = self.loop.run(resumed)
        self.model.check_used_up()
        assert_valid(self.loop.history, ending)
        return ending

    def stored(self, ending: Ending) -> list[Entry]:
        declined = [ending.declined] if ending.declined else []
        return [*self.journal.written, *declined, ending.answer]


def assert_valid(history: Sequence[Entry], ending: Ending) -> None:
    """L3 and L7: every call answered once, in order; the answer is never empty and has a status."""
    for entry in history:
        if isinstance(entry, Round):
            assert [result.call_id for result in entry.results] == [call.id for call in entry.turn.calls]
    assert ending.answer.text.strip()
    assert ending.answer.status in ("answered", "step_limit", "time_limit", "refused", "truncated", "failed")


def test_a_turn_without_tools_is_the_answer() -> None:
    # Given a model that answers at once
    bench = Bench(says("Hi there"))
    # When it is asked
    ending = bench.run()
    # Then its words are the reply, and nothing else was stored
    assert ending.answer == Answer("Hi there", "answered", "", 0, "fake:model", Usage(10, 0, 5))
    assert bench.journal.written == []


def test_l1_a_cap_of_n_runs_exactly_n_rounds_then_closes() -> None:
    # Given a model that asks for ever
    bench = Bench(*[asks(f"look:{{{n}}}") for n in range(11)], says("Here is what I know"))
    # When the cap is 10
    ending = bench.run()
    # Then ten rounds ran, the eleventh turn was declined, and the twelfth call closed
    assert len(bench.tools.ran) == 10
    assert len(bench.model.asked) == 12
    assert ending.declined is not None
    assert [result.text for result in ending.declined.results] == [
        "Not executed: the step limit for this answer was reached."
    ]
    assert (ending.answer.status, ending.answer.text, ending.answer.rounds) == ("step_limit", "Here is what I know", 10)


def test_l1_a_cap_of_zero_lets_the_model_only_write() -> None:
    # Given no rounds at all, and a model that asks
    bench = Bench(asks("look"), says("I cannot look"), max_rounds=0)
    # When it is asked
    ending = bench.run()
    # Then nothing ran
    assert bench.tools.ran == []
    assert ending.answer.status == "step_limit"


def test_l1_a_model_that_finishes_on_the_last_round_is_not_limited() -> None:
    # Given a model that needs exactly as many rounds as it may have
    bench = Bench(asks("look:{1}"), asks("look:{2}"), says("Done"), max_rounds=2)
    # When it is asked, then it answers normally
    assert bench.run().answer.status == "answered"


def test_l1_a_resumed_run_has_only_the_rounds_that_remain() -> None:
    # Given a message for which one of two rounds was done before the crash
    done = Round(asks("look:{1}"), (ToolResult("0-look:{1}", "found"),))
    bench = Bench(asks("look:{2}"), asks("look:{3}"), says("Closed"), max_rounds=2, history=[UserMessage("hi"), done])
    # When it is resumed
    ending = bench.run()
    # Then one more round runs, and both count
    assert len(bench.tools.ran) == 1
    assert (ending.answer.status, ending.answer.rounds) == ("step_limit", 2)
    assert ending.answer.usage == Usage(40, 0, 20)


def test_l2_tools_run_one_at_a_time_in_the_order_asked() -> None:
    # Given a turn with three calls
    bench = Bench(asks("c", "a", "b"), says("Done"))
    # When it runs
    bench.run()
    # Then they ran in that order
    assert [call_id for call_id, _, _ in bench.tools.ran] == ["0-c", "1-a", "2-b"]


def test_l3_the_model_sees_its_turn_then_one_result_per_call() -> None:
    # Given a turn with two calls
    bench = Bench(asks("a", "b"), says("Done"))
    # When it runs
    bench.run()
    # Then the next request ends with that round, whole
    last = bench.model.asked[1].history[-1]
    assert isinstance(last, Round)
    assert [result.call_id for result in last.results] == ["0-a", "1-b"]


def test_l4_the_instruction_is_in_the_closing_call_alone_and_is_not_stored() -> None:
    # Given a run that reaches the step limit
    bench = Bench(asks("look"), says("Closed"), max_rounds=0)
    # When it closes
    ending = bench.run()
    # Then only the closing call was instructed, and no stored text holds the instruction
    assert [bool(asked.closing) for asked in bench.model.asked] == [False, True]
    instruction = bench.model.asked[1].closing or ""
    assert "step limit" in instruction
    assert all(instruction not in str(entry) for entry in bench.stored(ending))


def test_l4_the_declined_results_hold_a_fact_and_no_instruction() -> None:
    # Given a step limit with two calls pending
    bench = Bench(asks("a", "b"), says("Closed"), max_rounds=0)
    # When it closes
    ending = bench.run()
    # Then each call has its own plain fact
    assert ending.declined is not None
    texts = {result.text for result in ending.declined.results}
    assert texts == {"Not executed: the step limit for this answer was reached."}
    assert {result.outcome for result in ending.declined.results} == {"not_executed"}


@pytest.mark.parametrize(
    "closing",
    [
        pytest.param(asks("look", text="let me look"), id="a tool call"),
        pytest.param(says(""), id="nothing"),
        pytest.param(says("   "), id="blank"),
        pytest.param(says("half a", stop="unknown"), id="an unknown stop"),
        pytest.param(ModelUnavailable("503"), id="an error"),
        pytest.param(OutOfTime(), id="too late"),
    ],
)
@pytest.mark.parametrize(("language", "word"), [("en", "continue"), ("es", "continúe")])
def test_l5_a_closing_call_that_fails_gives_the_fixed_reply(closing: Step, language: str, word: str) -> None:
    # Given a step limit, and a closing call that brings no words
    bench = Bench(asks("look"), closing, max_rounds=0, language=language)
    # When the run ends
    ending = bench.run()
    # Then the person gets the fixed sentence, in their language, and the closing call is not tried again
    assert word in ending.answer.text
    assert (ending.answer.status, ending.answer.model) == ("step_limit", "")
    assert bench.tools.ran == []


def test_l6_text_written_between_rounds_is_never_the_answer() -> None:
    # Given a model that talks while it works
    bench = Bench(asks("look", text="Let me look up your history…"), says("You gained 5 kg"))
    # When it answers
    ending = bench.run()
    # Then the reply is the final text alone, and the other text is kept in the history
    assert ending.answer.text == "You gained 5 kg"
    assert bench.journal.written[0].turn.text == "Let me look up your history…"


def test_l6_text_of_a_declined_turn_is_not_the_answer_either() -> None:
    # Given a step limit while the model announces its next step, and a closing call that fails
    bench = Bench(asks("look", text="Let me look"), says(""), max_rounds=0)
    # When the run ends, then that announcement is not shown
    assert "Let me look" not in bench.run().answer.text


@pytest.mark.parametrize(
    ("turn", "status"),
    [
        (says("Cut o", stop="truncated"), "truncated"),
        (says("", stop="truncated"), "truncated"),
        (says("", stop="refused"), "refused"),
        (says("I will not", stop="refused"), "refused"),
        (says("?", stop="unknown"), "failed"),
    ],
)
def test_l7_every_stop_has_a_status_and_words(turn: Turn, status: str) -> None:
    # Given a final turn that did not end normally; when the run ends, then it has a status and words
    assert Bench(turn).run().answer.status == status


def test_l7_nobody_can_answer() -> None:
    # Given a model that cannot be reached
    ending = Bench(ModelUnavailable("anthropic: 401")).run()
    # Then the run has failed in a way that may be tried again, and says nothing of the provider
    assert ending.answer.status == "failed"
    assert ending.answer.is_retryable
    assert "anthropic" not in ending.answer.text


@pytest.mark.parametrize("stop", ["refused", "unknown"])
def test_l8_a_turn_that_did_not_finish_runs_none_of_its_calls(stop: str) -> None:
    # Given a turn with a call that was refused, or stopped for an unknown reason
    bench = Bench(asks("save", stop=stop))
    # When the run ends
    ending = bench.run()
    # Then the call did not run, and no open call was stored
    assert bench.tools.ran == []
    assert bench.stored(ending) == [ending.answer]


def test_l8_a_truncated_turn_runs_none_of_its_calls_and_two_in_a_row_close_the_run() -> None:
    # Given a model whose turns are cut off while it asks for a tool
    bench = Bench(asks("save", stop="truncated"), asks("save", stop="truncated"), says("It got too long"))
    # When it is asked
    ending = bench.run()
    # Then nothing ran, each call was told so, and the run was closed
    assert bench.tools.ran == []
    assert [done.results[0].text for done in bench.journal.written] == [
        "Not executed: the turn that asked for this was cut off."
    ] * 2
    assert (ending.answer.status, ending.answer.rounds) == ("truncated", 0)


def test_l8_one_truncated_turn_is_forgiven() -> None:
    # Given one cut turn, then a normal one
    bench = Bench(asks("save", stop="truncated"), asks("save"), says("Saved"))
    # When it is asked, then the run goes on
    ending = bench.run()
    assert (ending.answer.status, ending.answer.rounds) == ("answered", 1)


def test_l9_the_same_call_with_the_same_result_three_times_closes_early() -> None:
    # Given a model that is stuck
    bench = Bench(asks("look:{1}"), asks("look:{1}"), asks("look:{1}"), says("I am stuck"))
    # When it is asked
    ending = bench.run()
    # Then three rounds are enough
    assert len(bench.tools.ran) == 3
    assert (ending.answer.status, ending.answer.reason) == ("step_limit", "repeating")


def test_l9_the_same_call_with_other_results_is_no_repetition() -> None:
    # Given a model that polls something that changes
    bench = Bench(*[asks("look:{1}")] * 4, says("Ready"))
    results = iter("abcd")
    bench.tools.answers = {"look": ""}
    run = bench.tools.run

    def changing(call: ToolCall, *, key: str, seconds: float) -> ToolResult:
        bench.tools.answers["look"] = next(results)
        return run(call, key=key, seconds=seconds)

    bench.tools.run = changing
    # When it is asked, then it may go on
    assert bench.run().answer.status == "answered"


def test_l9_a_blank_final_turn_gets_one_nudge_that_is_not_stored() -> None:
    # Given a model that ends without words, and finds some when asked again
    bench = Bench(asks("look"), says(""), says("You gained 5 kg"))
    # When it is asked
    ending = bench.run()
    # Then the words of the nudge are the answer, and neither nudge nor blank turn is stored
    assert (ending.answer.status, ending.answer.text) == ("answered", "You gained 5 kg")
    assert len(bench.stored(ending)) == 2
    assert bench.model.asked[2].closing


def test_l9_a_model_that_stays_blank_gets_the_fixed_reply() -> None:
    # Given a model that ends without words twice; when it is asked
    ending = Bench(says(""), says(" ")).run()
    # Then there is no third time
    assert (ending.answer.status, ending.answer.reason) == ("failed", "blank")


def test_a_paused_turn_is_continued_and_its_text_joined() -> None:
    # Given a provider that pauses twice (case 22)
    bench = Bench(says("One, ", stop="paused"), says("two, ", stop="paused"), says("three."))
    # When it is asked, then the answer is whole
    assert bench.run().answer.text == "One, two, three."


def test_a_provider_that_pauses_for_ever_is_bounded_like_any_other() -> None:
    # Given a provider that never stops pausing
    bench = Bench(*[says("…", stop="paused")] * 4, says("Enough"), max_rounds=3)
    # When the cap is reached, then the run is closed
    assert bench.run().answer.status == "step_limit"


def test_s4_a_turn_with_an_effect_is_stored_before_it_runs() -> None:
    # Given a turn with an effect and one without
    bench = Bench(asks("read"), asks("save"), says("Saved"))
    bench.tools.effects = frozenset({"save"})
    # When they run
    bench.run()
    # Then only the turn with the effect was written ahead
    assert bench.journal.ahead == [asks("save")]


def test_s4_a_resumed_turn_runs_under_the_same_keys_and_is_not_written_twice() -> None:
    # Given a turn that the crashed runner had written ahead
    bench = Bench(says("Saved"))
    bench.tools.effects = frozenset({"save"})
    # When the run is resumed
    bench.run(resumed=asks("save"))
    # Then its call ran under the key of that round, and the model was not asked for the turn again
    assert [(call_id, key) for call_id, key, _ in bench.tools.ran] == [("0-save", "conversation/0/0-save")]
    assert bench.journal.ahead == []
    assert len(bench.journal.written) == 1


def test_b1_no_tool_starts_in_the_closing_reserve() -> None:
    # Given tools of 8 s, a budget of 25 s and a reserve of 6 s (case 5)
    bench = Bench(*[asks(f"look:{{{n}}}") for n in range(3)], says("Time is up"), seconds=25, reserve=6)
    bench.tools.takes = 8
    start = bench.clock.now
    # When the run ends
    ending = bench.run()
    # Then the third tool, which could not end in time, was stopped at the reserve, and the closing call came in it
    assert [seconds for _, _, seconds in bench.tools.ran] == [19, 11, 3]
    assert ending.answer.status == "time_limit"
    assert bench.clock.now - start <= 25
    assert bench.model.asked[-1].seconds == pytest.approx(6)


def test_b1_a_model_call_is_bounded_by_the_working_time_that_is_left() -> None:
    # Given a tool that takes 10 s of a budget of 25 s with a reserve of 7 s
    bench = Bench(asks("look"), says("Done"))
    bench.tools.takes = 10
    # When the model is asked again, then it has 8 s
    bench.run()
    assert [asked.seconds for asked in bench.model.asked] == [18, 8]


def test_b3_a_tool_that_does_not_come_back_is_answered_and_the_others_are_declined() -> None:
    # Given a round of three calls of which the second does not come back
    bench = Bench(asks("a", "b", "c"), says("Time is up"), seconds=25, reserve=7)
    bench.tools.takes = 10
    # When the run ends
    ending = bench.run()
    # Then each call has its honest result, stored in one round
    assert [result.text for result in bench.journal.written[0].results] == [
        "result of {}",
        "stopped: out of time, effect unknown",
        "Not executed: the time limit for this answer was reached.",
    ]
    assert [result.outcome for result in bench.journal.written[0].results] == ["done", "unknown", "not_executed"]
    assert ending.answer.status == "time_limit"


def test_b4_too_little_time_goes_straight_to_closing() -> None:
    # Given three seconds in all, and a reserve of seven
    bench = Bench(says("Little time"), seconds=3)
    # When the run starts
    ending = bench.run()
    # Then the only call is the closing one, with the three seconds
    assert [(bool(asked.closing), asked.seconds) for asked in bench.model.asked] == [(True, 3)]
    assert ending.answer.status == "time_limit"


def test_b4_no_time_at_all_gives_the_fixed_reply() -> None:
    # Given no time; when the run starts, then no model is asked
    bench = Bench(seconds=0)
    assert bench.run().answer.status == "time_limit"
    assert bench.model.asked == []


def test_a_model_that_runs_out_of_time_is_closed_with_what_is_known() -> None:
    # Given a model that gives no second turn in time
    bench = Bench(asks("look"), OutOfTime(), says("What I know"))
    # When the run ends, then it was closed
    ending = bench.run()
    assert (ending.answer.status, ending.answer.text) == ("time_limit", "What I know")
    assert ending.declined is None


def test_l1_the_rounds_of_earlier_messages_do_not_count() -> None:
    # Given a conversation with three rounds before, and a cap of two
    before = [UserMessage("one"), *[Round(asks("look"), (ToolResult("0-look", "found"),))] * 3, Answer("done")]
    bench = Bench(asks("look:{1}"), asks("look:{2}"), says("Done"), max_rounds=2, history=[*before, UserMessage("two")])
    # When the next message comes, then it has two rounds of its own, and pays for its own tokens only
    ending = bench.run()
    assert (ending.answer.status, ending.answer.rounds) == ("answered", 2)
    assert ending.answer.usage == Usage(30, 0, 15)


def test_l5_closing_words_that_were_cut_off_are_better_than_none() -> None:
    # Given a closing call that runs into the token limit; when the run ends, then what there is is shown
    bench = Bench(asks("look"), says("I found your", stop="truncated"), max_rounds=0)
    assert bench.run().answer.text == "I found your"


def test_l8_a_paused_turn_runs_none_of_its_calls() -> None:
    # Given a turn that the provider paused while it asked for a tool
    bench = Bench(asks("save", stop="paused"), says("Done"))
    # When it goes on, then the call did not run, and was answered
    bench.run()
    assert bench.tools.ran == []
    assert bench.journal.written[0].results[0].outcome == "not_executed"


def test_a_refusal_shows_nothing_of_what_came_before_it() -> None:
    # Given a model that begins, pauses, and then refuses
    bench = Bench(says("The secret is: ", stop="paused"), says("", stop="refused"))
    # When the run ends, then the beginning is not shown
    assert "secret" not in bench.run().answer.text


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param(["look:{1}", "look:{2}", "look:{3}"], id="other arguments"),
        pytest.param(["look:{1}", "seek:{1}", "look:{1}"], id="another tool"),
    ],
)
def test_l9_other_calls_with_the_same_result_are_no_repetition(turns: list[str]) -> None:
    # Given tools that always find the same
    bench = Bench(*[asks(turn) for turn in turns], says("Done"))
    bench.tools.answers = {"look": "nothing", "seek": "nothing"}
    # When the model tries other things, then it may
    assert bench.run().answer.status == "answered"


def test_l9_a_nudge_speaks_of_no_limit_and_its_cut_words_are_marked() -> None:
    # Given a blank end, and a nudge that is cut off
    bench = Bench(says(""), says("You gained", stop="truncated"))
    # When the run ends
    ending = bench.run()
    # Then the nudge was no closing call of a limit, and the status says that the words were cut
    assert "limit" not in (bench.model.asked[1].closing or "")
    assert ending.answer.status == "truncated"


def test_b1_a_turn_that_comes_when_the_working_time_is_over_is_declined() -> None:
    # Given a model that takes all the working time to ask for a tool
    def slow(_: object) -> Turn:
        bench.clock.advance(18)
        return asks("save")

    bench = Bench(slow, says("Time is up"))
    # When the run ends
    ending = bench.run()
    # Then the tool did not start
    assert bench.tools.ran == []
    assert ending.declined is not None
    assert ending.declined.results[0].text == "Not executed: the time limit for this answer was reached."


def test_s4_a_resumed_turn_that_finds_no_time_may_have_happened_all_the_same() -> None:
    # Given a turn that the crashed runner had written ahead, and no time to run it again
    bench = Bench(says("I had little time"), seconds=3)
    # When the run is closed
    ending = bench.run(resumed=asks("save"))
    # Then nobody claims that it was not executed
    assert ending.declined is not None
    assert [result.outcome for result in ending.declined.results] == ["unknown"]
    assert "whether it took effect is unknown" in ending.declined.results[0].text


def test_s4_the_calls_of_a_resumed_turn_that_time_leaves_out_may_have_happened() -> None:
    # Given a resumed turn of two calls of which only the first can run again
    bench = Bench(says("Time is up"))
    bench.tools.takes = 18
    # When the run is closed, then the second may have happened, and the tokens of the turn are paid for
    ending = bench.run(resumed=asks("save:{1}", "save:{2}"))
    assert [result.outcome for result in bench.journal.written[0].results] == ["done", "unknown"]
    assert ending.answer.usage == Usage(20, 0, 10)


def _asking(names: list[str], stop: str) -> Turn:
    return asks(*names, stop=stop)


_turns = st.one_of(
    st.builds(says, st.sampled_from(["", " ", "words"]), st.sampled_from(["end", "truncated", "refused", "paused"])),
    st.builds(
        _asking,
        st.lists(st.sampled_from(["a", "b", "save"]), min_size=1, max_size=3),
        st.sampled_from(["end", "truncated", "unknown"]),
    ),
    st.just(ModelUnavailable("down")),
    st.just(OutOfTime()),
)


@given(steps=st.lists(_turns, min_size=30, max_size=30), takes=st.floats(0, 12), rounds=st.integers(0, 5))
def test_whatever_the_model_does_there_is_one_answer_in_time_and_a_valid_history(
    steps: list[Step], takes: float, rounds: int
) -> None:
    # Given any model, any speed of the tools, any cap
    bench = Bench(*steps, max_rounds=rounds)
    bench.tools.takes = takes
    bench.tools.effects = frozenset({"save"})
    start = bench.clock.now
    # When the run ends
    ending = bench.loop.run()
    # Then the history is valid, the cap and the budget hold, and what was stored is what the model was shown
    assert_valid(bench.loop.history, ending)
    assert len(bench.journal.written) <= rounds
    assert bench.clock.now - start <= 25
    shown = [entry for entry in bench.loop.history if isinstance(entry, Round)]
    assert shown == [entry for entry in bench.stored(ending) if isinstance(entry, Round)]
