from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.sessions import change, meant, sessions_of
from coach.workouts import LoggedExercise, Set, Workout

MONDAY = date(2026, 11, 2)
BENCH = "Barbell Bench Press - Medium Grip"


def workout(day: date, *sets: tuple[float, int], name: str = BENCH, number: str = "1") -> Workout:
    done = [Set(weight_kg=kg, repetitions=times) for kg, times in sets]
    return Workout(id=number, date=day, exercises=[LoggedExercise(name=name, sets=done)])


def test_a_day_is_one_session_of_an_exercise_also_when_it_was_done_twice() -> None:
    # Given two workouts of one day
    done = [workout(MONDAY, (60, 10)), workout(MONDAY, (80, 5), (80, 4), number="2")]
    # When
    (session,) = sessions_of(done)
    # Then
    assert session.top_set == Set(weight_kg=80, repetitions=5)
    assert session.volume_kg == 60 * 10 + 80 * 5 + 80 * 4
    assert session.one_rep_max_kg == 93.3  # 80 x (1 + 5/30)


def test_sets_beyond_the_formulas_range_or_without_weight_give_no_estimate() -> None:
    (session,) = sessions_of([workout(MONDAY, (0, 8), (20, 13))])
    assert session.one_rep_max_kg is None
    assert session.volume_kg == 260


def test_an_exercise_without_sets_is_no_session() -> None:
    assert sessions_of([workout(MONDAY)]) == []


def test_the_newest_session_comes_first() -> None:
    days = [MONDAY, MONDAY + timedelta(days=7), MONDAY + timedelta(days=2)]
    assert [s.date for s in sessions_of([workout(day, (50, 5)) for day in days])] == sorted(days, reverse=True)


def test_the_exercise_that_was_asked_for_wins_over_its_variants() -> None:
    # Given a person who does the incline bench press more often than the flat one
    incline = "Barbell Incline Bench Press - Medium Grip"
    done = [workout(MONDAY + timedelta(days=n), (50, 5), name=incline) for n in range(1, 5)]
    done.append(workout(MONDAY, (80, 5)))
    # When
    exercises = meant("press banca", sessions_of(done))
    # Then
    assert [sessions[0].exercise for sessions in exercises] == [BENCH, incline]


def test_two_spellings_of_one_name_are_one_exercise() -> None:
    done = [
        workout(MONDAY, (80, 5), name="Press banca"),
        workout(MONDAY + timedelta(days=2), (82, 5), name="bench press"),
    ]
    assert [len(sessions) for sessions in meant("Bench Press", sessions_of(done))] == [2]


@pytest.mark.parametrize("wanted", ["dumbbell bench press", "leg press", "abductors", "", "con"])
def test_what_was_not_done_is_not_found(wanted: str) -> None:
    assert meant(wanted, sessions_of([workout(MONDAY, (80, 5))])) == []


def test_progress_is_the_best_of_the_period_against_the_last_session_before_it() -> None:
    # Given a better and a later session before the period, and the best of the period in its middle
    before = sessions_of([workout(MONDAY, (90, 1)), workout(MONDAY + timedelta(days=2), (80, 1))])
    within = sessions_of([workout(MONDAY + timedelta(days=7 + n), (kg, 1)) for n, kg in enumerate((82, 88, 84))])
    # When
    found = change(within, before)
    # Then
    assert found
    assert (found.start.one_rep_max_kg, found.best.one_rep_max_kg) == (80, 88)
    assert (found.kg, found.percent) == (8, pytest.approx(10))


def test_without_a_session_before_the_period_its_first_one_is_the_start() -> None:
    within = sessions_of([workout(MONDAY + timedelta(days=n), (kg, 1)) for n, kg in enumerate((80, 84))])
    found = change(within, [])
    assert found
    assert found.start.date == MONDAY
    assert found.kg == 4


def test_one_session_alone_is_no_progress() -> None:
    assert change(sessions_of([workout(MONDAY, (80, 5))]), []) is None
    assert change([], sessions_of([workout(MONDAY, (80, 5))])) is None


@given(st.lists(st.tuples(st.floats(0, 500), st.integers(1, 40)), min_size=1))
def test_a_session_adds_up_whatever_was_lifted(sets: list[tuple[float, int]]) -> None:
    (session,) = sessions_of([workout(MONDAY, *sets)])
    assert session.volume_kg == pytest.approx(sum(kg * times for kg, times in sets))
    assert session.top_set.weight_kg == max(kg for kg, _ in sets)
    assert session.one_rep_max_kg is None or session.one_rep_max_kg >= 0
