"""Ten weeks of training of one person, ending today, for trying the coach out and for its tests."""

from dataclasses import dataclass
from datetime import date, timedelta

from coach.workouts import LoggedExercise, Set, Workout, save_workout

WEEKS = 10
_DAYS_BACK = (0, 2, 4)  # within each week, counted back from today: today is always a training day


@dataclass(frozen=True, slots=True)
class _Lift:
    """An exercise, the weight of its top set today, and how much that rises from one session to the next, in kg."""

    name: str
    today_kg: float
    step_kg: float

    def done(self, sessions_ago: int) -> LoggedExercise:
        """Returns a session: a warm-up, two top sets of five and a lighter set of eight."""
        top = self.today_kg - sessions_ago * self.step_kg
        sets = [(_half(0.6 * top), 8), (top, 5), (top, 5), (_half(0.85 * top), 8)]
        return LoggedExercise(name=self.name, sets=[Set(weight_kg=kg, repetitions=n) for kg, n in sets])


@dataclass(frozen=True, slots=True)
class _BodyWeight:
    """An exercise without a weight, and the repetitions of its first set today: one more every fourth time."""

    name: str
    today: int

    def done(self, sessions_ago: int) -> LoggedExercise:
        """Returns a session: three sets, each with one repetition less."""
        best = self.today - sessions_ago // 4
        return LoggedExercise(name=self.name, sets=[Set(weight_kg=0, repetitions=best - drop) for drop in range(3)])


_DAY_A = (
    _Lift("Barbell Bench Press - Medium Grip", 82.5, 0.5),
    _Lift("Barbell Squat", 110, 1),
    _Lift("Bent Over Barbell Row", 72.5, 0.5),
    _Lift("Leg Press", 180, 2),
    _Lift("Wide-Grip Lat Pulldown", 62.5, 0.5),
    _Lift("Dumbbell Bicep Curl", 18, 0.25),
    _BodyWeight("Dips - Triceps Version", 14),
)
_DAY_B = (
    _BodyWeight("Pullups", 10),
    _Lift("Barbell Deadlift", 140, 1.5),
    _Lift("Barbell Shoulder Press", 50, 0.5),
    _Lift("Romanian Deadlift", 100, 1),
    _Lift("Barbell Hip Thrust", 120, 1.5),
    _Lift("Barbell Lunge", 50, 0.5),
    _Lift("Triceps Pushdown", 32.5, 0.5),
)


def sample_workouts(today: date) -> list[Workout]:
    """Returns the workouts, newest first: two kinds of day in turn, each lift a little heavier every time."""
    dates = [today - timedelta(days=7 * week + day) for week in range(WEEKS) for day in _DAYS_BACK]
    return [_workout(day, number) for number, day in enumerate(dates)]


def load_sample(user: str, today: date) -> None:
    """Writes the workouts to the coach's table for a person; loaded again on the same day, nothing changes."""
    for workout in sample_workouts(today):
        save_workout(user, workout)


def _workout(day: date, number: int) -> Workout:
    times_ago, kind = divmod(number, 2)
    exercises = [exercise.done(times_ago) for exercise in (_DAY_B if kind else _DAY_A)]
    return Workout(id="sample", date=day, exercises=exercises)


def _half(kg: float) -> float:
    """Rounds to what plates of 0.25 kg a side can make up."""
    return round(2 * kg) / 2
