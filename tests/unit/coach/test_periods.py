from datetime import date, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.periods import Period, days_of


@pytest.mark.parametrize(
    ("period", "today", "first", "last"),
    [
        ("this_week", date(2026, 11, 30), date(2026, 11, 30), date(2026, 11, 30)),  # a Monday
        ("this_week", date(2026, 12, 6), date(2026, 11, 30), date(2026, 12, 6)),  # the Sunday after
        ("last_week", date(2026, 11, 30), date(2026, 11, 23), date(2026, 11, 29)),
        ("last_week", date(2026, 12, 6), date(2026, 11, 23), date(2026, 11, 29)),
        ("this_month", date(2026, 12, 1), date(2026, 12, 1), date(2026, 12, 1)),
        ("this_month", date(2028, 2, 29), date(2028, 2, 1), date(2028, 2, 29)),
        ("last_month", date(2027, 1, 31), date(2026, 12, 1), date(2026, 12, 31)),
        ("last_month", date(2028, 3, 1), date(2028, 2, 1), date(2028, 2, 29)),
        ("last_30_days", date(2026, 3, 1), date(2026, 1, 31), date(2026, 3, 1)),
        ("last_90_days", date(2028, 2, 29), date(2027, 12, 2), date(2028, 2, 29)),
        ("this_year", date(2026, 12, 1), date(2026, 1, 1), date(2026, 12, 1)),
        ("last_365_days", date(2028, 12, 31), date(2028, 1, 2), date(2028, 12, 31)),  # of a leap year
        ("all", date(2026, 12, 1), None, date(2026, 12, 1)),
    ],
)
def test_a_period_has_its_first_and_its_last_day(period: Period, today: date, first: date | None, last: date) -> None:
    assert days_of(period, today) == (first, last)


@given(st.sampled_from(get_args(Period)), st.dates(date(2000, 1, 1), date(2100, 12, 31)))
def test_no_period_reaches_beyond_today(period: Period, today: date) -> None:
    first, last = days_of(period, today)
    assert (first or last) <= last <= today
    assert last >= today - timedelta(days=31)
