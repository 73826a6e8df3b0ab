"""The tool that reads a person's training history, summarised per session, with the progress of one exercise."""

import datetime as dt
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from coach import clock
from coach.periods import Period, first_day
from coach.sessions import Change, Session, change, meant, sessions_of
from coach.workouts import read_workouts
from rondas.tools import Arguments, ToolContext, ToolMistake, tool

SESSIONS_SHOWN = 30
"""So many lines answer a question about a month, and still leave room for the next question."""

LOOK_BACK = dt.timedelta(days=365)
"""How far before the period the last session of an exercise is looked for, so that a long history is not read whole."""


class HistoryArguments(Arguments):
    """Whose sessions: of one exercise or of all, and from when until today."""

    exercise: str | None = Field(
        None,
        max_length=100,
        description="One exercise by any usual name, English or Spanish, such as bench press; leave out for all.",
    )
    period: Period = Field(
        "this_month", description="Which days, up to today; a week begins on Monday, a month on the 1st."
    )


class SessionLine(BaseModel):
    """One exercise on one day."""

    date: dt.date
    exercise: str
    top_set: str
    volume_kg: float
    estimated_1rm_kg: float | None


class Progress(BaseModel):
    """The best estimated one-rep max of the period against the one the person came from."""

    exercise: str
    start_date: dt.date
    start_1rm_kg: float
    start_is: Literal["last session before the period", "first session of the period"]
    best_date: dt.date
    best_1rm_kg: float
    change_kg: float
    change_percent: float


class TrainingHistory(BaseModel):
    """What the model needs to know of a training history; `from` is absent where the period has no first day."""

    model_config = ConfigDict(serialize_by_alias=True)

    today: dt.date
    since: dt.date | None = Field(serialization_alias="from")
    until: dt.date = Field(serialization_alias="to")
    progress: Progress | None = None
    note: str | None = None
    also_matching: list[str] | None = None
    sessions: list[SessionLine]
    left_out: int | None


@tool
def training_history(arguments: HistoryArguments, context: ToolContext) -> TrainingHistory:
    """Reads what the person has trained: per day and exercise the top set, the volume and the estimated 1RM (Epley).

    Use it for every question about their workouts, weights or progress, and to learn today's date (UTC). Newest first,
    at most 30 lines; left_out counts the older ones. With an exercise it also gives progress: the best estimated 1RM of
    the period against the last session before the period, or against the first one in it where there is none before.
    """
    today = clock.today()
    since = first_day(arguments.period, today)
    if not arguments.exercise:
        return _history(today, since, sessions_of(read_workouts(context.user, since, today)))
    earliest = since - LOOK_BACK if since else None
    sessions = sessions_of(read_workouts(context.user, earliest, today))
    return _history_of(arguments.exercise, today, since, sessions)


def _history(today: dt.date, since: dt.date | None, sessions: Sequence[Session]) -> TrainingHistory:
    return TrainingHistory(
        today=today,
        since=since,
        until=today,
        note=None if sessions else "No workout is on record in this period.",
        sessions=[_line(session) for session in sessions[:SESSIONS_SHOWN]],
        left_out=max(0, len(sessions) - SESSIONS_SHOWN) or None,
    )


def _history_of(exercise: str, today: dt.date, since: dt.date | None, sessions: Sequence[Session]) -> TrainingHistory:
    """Tells of one exercise; `sessions` are those of all exercises, with a year before the period."""
    exercises = meant(exercise, sessions)
    if not exercises:
        raise ToolMistake(_never_logged(exercise, since, sessions))
    own, *others = exercises
    within = [session for session in own if since is None or session.date >= since]
    before = own[len(within) :]
    found = change(within, before)
    return _history(today, since, within).model_copy(
        update={
            "progress": _progress(found, within) if found else None,
            "note": None if found else _why_no_progress(within, before),
            "also_matching": [other[0].exercise for other in others] or None,
        }
    )


def _never_logged(exercise: str, since: dt.date | None, sessions: Sequence[Session]) -> str:
    where = "" if since is None else " in this period or the year before it"
    logged = sorted({session.exercise for session in sessions})
    if not logged:
        return f"No session of {exercise!r} is on record{where}, nor of any other exercise."
    return f"No session of {exercise!r} is on record{where}. What is on record: {', '.join(logged)}."


def _why_no_progress(within: Sequence[Session], before: Sequence[Session]) -> str:
    exercise = (*within, *before)[0].exercise
    if not within:
        return f"No session of {exercise} in this period; the last one before it was on {before[0].date}."
    if len(within) + len(before) == 1:
        return f"This is the only session of {exercise} on record: there is nothing to compare it with."
    return "No progress: it takes two sessions with a weight above 0 kg and 1 to 12 repetitions to compare estimates."


def _progress(found: Change, within: Sequence[Session]) -> Progress:
    inside = found.start in within
    return Progress(
        exercise=found.best.exercise,
        start_date=found.start.date,
        start_1rm_kg=found.start.one_rep_max_kg or 0,
        start_is="first session of the period" if inside else "last session before the period",
        best_date=found.best.date,
        best_1rm_kg=found.best.one_rep_max_kg or 0,
        change_kg=round(found.kg, 1),
        change_percent=round(found.percent, 1),
    )


def _line(session: Session) -> SessionLine:
    return SessionLine(
        date=session.date,
        exercise=session.exercise,
        top_set=f"{session.top_set.weight_kg:g} kg x {session.top_set.repetitions}",
        volume_kg=round(session.volume_kg, 1),
        estimated_1rm_kg=session.one_rep_max_kg,
    )
