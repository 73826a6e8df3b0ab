import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from coach import table
from coach.workouts import LoggedExercise, Set, Workout, save_workout
from local.sample import load_sample
from rondas.history import ToolResult

type Ask = Callable[..., ToolResult]
type SetClock = Callable[[str], None]

BENCH = "Barbell Bench Press - Medium Grip"


def log(day: str, kg: float, times: int = 1, *, name: str = BENCH, user: str = "ana") -> None:
    done = LoggedExercise(name=name, sets=[Set(weight_kg=kg, repetitions=times)])
    save_workout(user, Workout(id=name, date=date.fromisoformat(day), exercises=[done]))


def history(ask: Ask, **arguments: object) -> dict[str, Any]:
    result = ask("training_history", **arguments)
    assert result.outcome == "done", result.text
    return json.loads(result.text)


def test_a_session_is_one_line_and_an_exercise_another(ask: Ask) -> None:
    log("2026-11-27", 82.5, 5)
    assert history(ask) == {
        "today": "2026-11-30",
        "from": "2026-11-01",
        "to": "2026-11-30",
        "exercises": [
            {
                "exercise": BENCH,
                "sessions": 1,
                "last_date": "2026-11-27",
                "last_top_set": "82.5 kg x 5",
                "best_1rm_kg": 96.2,
            }
        ],
        "sessions": [
            {
                "date": "2026-11-27",
                "exercise": BENCH,
                "top_set": "82.5 kg x 5",
                "volume_kg": 412.5,
                "estimated_1rm_kg": 96.2,
            }
        ],
    }


@pytest.mark.parametrize("today", ["2026-12-01", "2026-12-31", "2028-02-29", "2027-01-01", "2026-06-15"])
@pytest.mark.parametrize("exercise", ["bench press", "press banca", BENCH])
def test_the_sample_shows_progress_on_the_bench_press_this_month(
    ask: Ask, set_clock: SetClock, today: str, exercise: str
) -> None:
    # Given
    load_sample("ana", date.fromisoformat(today))
    set_clock(today)
    # When
    answer = history(ask, exercise=exercise, period="this_month")
    # Then
    progress = answer["progress"]
    first = f"{today[:8]}01"
    assert (answer["today"], answer["from"], answer["to"]) == (today, first, today)
    assert progress["start_is"] == "last session before the period"
    assert progress["start_date"] < first <= progress["best_date"] == today
    assert progress["best_1rm_kg"] == 96.2  # 82.5 x (1 + 5/30) = 96.25
    assert progress["change_kg"] == pytest.approx(96.2 - progress["start_1rm_kg"])
    assert progress["change_kg"] > 0
    assert progress["change_percent"] == pytest.approx(100 * progress["change_kg"] / progress["start_1rm_kg"], abs=0.05)
    assert {session["exercise"] for session in answer["sessions"]} == {BENCH}


def test_loading_the_sample_again_changes_nothing(ask: Ask) -> None:
    today = date(2026, 11, 30)
    load_sample("ana", today)
    once = history(ask, period="all")
    load_sample("ana", today)
    assert history(ask, period="all") == once


def test_without_an_earlier_session_progress_starts_in_the_period(ask: Ask) -> None:
    log("2026-11-03", 80)
    log("2026-11-20", 84)
    assert history(ask, exercise="bench press")["progress"] == {
        "exercise": BENCH,
        "start_date": "2026-11-03",
        "start_1rm_kg": 80.0,
        "start_is": "first session of the period",
        "best_date": "2026-11-20",
        "best_1rm_kg": 84.0,
        "change_kg": 4.0,
        "change_percent": 5.0,
    }


def test_going_back_is_told_as_it_is(ask: Ask) -> None:
    log("2026-10-31", 100)
    log("2026-11-20", 90)
    progress = history(ask, exercise="bench press")["progress"]
    assert (progress["change_kg"], progress["change_percent"]) == (-10.0, -10.0)


def test_a_single_session_is_compared_with_nothing(ask: Ask) -> None:
    log("2026-11-20", 90)
    answer = history(ask, exercise="bench press")
    assert "progress" not in answer
    assert "nothing to compare" in answer["note"]


def test_an_exercise_without_weight_has_sessions_and_no_estimate(ask: Ask) -> None:
    log("2026-11-20", 0, 8, name="Pullups")
    log("2026-11-22", 0, 9, name="Pullups")
    answer = history(ask, exercise="dominadas")
    assert [line["top_set"] for line in answer["sessions"]] == ["0 kg x 9", "0 kg x 8"]
    assert "No progress" in answer["note"]


def test_an_exercise_of_earlier_months_is_known_and_said_to_be_absent(ask: Ask) -> None:
    log("2026-08-20", 90)
    answer = history(ask, exercise="bench press")
    assert answer["sessions"] == []
    assert answer["note"] == f"No session of {BENCH} in this period; the last one before it was on 2026-08-20."


def test_other_exercises_that_fit_are_named(ask: Ask) -> None:
    log("2026-11-20", 90)
    log("2026-11-21", 60, name="Dumbbell Incline Bench Press")
    answer = history(ask, exercise="bench press")
    assert {line["exercise"] for line in answer["sessions"]} == {BENCH}
    assert answer["also_matching"] == ["Dumbbell Incline Bench Press"]


def test_an_exercise_never_logged_is_a_mistake_that_names_what_was(ask: Ask) -> None:
    log("2026-11-20", 90)
    log("2026-05-20", 120, name="Barbell Squat")
    result = ask("training_history", exercise="leg press")
    assert result.outcome == "failed"
    assert "'leg press'" in result.text
    assert f"What is on record: {BENCH}, Barbell Squat." in result.text


def test_with_nothing_logged_it_says_so(ask: Ask) -> None:
    assert history(ask) == {
        "today": "2026-11-30",
        "from": "2026-11-01",
        "to": "2026-11-30",
        "note": "No workout is on record in this period.",
        "sessions": [],
    }
    assert "nor of any other exercise" in ask("training_history", exercise="squat").text


def test_of_more_than_thirty_sessions_the_newest_are_shown_and_all_are_summed_up(ask: Ask) -> None:
    # Given a session a day
    for number in range(40):
        log(str(date(2026, 11, 30) - timedelta(days=number)), 80 + (number == 20))
    # When
    answer = history(ask, exercise="bench press", period="last_90_days")
    # Then
    assert [answer["sessions"][n]["date"] for n in (0, 9)] == ["2026-11-30", "2026-11-21"]
    assert (len(answer["sessions"]), answer["left_out"]) == (10, 30)
    assert answer["summary"]["by"] == "week"
    weeks = answer["summary"]["spans"]
    assert weeks[0] == {"from": "2026-11-30", "days": 1, "volume_kg": 80.0, "best_1rm_kg": 80.0}
    assert weeks[3] == {"from": "2026-11-09", "days": 7, "volume_kg": 561.0, "best_1rm_kg": 81.0}
    assert sum(week["days"] for week in weeks) == 40


@pytest.mark.parametrize(("years", "by", "lines"), [(2, "month", 24), (12, "year", 12)])
def test_the_longer_the_history_the_longer_the_spans_it_is_summed_up_by(
    ask: Ask, set_clock: SetClock, years: int, by: str, lines: int
) -> None:
    # Given two sessions a month
    for year in range(2026 - years + 1, 2027):
        for month in range(1, 13):
            log(f"{year}-{month:02}-05", 80)
            log(f"{year}-{month:02}-20", 80, name="Barbell Squat")
    set_clock("2026-12-31")
    # When
    answer = history(ask, period="all")
    # Then
    assert (answer["summary"]["by"], len(answer["summary"]["spans"])) == (by, lines)
    assert "best_1rm_kg" not in answer["summary"]["spans"][0]
    assert len(answer["sessions"]) == 10
    assert "from" not in answer


def test_without_an_exercise_each_one_has_a_line_the_most_frequent_first(ask: Ask) -> None:
    # Given
    load_sample("ana", date(2026, 11, 30))
    log("2026-11-29", 20, 12, name="💪 mi ejercicio")
    # When
    answer = history(ask, period="last_90_days")
    # Then
    lines = {line["exercise"]: line for line in answer["exercises"]}
    assert len(lines) == 15
    assert lines[BENCH] == {
        "exercise": BENCH,
        "sessions": 15,
        "last_date": "2026-11-30",
        "last_top_set": "82.5 kg x 5",
        "best_1rm_kg": 96.2,
        "trend_kg_per_week": pytest.approx(0.88, abs=0.02),  # 0.5 kg x (1 + 5/30) every 4 or 5 days
    }
    assert list(lines)[-1] == "💪 mi ejercicio"
    assert "trend_kg_per_week" not in lines["Pullups"]
    assert len(json.dumps(answer)) < 8000


def test_the_trend_is_the_slope_through_all_sessions_not_from_first_to_last(ask: Ask) -> None:
    # Given a kilogram more each week, and a bad last day
    for week, kg in enumerate((80, 81, 82, 83, 84, 80)):
        log(str(date(2026, 10, 26) + timedelta(days=7 * week)), kg)
    # When
    answer = history(ask, exercise="bench press", period="last_90_days")
    # Then
    assert answer["trend"] == {"kg_per_week": pytest.approx(0.29, abs=0.005), "sessions": 6, "days": 35}
    assert "note" not in answer


@pytest.mark.parametrize("days", [(1, 8, 15), (1, 2, 3, 4, 5, 14)])
def test_too_few_sessions_or_too_close_together_have_no_trend_and_that_is_said(ask: Ask, days: tuple[int, ...]) -> None:
    for day in days:
        log(f"2026-11-{day:02}", 80 + day)
    answer = history(ask, exercise="bench press")
    assert "progress" in answer
    assert "trend" not in answer
    assert "it takes 4 sessions with an estimate, over 14 days" in answer["note"]


def test_the_last_month_ends_where_this_one_begins(ask: Ask) -> None:
    log("2026-10-01", 80)
    log("2026-10-31", 82)
    log("2026-11-01", 90)
    answer = history(ask, exercise="bench press", period="last_month")
    assert (answer["from"], answer["to"]) == ("2026-10-01", "2026-10-31")
    assert [line["date"] for line in answer["sessions"]] == ["2026-10-31", "2026-10-01"]
    assert answer["progress"]["best_1rm_kg"] == 82


def test_the_newest_notes_are_told_with_their_day_oldest_left_out(ask: Ask) -> None:
    for day in range(1, 9):
        exercises = [LoggedExercise(name=BENCH, sets=[Set(weight_kg=80, repetitions=5)])]
        note = f"note {day}" if day != 7 else None
        save_workout("ana", Workout(id="x", date=date(2026, 11, day), exercises=exercises, notes=note))
    notes = history(ask)["notes"]
    assert [note["text"] for note in notes] == ["note 8", "note 6", "note 5", "note 4", "note 3"]
    assert notes[0]["date"] == "2026-11-08"


@pytest.mark.parametrize(
    ("period", "count"),
    [
        ("this_week", 1),
        ("last_week", 1),
        ("last_month", 1),
        ("this_year", 4),
        ("last_365_days", 4),
        ("this_month", 2),
        ("last_30_days", 2),
        ("last_90_days", 3),
        ("all", 4),
    ],
)
def test_a_period_holds_its_days_and_no_others(ask: Ask, period: str, count: int) -> None:
    for day in ("2026-11-30", "2026-11-29", "2026-10-31", "2026-09-01"):
        log(day, 80)
    assert len(history(ask, period=period)["sessions"]) == count


def test_a_workout_of_a_day_that_has_begun_where_the_person_lives_counts(ask: Ask) -> None:
    log("2026-12-01", 80)
    assert len(history(ask)["sessions"]) == 1


def test_a_long_history_is_not_read_whole(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a workout a month for ten years
    for year in range(2016, 2026):
        for month in range(1, 13):
            log(f"{year}-{month:02}-10", 80)
    log("2026-11-10", 90)
    ranges: list[tuple[str, str]] = []
    read = table.read

    def recorded(user: str, first: str, last: str) -> Iterator[str]:
        ranges.append((first, last))
        return read(user, first, last)

    monkeypatch.setattr(table, "read", recorded)
    # When
    history(ask)
    answer = history(ask, exercise="bench press")
    # Then
    assert ranges == [("W#2026-11-01", "W#2026-12-01$"), ("W#2025-11-01", "W#2026-12-01$")]
    assert answer["progress"]["start_date"] == "2025-12-10"


def test_nobody_sees_the_history_of_another(ask: Ask) -> None:
    load_sample("ana", date(2026, 11, 30))
    assert history(ask, user="eva", period="all")["sessions"] == []
    result = ask("training_history", user="eva", exercise="bench press")
    assert BENCH not in result.text


def test_a_wrong_period_is_named_with_the_right_ones(ask: Ask) -> None:
    result = ask("training_history", period="yesterday")
    assert result.outcome == "failed"
    assert "period: Input should be 'this_week', 'last_week', 'this_month'" in result.text
