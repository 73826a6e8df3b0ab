"""Many sessions in few lines: by week, month or year, and by exercise.

Everything here is computed from sessions alone; nothing is read, nothing asks for the time.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from coach.sessions import Session, trend
from coach.units import shown
from coach.words import Words, words_of

LINES = 30
"""So many lines answer a question about a year, and still leave room for the next question."""

Span = Literal["week", "month", "year"]

_STARTS: dict[Span, Callable[[dt.date], dt.date]] = {
    "week": lambda day: day - dt.timedelta(days=day.weekday()),
    "month": lambda day: day.replace(day=1),
    "year": lambda day: day.replace(month=1, day=1),
}


class SpanLine(BaseModel):
    """One week, month or year: its first day, on how many days there was training, and what came of it."""

    model_config = ConfigDict(serialize_by_alias=True)

    start: dt.date = Field(serialization_alias="from")
    days: int
    volume_kg: float
    best_1rm_kg: float | None


class Summary(BaseModel):
    """The weeks, months or years with training, newest first."""

    by: Span
    spans: list[SpanLine]


class ExerciseLine(BaseModel):
    """One exercise over the whole period; the trend is that of the estimated one-rep max."""

    exercise: str
    sessions: int
    last_date: dt.date
    last_top_set: str
    best_1rm_kg: float | None
    trend_kg_per_week: float | None


def summary(sessions: Sequence[Session], *, of_one: bool) -> Summary:
    """Sums sessions up by the shortest span that needs no more than 30 lines, at last by year.

    Args:
        sessions: the sessions, newest first.
        of_one: whether all are of one exercise, so that the best one-rep max of a span means something.
    """
    short: list[Span] = [
        by for by, start in _STARTS.items() if len({start(session.date) for session in sessions}) <= LINES
    ]
    by: Span = short[0] if short else "year"
    spans: dict[dt.date, list[Session]] = defaultdict(list)
    for session in sessions:
        spans[_STARTS[by](session.date)].append(session)
    return Summary(by=by, spans=[_span(first, inside, of_one=of_one) for first, inside in spans.items()][:LINES])


def overview(sessions: Iterable[Session]) -> list[ExerciseLine]:
    """Returns a line for every exercise, the one done most often first; `sessions` are newest first."""
    exercises: dict[Words, list[Session]] = defaultdict(list)
    for session in sessions:
        exercises[words_of(session.exercise) or (session.exercise,)].append(session)
    often = sorted(exercises.values(), key=lambda own: -len(own))
    return [_exercise(own) for own in often]


def top_set(session: Session) -> str:
    """Writes a session's top set as people do: `82.5 kg x 5`."""
    return f"{shown(session.top_set.weight_kg)} kg x {session.top_set.repetitions}"


def _span(first: dt.date, sessions: Sequence[Session], *, of_one: bool) -> SpanLine:
    return SpanLine(
        start=first,
        days=len({session.date for session in sessions}),
        volume_kg=round(sum(session.volume_kg for session in sessions), 1),
        best_1rm_kg=_best(sessions) if of_one else None,
    )


def _exercise(sessions: Sequence[Session]) -> ExerciseLine:
    newest = sessions[0]
    line = trend(sessions)
    return ExerciseLine(
        exercise=newest.exercise,
        sessions=len(sessions),
        last_date=newest.date,
        last_top_set=top_set(newest),
        best_1rm_kg=_best(sessions),
        trend_kg_per_week=line.kg_per_week if line else None,
    )


def _best(sessions: Iterable[Session]) -> float | None:
    return max((session.one_rep_max_kg for session in sessions if session.one_rep_max_kg), default=None)
