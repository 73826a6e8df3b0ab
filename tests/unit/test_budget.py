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


def test_nothing_is_ever_less_than_no_time() -> None:
    # Given a budget; when it is long over, then there is no time, and not less
    clock = FakeClock()
    budget = Budget.start(25, 7, clock=clock)
    clock.advance(100)
    assert (budget.work_left(), budget.left()) == (0, 0)
