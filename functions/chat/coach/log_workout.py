"""The tool that logs a workout."""

import datetime as dt
from collections.abc import Sequence
from itertools import groupby
from typing import Self

from pydantic import BaseModel, Field, model_validator

from coach import clock
from coach.catalogue import named
from coach.day import day_of
from coach.search import find
from coach.sessions import Session, sessions_of
from coach.units import MAX_KG, MAX_LB, kilograms, shown
from coach.words import words_of
from coach.workouts import LOOK_BACK, LoggedExercise, Set, Workout, read_workouts, save_workout_once
from rondas.tools import Arguments, ToolContext, ToolMistake, tool

MAX_SETS = 200
"""Twice the longest workout there is."""

_SIMILAR = 3


class DoneSet(Arguments):
    """One set."""

    weight_kg: float | None = Field(
        None, ge=0, le=MAX_KG, allow_inf_nan=False, description="Weight, where it was said in kilograms; 0 for none."
    )
    weight_lb: float | None = Field(
        None, ge=0, le=MAX_LB, allow_inf_nan=False, description="Weight, where it was said in pounds."
    )
    repetitions: int = Field(ge=1, le=1000, description="Repetitions done in this set.")

    @model_validator(mode="after")
    def _one_weight(self) -> Self:
        kilograms(self.weight_kg, self.weight_lb)
        return self


class DoneExercise(Arguments):
    """One exercise of the workout."""

    name: str = Field(
        min_length=1, max_length=100, description="The exercise, by the name the person uses or the catalogue's."
    )
    sets: list[DoneSet] = Field(
        min_length=1, max_length=50, description="Every set in order; three sets of five are three entries."
    )


class LogWorkoutArguments(Arguments):
    """A workout as the person told it."""

    exercises: list[DoneExercise] = Field(min_length=1, max_length=30, description="What was done, in order.")
    date: dt.date | None = Field(
        None, description="Day of the workout, as YYYY-MM-DD; leave out for today. Not in the future."
    )
    notes: str | None = Field(
        None,
        max_length=500,
        description="What the person says about the workout, in their words; leave out if nothing.",
    )

    @model_validator(mode="after")
    def _not_too_many_sets(self) -> Self:
        sets = sum(len(exercise.sets) for exercise in self.exercises)
        if sets > MAX_SETS:
            raise ValueError(f"{sets} sets are too many for one workout; expected {MAX_SETS} at most")
        return self


class LoggedLine(BaseModel):
    """One exercise as it was saved.

    `said` is the name it was given, where it was saved under the one it has in the catalogue or the history; `similar`
    are exercises of the catalogue, where the name is none of it. `new_best` compares the estimated one-rep max (Epley)
    with the best one of the year before.
    """

    exercise: str
    said: str | None
    sets: str
    volume_kg: float
    estimated_1rm_kg: float | None
    previous_best_1rm_kg: float | None
    new_best: bool | None
    similar: list[str] | None


class LoggedWorkout(BaseModel):
    """The workout as it was saved; `converted` says which pounds became which kilograms."""

    saved: bool
    date: dt.date
    exercises: list[LoggedLine]
    converted: list[str] | None
    notes: str | None


@tool(effect=True)
def log_workout(arguments: LogWorkoutArguments, context: ToolContext) -> LoggedWorkout:
    """Logs a workout the person has done: exercises with their sets, the day, and their notes.

    Use it only when the person tells what they did and wants it logged; ask for weights and repetitions they did not
    say. One call holds the whole workout: what is logged cannot be changed. Returns what was saved, in kilograms, and
    for each exercise whether its estimated one-rep max is a new best; training_history reads it from now on.
    """
    _check_names(arguments)
    day = day_of(arguments.date, context)
    workouts = read_workouts(context.user, day - LOOK_BACK, clock.latest_day())
    earlier = sessions_of(workout for workout in workouts if workout.id != context.key)
    names = {words_of(session.exercise): session.exercise for session in reversed(earlier)}
    done = [
        LoggedExercise(name=_name(exercise.name, names), sets=[_kept(done) for done in exercise.sets])
        for exercise in arguments.exercises
    ]
    saved = save_workout_once(
        context.user, Workout(id=context.key, date=day, exercises=done, notes=arguments.notes or None)
    )
    said = [exercise.name for exercise in arguments.exercises]
    return LoggedWorkout(
        saved=True,
        date=saved.date,
        exercises=[_line(*pair, saved.date, earlier) for pair in zip(saved.exercises, said, strict=True)],
        converted=_converted(arguments),
        notes=saved.notes,
    )


def _check_names(arguments: LogWorkoutArguments) -> None:
    for exercise in arguments.exercises:
        if not words_of(exercise.name):
            raise ToolMistake(f"Not saved. name: {exercise.name!r} names no exercise; expected a word for it.")


def _name(said: str, logged: dict[tuple[str, ...], str]) -> str:
    """Returns the name under which all sessions of an exercise stay together.

    That is the one it has been logged with so far, else the catalogue's, else what was said.
    """
    exercise = named(said)
    return logged.get(words_of(said)) or (exercise["name"] if exercise else said)


def _kept(done: DoneSet) -> Set:
    return Set(weight_kg=kilograms(done.weight_kg, done.weight_lb), repetitions=done.repetitions)


def _line(exercise: LoggedExercise, said: str, day: dt.date, earlier: Sequence[Session]) -> LoggedLine:
    (session,) = sessions_of([Workout(id="", date=day, exercises=[exercise])])
    words = words_of(exercise.name)
    bests = [past.one_rep_max_kg for past in earlier if past.one_rep_max_kg and words_of(past.exercise) == words]
    best = max(bests, default=None)
    now = session.one_rep_max_kg
    return LoggedLine(
        exercise=exercise.name,
        said=said if said != exercise.name else None,
        sets=_sets(exercise.sets),
        volume_kg=round(session.volume_kg, 1),
        estimated_1rm_kg=now,
        previous_best_1rm_kg=best,
        new_best=now > best if now and best else None,
        similar=None if named(exercise.name) else _similar(exercise.name),
    )


def _similar(name: str) -> list[str] | None:
    found = find(name)
    return [exercise["name"] for exercise in found.exercises[:_SIMILAR]] or None if found.complete else None


def _sets(sets: Sequence[Set]) -> str:
    """Writes sets as people do: `80 kg x 5, 5, 4; 60 kg x 10`."""
    groups = [(kg, [done.repetitions for done in same]) for kg, same in groupby(sets, lambda done: done.weight_kg)]
    return "; ".join(f"{shown(kg)} kg x {', '.join(map(str, times))}" for kg, times in groups)


def _converted(arguments: LogWorkoutArguments) -> list[str] | None:
    pounds = {done.weight_lb for exercise in arguments.exercises for done in exercise.sets if done.weight_lb}
    return [f"{shown(lb)} lb = {shown(kilograms(None, lb))} kg" for lb in sorted(pounds)] or None
