"""The clock of the coach: the one place that asks what time it is, so that a test can set it."""

from datetime import UTC, date, datetime


def now() -> datetime:
    """Returns the present moment in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Returns today's date in UTC."""
    return now().date()
