"""Goals a person sets themselves: where they are kept, which of them hold, and how far the person is."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from typing import Literal

from pydantic import BaseModel

from coach import table
from coach.catalogue import named
from coach.one_rep_max import MAX_REPETITIONS, epley
from coach.sessions import meant, sessions_of
from coach.words import words_of
from coach.workouts import Workout

RECENT = timedelta(days=90)
"""How long an estimated one-rep max says what a person can do now."""

type GoalKey = tuple[frozenset[str], int]


class Goal(BaseModel):
    """A saved goal; a weight of 0 kg is the body alone."""

    exercise: str
    target_weight_kg: float
    repetitions: int
    by: date | None
    saved_on: date


class StoredGoal(Goal):
    """A goal with the moment that tells which of two came later, and how it ended if it has."""

    saved_at: datetime
    closed: Literal["achieved", "dropped"] | None = None

    def shown(self) -> Goal:
        """Returns what of it is worth showing, its weight rounded."""
        shown = Goal.model_validate(self.model_dump(include=set(Goal.model_fields)))
        return shown.model_copy(update={"target_weight_kg": round(self.target_weight_kg, 2)})


class GoalProgress(BaseModel):
    """How far a person is, by the exercise of their history that the goal means.

    Attributes:
        exercise: its name there.
        best_1rm_kg: the best estimated one-rep max (Epley) of the last 90 days.
        best_date: the day of that.
        needed_1rm_kg: the one-rep max that the goal comes to; None beyond 12 repetitions or without a weight.
        percent: the best of the needed one.
        reached_on: the first day, since the goal was saved, with a set that fulfils it.
    """

    exercise: str
    best_1rm_kg: float | None
    best_date: date | None
    needed_1rm_kg: float | None
    percent: float | None
    reached_on: date | None


def keep_goal(user: str, call_key: str, goal: StoredGoal) -> StoredGoal:
    """Writes a goal unless the call has written one; returns the one that stands there."""
    body = table.keep_first(user, _sort_key(call_key), goal.model_dump_json())
    return StoredGoal.model_validate_json(body)


def kept_goal(user: str, call_key: str) -> StoredGoal | None:
    """Returns what a call has written; None where it has written nothing."""
    body = table.get(user, _sort_key(call_key))
    return StoredGoal.model_validate_json(body) if body else None


def goals_of(user: str) -> list[StoredGoal]:
    """Returns the goals that hold, the last saved first.

    A later goal for the same exercise and repetitions takes the place of an earlier one; one that was closed leaves it.
    """
    stored = map(StoredGoal.model_validate_json, table.read(user, "G#", "G$"))  # "$" is what comes after "#"
    last = {key_of(goal.exercise, goal.repetitions): goal for goal in sorted(stored, key=lambda goal: goal.saved_at)}
    return sorted((goal for goal in last.values() if not goal.closed), key=lambda goal: goal.saved_at, reverse=True)


def key_of(exercise: str, repetitions: int) -> GoalKey:
    """Returns what two goals for the same have in common, however the exercise was written."""
    known = named(exercise)
    return frozenset(words_of(known["name"] if known else exercise)), repetitions


def progress(goal: Goal, workouts: Sequence[Workout], today: date) -> GoalProgress | None:
    """Returns how far a person is from a goal; None where no workout has its exercise."""
    exercises = meant(goal.exercise, sessions_of(workouts))
    if not exercises:
        return None
    own = exercises[0]
    recent = [session for session in own if session.one_rep_max_kg and session.date > today - RECENT]
    best = max(recent, key=lambda session: session.one_rep_max_kg or 0, default=None)
    estimable = goal.target_weight_kg > 0 and goal.repetitions <= MAX_REPETITIONS
    needed = epley(goal.target_weight_kg, goal.repetitions) if estimable else None
    best_kg = best.one_rep_max_kg if best else None
    return GoalProgress(
        exercise=own[0].exercise,
        best_1rm_kg=best_kg,
        best_date=best.date if best else None,
        needed_1rm_kg=round(needed, 1) if needed else None,
        percent=round(100 * best_kg / needed, 1) if best_kg and needed else None,
        reached_on=_reached(goal, workouts, {session.exercise for session in own}),
    )


def _reached(goal: Goal, workouts: Iterable[Workout], exercises: set[str]) -> date | None:
    days = (
        workout.date
        for workout in workouts
        if workout.date >= goal.saved_on
        for exercise in workout.exercises
        if exercise.name in exercises
        for done in exercise.sets
        if done.weight_kg >= goal.target_weight_kg and done.repetitions >= goal.repetitions
    )
    return min(days, default=None)


def _sort_key(call_key: str) -> str:
    return f"G#{call_key}"
