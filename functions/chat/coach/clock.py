"""The clock of the coach: the one place that asks what time it is, so that a test can set it."""

from datetime import UTC, date, datetime, timedelta


def now() -> datetime:
    """Returns the present moment in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Returns today's date in UTC."""
    return now().date()


def latest_day() -> date:
    """Returns the last day that may have begun where the person lives: tomorrow in UTC."""
    return today() + timedelta(days=1)
