from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from coach.catalogue import exercises
from coach.periods import days_of
from coach.sessions import change, meant, sessions_of
from local.demo_exercises import EXERCISES
from local.sample import sample_workouts

DAYS = st.dates(date(2000, 1, 1), date(2100, 12, 31))


def test_a_sample_is_ten_weeks_of_three_workouts_with_exercises_of_the_catalogue() -> None:
    workouts = sample_workouts(date(2026, 11, 30))
    assert len({workout.date for workout in workouts}) == 30
    assert {e.name for workout in workouts for e in workout.exercises} <= {e["name"] for e in exercises()}


@given(DAYS)
def test_on_any_day_there_is_a_session_today_and_another_in_the_last_days(today: date) -> None:
    newest, second = (workout.date for workout in sample_workouts(today)[:2])
    assert newest == today
    assert today - second <= timedelta(days=3)


@given(DAYS)
def test_on_any_day_there_are_sessions_of_every_exercise_the_demo_asks_for(today: date) -> None:
    # Given
    sessions = sessions_of(sample_workouts(today))
    for exercise in EXERCISES:
        # When
        own = meant(exercise, sessions)[0]
        # Then
        assert len(own) == 15, exercise
        assert today - own[0].date <= timedelta(days=3)


@given(DAYS)
def test_on_any_day_the_bench_press_has_progressed_this_month(today: date) -> None:
    # Given
    first, _ = days_of("this_month", today)
    assert first
    sessions = meant("press banca", sessions_of(sample_workouts(today)))[0]
    # When
    found = change([s for s in sessions if s.date >= first], [s for s in sessions if s.date < first])
    # Then
    assert found
    assert found.kg > 0
    assert found.start.date < first <= found.best.date == today
