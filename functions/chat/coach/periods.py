"""The periods a person asks about, as dates."""

from datetime import date, timedelta
from typing import Literal

Period = Literal["this_week", "this_month", "last_30_days", "last_90_days", "all"]
"""A plain alias, not a `type` statement: pydantic would write the latter as a reference in the JSON schema."""


def first_day(period: Period, today: date) -> date | None:
    """Returns the first day of a period that ends today; None for `all`, which has none.

    A week begins on Monday. The days of `last_30_days` and `last_90_days` count today.
    """
    match period:
        case "this_week":
            return today - timedelta(days=today.weekday())
        case "this_month":
            return today.replace(day=1)
        case "last_30_days":
            return today - timedelta(days=29)
        case "last_90_days":
            return today - timedelta(days=89)
        case "all":
            return None
