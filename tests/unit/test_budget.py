"""One deadline for everything."""

import pytest
from doubles import FakeClock

from rondas.budget import Budget


@pytest.mark.parametrize(
    ("seconds", "remaining", "expected"),
    [
        (25, 28, 25),  # the budget is the shortest
        (25, 10, 8),  # the function ends sooner: the store reserve is kept free
        (25, 900, 25),  # a long function does not lengthen it
        (60, 900, 27),  # the gateway gives up at 29 s, whatever the settings say (case 7)
        (60, None, 27),  # also where no runtime ends the process
        (25, 1, 0),  # less than the store reserve: no time at all
    ],
)
def test_the_budget_ends_before_whatever_would_cut_it_off(
    seconds: float, remaining: float | None, expected: float
) -> None:
    # Given a setting and what the runtime leaves; when a run starts, then the shortest of all limits counts
    assert Budget.start(seconds, 7, remaining, FakeClock()).left() == expected


def test_work_ends_where_the_closing_reserve_begins() -> None:
    # Given a budget of 25 s with a reserve of 7 s
    clock = FakeClock()
    budget = Budget.start(25, 7, clock=clock)
    # When 20 s have gone
    clock.advance(20)
    # Then no work may start, and 5 s are left for closing
    assert (budget.work_left(), budget.left()) == (0, 5)


@pytest.mark.parametrize(("seconds", "reserve", "work"), [(3, 7, 2), (100, 50, 18), (25, 24, 1), (25, 0, 25)])
def test_a_reserve_that_would_be_all_of_the_budget_is_a_third_of_it(
    seconds: float, reserve: float, work: float
) -> None:
    # Given a reserve as long as what the setting and the gateway leave, or longer; then there is time to work
    assert Budget.start(seconds, reserve, 900, FakeClock()).work_left() == pytest.approx(work)


@pytest.mark.parametrize(
    ("seconds", "remaining", "expected"),
    [(25, 28, 26.5), (25, 900, 26.5), (60, 900, 28.5), (25, 3, 2.5), (25, 1, 0.5), (25, 0.2, 0)],
)
def test_the_last_write_is_done_before_the_runtime_or_the_gateway_ends(
    seconds: float, remaining: float, expected: float
) -> None:
    # Given what the runtime leaves; then all is over half a second before it ends, and at the end of the store reserve
    assert Budget.start(seconds, 7, remaining, FakeClock()).over_in() == pytest.approx(expected)


def test_nothing_is_ever_less_than_no_time() -> None:
    # Given a budget; when it is long over, then there is no time, and not less
    clock = FakeClock()
    budget = Budget.start(25, 7, clock=clock)
    clock.advance(100)
    assert (budget.work_left(), budget.left()) == (0, 0)
