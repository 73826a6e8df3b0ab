"""Workouts as they were done, and where they are kept."""

from collections.abc import Iterator
from datetime import date, timedelta

from pydantic import BaseModel

from coach import table


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
    """

    id: str
    date: date
    exercises: list[LoggedExercise]


def save_workout(user: str, workout: Workout) -> None:
    """Writes a workout, over the one of the same date and id if there is one."""
    table.put(user, f"W#{workout.date.isoformat()}#{workout.id}", workout.model_dump_json())


def read_workouts(user: str, since: date | None, today: date) -> Iterator[Workout]:
    """Yields a person's workouts from `since`, or from the first one, until today, oldest first.

    A workout dated tomorrow is included: where the person lives, the next day may have begun.
    """
    first = f"W#{since.isoformat()}" if since else "W#"
    last = f"W#{today + timedelta(days=1)}$"  # "$" is what comes after "#"
    return map(Workout.model_validate_json, table.read(user, first, last))
