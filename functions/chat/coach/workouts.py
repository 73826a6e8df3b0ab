"""Workouts as they were done, and where they are kept."""

from collections.abc import Iterator
from datetime import date, timedelta

from pydantic import BaseModel

from coach import table

LOOK_BACK = timedelta(days=365)
"""How far before a day earlier workouts are looked for, so that a long history is not read whole."""


class Set(BaseModel):
    """Repetitions done without a pause; a weight of 0 kg is the body alone."""

    weight_kg: float
    repetitions: int


class LoggedExercise(BaseModel):
    """One exercise of a workout, under the name it was logged with."""

    name: str
    sets: list[Set]


class Workout(BaseModel):
    """What a person did in the gym at one go.

    Attributes:
        id: names the workout among those of its date.
        date: the day where the person was.
        exercises: in the order they were done.
        notes: what the person wrote about it, in their words.
    """

    id: str
    date: date
    exercises: list[LoggedExercise]
    notes: str | None = None


def save_workout(user: str, workout: Workout) -> None:
    """Writes a workout, over the one of the same date and id if there is one."""
    table.put(user, _key(workout), workout.model_dump_json())


def save_workout_once(user: str, workout: Workout) -> Workout:
    """Writes a workout unless there is one of its date and id; returns the one that stands there."""
    return Workout.model_validate_json(table.keep_first(user, _key(workout), workout.model_dump_json()))


def read_workouts(user: str, since: date | None, until: date) -> Iterator[Workout]:
    """Yields a person's workouts from `since`, or from the first one, until `until`, oldest first."""
    first = f"W#{since.isoformat()}" if since else "W#"
    last = f"W#{until.isoformat()}$"  # "$" is what comes after "#"
    return map(Workout.model_validate_json, table.read(user, first, last))


def _key(workout: Workout) -> str:
    return f"W#{workout.date.isoformat()}#{workout.id}"
