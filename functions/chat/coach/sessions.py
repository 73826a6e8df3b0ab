"""Sessions: what a person did of one exercise on one day, and what became of it over time.

Everything here is computed from workouts alone; nothing is read, nothing asks for the time.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import linear_regression

from coach.one_rep_max import MAX_REPETITIONS, epley
from coach.words import Words, distance, hits, words_of
from coach.workouts import Set, Workout

TREND_SESSIONS = 4
TREND_DAYS = 14
"""From so many sessions over so many days on, a line through them says more about the person than about one day."""


@dataclass(frozen=True, slots=True)
class Session:
    """All sets of one exercise on one day.

    Attributes:
        date: the day.
        exercise: the name it was logged with.
        top_set: the heaviest set; of equal ones, the one with the most repetitions.
        volume_kg: the sum of weight times repetitions over all sets.
        one_rep_max_kg: the best estimate (Epley) over the sets with a weight and 1 to 12 repetitions; None without any.
            Rounded to 0.1 kg, so that what is computed from it agrees with what is shown.
    """

    date: date
    exercise: str
    top_set: Set
    volume_kg: float
    one_rep_max_kg: float | None


@dataclass(frozen=True, slots=True)
class Change:
    """How an estimated one-rep max changed between two sessions of one exercise."""

    start: Session
    best: Session
    kg: float
    percent: float


@dataclass(frozen=True, slots=True)
class Trend:
    """Where the estimated one-rep max of an exercise has been going.

    Attributes:
        kg_per_week: the slope of the straight line with the least squares through all estimates. Every session counts
            in it, so that a very good or bad one at either end does not decide, as it would in first against last.
        sessions: how many sessions there were.
        days: how many days lie between the first and the last.
    """

    kg_per_week: float
    sessions: int
    days: int


def sessions_of(workouts: Iterable[Workout]) -> list[Session]:
    """Returns one session per day and exercise, newest first; the exercises of a day in the order they were done."""
    sets: dict[date, dict[str, list[Set]]] = defaultdict(lambda: defaultdict(list))
    for workout in workouts:
        for exercise in workout.exercises:
            sets[workout.date][exercise.name] += exercise.sets
    return [
        _session(day, name, done)
        for day, exercises in sorted(sets.items(), reverse=True)
        for name, done in exercises.items()
        if done
    ]


def meant(wanted: str, sessions: Iterable[Session]) -> list[list[Session]]:
    """Returns the sessions of each exercise whose name has every word of `wanted`, the most probably meant one first.

    That is the one whose name says least beyond what was asked for, and of equal ones the one done most often. An
    exercise that is merely similar is not returned: its numbers would be the answer to another question.
    """
    exercises: dict[Words, list[Session]] = defaultdict(list)
    for session in sessions:
        exercises[words_of(session.exercise)].append(session)
    words = words_of(wanted)
    fitting = [name for name in exercises if words and hits(words, name) == len(words)]
    fitting.sort(key=lambda name: (name != words, distance(words, name), -len(exercises[name])))
    return [exercises[name] for name in fitting]


def change(within: Sequence[Session], before: Sequence[Session]) -> Change | None:
    """Returns the progress of one exercise: its best session in a period against where the person came from.

    Args:
        within: its sessions in the period, newest first.
        before: its sessions before the period, newest first.

    Returns:
        The change against the last session before the period, or the first one in it where there is none before; None
        where there are no two sessions with an estimate to compare.
    """
    estimated = [session for session in within if session.one_rep_max_kg]
    earlier = [session for session in before if session.one_rep_max_kg]
    if not estimated or len(estimated) + len(earlier) == 1:
        return None
    start = earlier[0] if earlier else estimated[-1]
    best = max(estimated, key=_estimate)
    kg = _estimate(best) - _estimate(start)
    return Change(start, best, kg, 100 * kg / _estimate(start))


def trend(sessions: Sequence[Session]) -> Trend | None:
    """Returns the trend of one exercise; None where there are too few sessions with an estimate, or too close."""
    estimated = [session for session in sessions if session.one_rep_max_kg]
    if len(estimated) < TREND_SESSIONS:
        return None
    days = [(session.date - estimated[-1].date).days for session in estimated]
    span = max(days) - min(days)
    if span < TREND_DAYS:
        return None
    slope = linear_regression(days, [_estimate(session) for session in estimated]).slope
    return Trend(round(7 * slope, 2), len(estimated), span)


def _session(day: date, name: str, sets: Sequence[Set]) -> Session:
    estimates = [
        epley(done.weight_kg, done.repetitions)
        for done in sets
        if done.weight_kg > 0 and 1 <= done.repetitions <= MAX_REPETITIONS
    ]
    return Session(
        date=day,
        exercise=name,
        top_set=max(sets, key=lambda done: (done.weight_kg, done.repetitions)),
        volume_kg=sum(done.weight_kg * done.repetitions for done in sets),
        one_rep_max_kg=round(max(estimates), 1) if estimates else None,
    )


def _estimate(session: Session) -> float:
    return session.one_rep_max_kg or 0.0
