"""The day of something that is being saved."""

from datetime import date

from coach import clock, table
from rondas.tools import ToolContext, ToolMistake

FIRST_DAY = date(2000, 1, 1)
"""Nobody logs what they did before; a date that says so was misread."""


def day_of(said: date | None, context: ToolContext) -> date:
    """Returns the day that was said, or else the one on which this call first came here.

    A run that is resumed after midnight so finds what it saved, though the day is part of the key.

    Raises:
        ToolMistake: the day is in the future wherever the person may live, or before the year 2000.
    """
    today = clock.today()
    if said is None:
        return date.fromisoformat(table.keep_first(context.user, f"D#{context.key}", today.isoformat()))
    if said > clock.latest_day():
        raise ToolMistake(f"Not saved. date: {said} is in the future; expected {today} (today) or earlier.")
    if said < FIRST_DAY:
        raise ToolMistake(f"Not saved. date: {said} is too long ago; expected {FIRST_DAY} or later.")
    return said
