"""Asking until somebody answers: retries, failover, the circuit breaker, all under one deadline (rule B1)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest
from doubles import FakeClock, asks, says

from rondas.history import Entry, Turn, UserMessage, settle
from rondas.interrupt import OutOfTime
from rondas.model import ModelUnavailable
from rondas.providers.errors import ProviderError, RequestRejected
from rondas.providers.failover import Failover

if TYPE_CHECKING:
    from rondas.watcher import Mishap

HELLO: list[Entry] = [UserMessage("hello")]

type Step = Turn | BaseException | float


class FakeProvider:
    """A model with a script; a number in it is a silence of so many seconds."""

    def __init__(self, clock: FakeClock, *steps: Step) -> None:
        self.asked: list[float] = []
        self.closings: list[str | None] = []
        self._clock = clock
        self._steps = list(steps)

    def turn(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        self.asked.append(seconds)
        self.closings.append(closing)
        step = self._steps.pop(0)
        if isinstance(step, Turn):
            return step
        if isinstance(step, BaseException):
            raise step
        self._clock.advance(min(step, seconds))
        raise OutOfTime


def down(*, retryable: bool = True, retry_after: float | None = None) -> ProviderError:
    return ProviderError("a:1", "503 ServiceUnavailable", retryable=retryable, retry_after=retry_after)


class Bench:
    """Models in their order, on a clock that sleeping moves."""

    def __init__(self, **scripts: list[Step]) -> None:
        self.clock = FakeClock()
        self.slept: list[float] = []
        self.failures: list[ProviderError] = []
        self.providers = {name: FakeProvider(self.clock, *steps) for name, steps in scripts.items()}
        self.mishaps: list[Mishap] = []
        self.failover = Failover(
            self.providers,
            on_failure=self.failures.append,
            on_mishap=self.mishaps.append,
            clock=self.clock,
            sleep=self.sleep,
        )

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)

    def ask(self, seconds: float = 18, history: Sequence[Entry] = HELLO, closing: str | None = None) -> Turn:
        return self.failover.reply(history, seconds=seconds, closing=closing)


def test_a_failure_that_may_pass_is_tried_again_with_growing_waits() -> None:
    # Given a model that is overloaded twice
    bench = Bench(a=[down(), down(), says("Hi")])
    # When it is asked, then the third attempt answers, after waits that grow
    assert bench.ask().text == "Hi"
    assert [0.37 < wait <= 1.0 for wait in bench.slept] == [True, True]
    assert bench.slept[1] > bench.slept[0]
    assert bench.failures == []


def test_three_attempts_are_enough() -> None:
    # Given a model that stays down; when it is asked, then it is not asked for ever, and the operator is told once
    bench = Bench(a=[down()] * 9)
    with pytest.raises(ModelUnavailable, match="a:1: 503 ServiceUnavailable"):
        bench.ask()
    assert len(bench.providers["a"].asked) == 3
    assert [str(failure) for failure in bench.failures] == ["a:1: 503 ServiceUnavailable"]


def test_what_would_fail_again_is_not_tried_again() -> None:
    # Given a key that is refused; when the model is asked, then once
    bench = Bench(a=[down(retryable=False)])
    with pytest.raises(ModelUnavailable):
        bench.ask()
    assert bench.slept == []


def test_a_wait_that_is_asked_for_is_honoured_where_it_fits() -> None:
    bench = Bench(a=[down(retry_after=4), says("Hi")])
    assert bench.ask(seconds=18).text == "Hi"
    assert bench.slept == [4]


def test_a_wait_that_does_not_fit_is_not_begun() -> None:
    # Given a service that asks to wait longer than there is time (trap 3)
    bench = Bench(a=[down(retry_after=3600)])
    # When it is asked, then it fails at once, and the time is kept for the closing call
    with pytest.raises(ModelUnavailable):
        bench.ask()
    assert bench.slept == []


def test_b1_no_attempt_starts_that_cannot_end_in_time() -> None:
    # Given half a second, and a model that fails
    bench = Bench(a=[down(), says("too late")])
    with pytest.raises(ModelUnavailable):
        bench.ask(seconds=0.5)
    assert len(bench.providers["a"].asked) == 1


def test_the_next_model_answers_where_the_first_cannot() -> None:
    # Given a first model whose key is refused
    bench = Bench(a=[down(retryable=False)], b=[says("Hi from b")])
    # When a turn is asked for, then the second gives it
    assert bench.ask(closing="Close.").text == "Hi from b"
    # And is told the same
    assert bench.providers["b"].closings == ["Close."]


def test_a_silent_model_leaves_time_for_the_next() -> None:
    # Given a first model that says nothing
    bench = Bench(a=[60.0], b=[says("Hi from b")])
    # When a turn is asked for
    assert bench.ask(seconds=18).text == "Hi from b"
    # Then the first had its share, and the second the rest
    assert bench.providers["a"].asked == [12]
    assert bench.providers["b"].asked == [pytest.approx(6)]


def test_the_last_model_has_all_the_time_and_its_silence_is_the_end_of_it() -> None:
    bench = Bench(a=[60.0])
    with pytest.raises(OutOfTime):
        bench.ask(seconds=18)
    assert bench.providers["a"].asked == [18]
    assert [failure.cause for failure in bench.failures] == ["no answer in its time"]


def test_a_run_stays_with_the_model_that_took_it_over() -> None:
    # Given a message whose last round the second model wrote
    done = settle(Turn(calls=asks("look").calls, model="b"), "found", "done")
    bench = Bench(a=[says("Hi from a")], b=[says("Hi from b"), says("Hi again")])
    # When the next turn is asked for, then it is asked first: it is up, and it has the message in its cache
    assert bench.ask(history=[*HELLO, done]).text == "Hi from b"
    # And a new message starts with the first again
    assert bench.ask(history=[*HELLO, done, UserMessage("next")]).text == "Hi from a"


def test_a_model_that_has_failed_is_asked_last_for_half_a_minute() -> None:
    # Given a first model that failed once
    bench = Bench(a=[down(retryable=False), says("Hi from a")], b=[says("Hi from b")] * 2)
    bench.ask()
    # When the next turn is asked for, then the other is asked first
    assert bench.ask().text == "Hi from b"
    # And half a minute later the order is the old one again
    bench.clock.advance(30)
    assert bench.ask().text == "Hi from a"


def test_a_model_that_was_silent_does_not_take_a_share_of_the_closing_call() -> None:
    # Given a first model that said nothing in this message, and a closing call of seven seconds
    bench = Bench(a=[60.0], b=[says("Hi"), says("Bye")])
    bench.ask(seconds=18)
    # When the message is closed, then the other model has its full share at once
    assert bench.ask(seconds=7, closing="Close.").text == "Bye"
    assert len(bench.providers["a"].asked) == 1


def test_a_model_that_has_failed_is_asked_all_the_same_where_no_other_answers() -> None:
    # Given the only model, which failed and is up again
    bench = Bench(a=[down(retryable=False), says("Hi")])
    with pytest.raises(ModelUnavailable):
        bench.ask()
    # When a turn is asked for, then it gives it
    assert bench.ask().text == "Hi"


def test_a_message_that_a_model_rejects_does_not_make_it_a_failing_model() -> None:
    # Given a message that the first model would not take
    rejected = RequestRejected("a:1", "400 BadRequest", retryable=False)
    bench = Bench(a=[rejected, says("Hi from a")], b=[says("Hi from b")])
    bench.ask()
    # When another message comes, then the first model is asked first
    assert bench.ask().text == "Hi from a"


def test_where_another_can_be_asked_a_model_has_two_attempts_and_short_waits() -> None:
    # Given a first model that stays down, and one that asks for ten seconds
    bench = Bench(a=[down(), down()], b=[says("Hi")])
    assert bench.ask().text == "Hi"
    impatient = Bench(a=[down(retry_after=10)], b=[says("Hi")])
    # When the turn is asked for, then nobody waits that long where another answers at once
    assert impatient.ask().text == "Hi"
    assert impatient.slept == []


def test_a_model_that_there_was_no_time_to_ask_has_not_failed() -> None:
    bench = Bench(a=[says("Hi")], b=[])
    with pytest.raises(OutOfTime):
        bench.ask(seconds=0)
    assert bench.failures == []
    assert bench.ask().text == "Hi"


def test_nobody_can_answer() -> None:
    # Given two models that are down; when a turn is asked for, then the operator is told of both
    bench = Bench(a=[down(retryable=False)], b=[down(retryable=False)])
    with pytest.raises(ModelUnavailable):
        bench.ask()
    assert len(bench.failures) == 2


def test_each_further_attempt_and_each_further_model_is_told() -> None:
    # Given a model that fails twice, and another one
    bench = Bench(first=[down(), down()], second=[says("Hi.")])
    # When they are asked
    bench.ask()
    # Then there was one retry and one failover
    assert bench.mishaps == ["retry", "failover"]


def test_where_nobody_is_left_to_ask_there_is_no_failover() -> None:
    bench = Bench(only=[down(retryable=False)])

    with pytest.raises(ModelUnavailable):
        bench.ask()

    assert bench.mishaps == []
