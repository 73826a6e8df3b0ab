"""The tool that records a measurement of the body."""

import datetime as dt

from pydantic import BaseModel, Field

from coach import clock
from coach.day import day_of
from coach.measurements import FACTORS, MEASURES, Kind, Measurement, Unit, keep_measurement, read_all
from coach.units import shown
from rondas.tools import Arguments, ToolContext, ToolMistake, tool


class RecordMeasurementArguments(Arguments):
    """One value, in the unit the person used."""

    kind: Kind = Field(description="What was measured; all but the first four are circumferences.")
    value: float = Field(gt=0, le=1000, allow_inf_nan=False, description="The number the person said, not converted.")
    unit: Unit = Field(description="The unit the person used; ask when it is not clear which.")
    date: dt.date | None = Field(
        None, description="Day it was measured, as YYYY-MM-DD; leave out for today. Not in the future."
    )


class RecordedMeasurement(BaseModel):
    """The value as it was saved, and the last one before that day or call, in the same unit."""

    saved: bool
    kind: Kind
    date: dt.date
    value: float
    unit: Unit
    metric: str | None
    previous: float | None
    previous_date: dt.date | None


@tool(effect=True)
def record_measurement(arguments: RecordMeasurementArguments, context: ToolContext) -> RecordedMeasurement:
    """Records one measurement of the person's body: weight, body fat, height, resting heart rate or a circumference.

    Use it only when the person tells a value of their own and wants it kept; one call for each value. Returns what was
    saved, its metric value where it was given in another unit, and the last value before it.
    """
    value = _checked(arguments)
    day = day_of(arguments.date, context)
    saved = keep_measurement(
        context.user,
        context.key,
        Measurement(kind=arguments.kind, date=day, value=value, unit=arguments.unit, saved_at=clock.now()),
    )
    before = _before(saved, context.user)
    stored_in = MEASURES[saved.kind].units[0]
    return RecordedMeasurement(
        saved=True,
        kind=saved.kind,
        date=saved.date,
        value=saved.given(),
        unit=saved.unit,
        metric=f"{shown(saved.value)} {stored_in}" if saved.unit != stored_in else None,
        previous=before.given(saved.unit) if before else None,
        previous_date=before.date if before else None,
    )


def _checked(arguments: RecordMeasurementArguments) -> float:
    """Returns the value in the unit it is stored in.

    Raises:
        ToolMistake: the kind has no such unit, or nobody has such a value.
    """
    measure = MEASURES[arguments.kind]
    if arguments.unit not in measure.units:
        units = " or ".join(measure.units)
        raise ToolMistake(f"Not saved. unit: {arguments.kind} is not measured in {arguments.unit}; expected {units}.")
    factor = FACTORS[arguments.unit]
    value = arguments.value * factor
    if not measure.least <= value <= measure.most:
        limits = f"{shown(measure.least / factor)} to {shown(measure.most / factor)} {arguments.unit}"
        raise ToolMistake(
            f"Not saved. value: {shown(arguments.value)} {arguments.unit} is no {arguments.kind} a person can have; "
            f"expected {limits}. Ask whether value and unit are right."
        )
    return value


def _before(saved: Measurement, user: str) -> Measurement | None:
    """Returns the last measurement of the kind before this one."""
    moment = (saved.date, saved.saved_at)
    earlier = [other for other in read_all(user) if other.kind == saved.kind and (other.date, other.saved_at) < moment]
    return earlier[-1] if earlier else None
