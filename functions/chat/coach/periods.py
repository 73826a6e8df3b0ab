"""The periods a person asks about, as dates."""

from datetime import date, timedelta
from typing import Literal

Period = Literal[
    "this_week", "last_week", "this_month", "last_month", "last_30_days", "last_90_days", "this_year", "last_365_days",
    "all",
]  # fmt: skip
"""A plain alias, not a `type` statement: pydantic would write the latter as a reference in the JSON schema."""

_A_DAY = timedelta(days=1)


def days_of(period: Period, today: date) -> tuple[date | None, date]:  # noqa: PLR0911 - a table
    """Returns the first and the last day of a period; the first is None for `all`, which has none.

    A week begins on Monday. The days of `last_30_days` and its like count today.
    """
    monday = today - timedelta(days=today.weekday())
    first_of_month = today.replace(day=1)
    match period:
        case "this_week":
            return monday, today
        case "last_week":
            return monday - timedelta(days=7), monday - _A_DAY
        case "this_month":
            return first_of_month, today
        case "last_month":
            last = first_of_month - _A_DAY
            return last.replace(day=1), last
        case "last_30_days":
            return today - timedelta(days=29), today
        case "last_90_days":
            return today - timedelta(days=89), today
        case "this_year":
            return today.replace(month=1, day=1), today
        case "last_365_days":
            return today - timedelta(days=364), today
        case "all":
            return None, today
