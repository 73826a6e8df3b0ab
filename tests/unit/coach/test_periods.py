from datetime import date

import pytest

from coach.periods import Period, first_day


@pytest.mark.parametrize(
    ("period", "today", "first"),
    [
        ("this_week", date(2026, 11, 30), date(2026, 11, 30)),  # a Monday
        ("this_week", date(2026, 12, 6), date(2026, 11, 30)),  # the Sunday after
        ("this_month", date(2026, 12, 1), date(2026, 12, 1)),
        ("this_month", date(2026, 12, 31), date(2026, 12, 1)),
        ("this_month", date(2028, 2, 29), date(2028, 2, 1)),
        ("last_30_days", date(2026, 3, 1), date(2026, 1, 31)),
        ("last_90_days", date(2028, 2, 29), date(2027, 12, 2)),
        ("all", date(2026, 12, 1), None),
    ],
)
def test_a_period_begins_on_its_first_day(period: Period, today: date, first: date | None) -> None:
    assert first_day(period, today) == first
