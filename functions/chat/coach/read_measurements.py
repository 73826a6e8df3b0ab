"""The tool that reads the measurements of the body."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from coach import clock
from coach.measurements import Kind, Measurement, Unit, read_all
from coach.periods import Period, days_of
from rondas.tools import Arguments, ToolContext, tool

VALUES_SHOWN = 20


class ReadMeasurementsArguments(Arguments):
    """Which measurements, and over which days their change is told."""

    kind: Kind | None = Field(None, description="One kind, to see its values one by one; leave out for all kinds.")
    period: Period = Field(
        "last_90_days",
        description="Which days; a week begins on Monday, last_month is the whole month before this.",
    )


class DayValue(BaseModel):
    """A value and its day."""

    date: dt.date
    value: float


class MeasuredKind(BaseModel):
    """The last value of one kind up to the end of the period, in the unit the person used last.

    `change` is from the last value before the period, or the first one in it where there is none before.
    """

    kind: Kind
    unit: Unit
    value: float
    date: dt.date
    change: float | None
    change_from: dt.date | None
    change_starts: Literal["before the period", "in the period"] | None
    values: list[DayValue] | None
    left_out: int | None


class Measurements(BaseModel):
    """What is known of a body, the kind measured last first."""

    today: dt.date
    measurements: list[MeasuredKind]
    note: str | None


@tool(more="Ask for one kind, or for a shorter period.")
def read_measurements(arguments: ReadMeasurementsArguments, context: ToolContext) -> Measurements:
    """Reads the person's body measurements: the last value of each kind, and its change over a period.

    Use it for every question about their weight, body fat, height, heart rate or circumferences. With a kind it also
    gives the values of the period, newest first, at most 20. Units are those the person used last.
    """
    today = clock.today()
    since, last = days_of(arguments.period, today)
    until = clock.latest_day() if last == today else last
    kinds: dict[Kind, list[Measurement]] = defaultdict(list)
    for measurement in read_all(context.user):
        if measurement.date <= until and arguments.kind in {None, measurement.kind}:
            kinds[measurement.kind].append(measurement)
    lines = [_line(own, since, one_by_one=arguments.kind is not None) for own in kinds.values()]
    what = arguments.kind or "measurement"
    return Measurements(
        today=today,
        measurements=sorted(lines, key=lambda line: line.date, reverse=True),
        note=None if lines else f"No {what} is on record.",
    )


def _line(own: Sequence[Measurement], since: dt.date | None, *, one_by_one: bool) -> MeasuredKind:
    """Tells of one kind; `own` are its measurements until the end of the period, oldest first."""
    newest = own[-1]
    within = [measurement for measurement in own if since is None or measurement.date >= since]
    before = own[: len(own) - len(within)]
    start = before[-1] if before else own[0]
    changed = bool(within) and start is not newest
    change = newest.model_copy(update={"value": newest.value - start.value}).given() if changed else None
    listed = within[: -VALUES_SHOWN - 1 : -1] if one_by_one else []
    values = [DayValue(date=measurement.date, value=measurement.given(newest.unit)) for measurement in listed]
    return MeasuredKind(
        kind=newest.kind,
        unit=newest.unit,
        value=newest.given(),
        date=newest.date,
        change=change,
        change_from=start.date if changed else None,
        change_starts=("before the period" if before else "in the period") if changed else None,
        values=values or None,
        left_out=(len(within) - len(listed)) or None if one_by_one else None,
    )
