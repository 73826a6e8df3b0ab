"""Measurements of the body: kinds, units, and where they are kept.

Stored are kilograms, centimetres, per cent and beats per minute, with the unit the person used, in which they see them
again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from pydantic import BaseModel

from coach import table
from coach.units import INCH_CM, POUND_KG

Kind = Literal[
    "body_weight", "body_fat", "height", "resting_heart_rate", "neck", "shoulders", "chest", "waist", "hips", "arm",
    "forearm", "thigh", "calf",
]  # fmt: skip
Unit = Literal["kg", "lb", "cm", "in", "m", "%", "bpm"]

FACTORS: dict[Unit, float] = {"kg": 1, "lb": POUND_KG, "cm": 1, "in": INCH_CM, "m": 100, "%": 1, "bpm": 1}
"""What a value in each unit is multiplied by to be stored."""

_LENGTHS: tuple[Unit, ...] = ("cm", "in", "m")


@dataclass(frozen=True, slots=True)
class Measure:
    """What a measurement of one kind can be.

    Attributes:
        units: the units it can be given in, the one it is stored in first.
        least: the least value of a grown person, in the unit it is stored in.
        most: the most.
    """

    units: tuple[Unit, ...]
    least: float
    most: float


MEASURES: dict[Kind, Measure] = {
    "body_weight": Measure(("kg", "lb"), 20, 500),
    "body_fat": Measure(("%",), 2, 75),
    "height": Measure(_LENGTHS, 50, 275),
    "resting_heart_rate": Measure(("bpm",), 20, 220),
    "neck": Measure(_LENGTHS, 15, 100),
    "shoulders": Measure(_LENGTHS, 50, 250),
    "chest": Measure(_LENGTHS, 40, 250),
    "waist": Measure(_LENGTHS, 30, 300),
    "hips": Measure(_LENGTHS, 40, 300),
    "arm": Measure(_LENGTHS, 10, 100),
    "forearm": Measure(_LENGTHS, 10, 80),
    "thigh": Measure(_LENGTHS, 20, 150),
    "calf": Measure(_LENGTHS, 10, 100),
}


class Measurement(BaseModel):
    """One value of one day.

    Attributes:
        kind: what was measured.
        date: the day where the person was.
        value: in the unit it is stored in.
        unit: the unit it was given in.
        saved_at: tells which of two of a day came later.
    """

    kind: Kind
    date: date
    value: float
    unit: Unit
    saved_at: datetime

    def given(self, unit: Unit | None = None) -> float:
        """Returns the value in the unit it was given in, or in another of its kind, rounded as people say it."""
        return round(self.value / FACTORS[unit or self.unit], 2)


def keep_measurement(user: str, call_key: str, measurement: Measurement) -> Measurement:
    """Writes a measurement unless the call has written one; returns the one that stands there."""
    sort_key = f"B#{measurement.date.isoformat()}#{call_key}"
    return Measurement.model_validate_json(table.keep_first(user, sort_key, measurement.model_dump_json()))


def read_all(user: str) -> Iterator[Measurement]:
    """Yields a person's measurements, oldest first.

    All of them: an item is some hundred bytes, and the last height may be years old.
    """
    stored = map(Measurement.model_validate_json, table.read(user, "B#", "B$"))  # "$" is what comes after "#"
    yield from sorted(stored, key=lambda measurement: (measurement.date, measurement.saved_at))
