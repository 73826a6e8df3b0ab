import json
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from coach import table
from coach.workouts import LoggedExercise, Set, Workout, save_workout
from rondas.history import ToolResult

type Ask = Callable[..., ToolResult]

BENCH: dict[str, Any] = {"exercise": "Bench press", "target_weight_kg": 100}


def goals(ask: Ask, user: str = "ana") -> dict[str, Any]:
    return json.loads(ask("read_goals", user=user).text)


def test_a_goal_is_saved_and_read_back(ask: Ask) -> None:
    # When
    saved = ask("save_goal", **BENCH, repetitions=5, by="2027-03-01")
    # Then
    goal = {**BENCH, "repetitions": 5, "by": "2027-03-01", "saved_on": "2026-11-30"}
    assert (saved.outcome, json.loads(saved.text)) == ("done", goal)
    assert goals(ask) == {"goals": [goal], "total": 1}


def test_no_goal_is_an_answer(ask: Ask) -> None:
    assert goals(ask) == {"goals": [], "total": 0}


def test_a_call_that_runs_again_saves_nothing_again(ask: Ask, set_clock: Callable[[str], None]) -> None:
    # Given
    first = ask("save_goal", **BENCH, by="2026-11-30")
    # When the run is resumed after midnight, when the day of the goal has passed
    set_clock("2026-12-01")
    again = ask("save_goal", **BENCH, by="2026-11-30")
    # Then
    assert again == first
    assert len(list(table.read("ana", "G#", "G$"))) == 1


def test_two_calls_save_two_goals_the_last_one_first(ask: Ask, set_clock: Callable[[str], None]) -> None:
    ask("save_goal", **BENCH, key="c1/7/call_1")
    set_clock("2026-11-30T12:01")
    ask("save_goal", exercise="Sentadilla", target_weight_kg=140, key="c1/7/call_2")
    assert [goal["exercise"] for goal in goals(ask)["goals"]] == ["Sentadilla", "Bench press"]


def test_a_later_goal_takes_the_place_of_the_earlier_one(ask: Ask, set_clock: Callable[[str], None]) -> None:
    # Given
    ask("save_goal", **BENCH, key="c1/7/call_1")
    # When
    set_clock("2026-12-01")
    ask("save_goal", exercise="press banca", target_weight_kg=105, key="c1/9/call_1")
    # Then
    assert [goal["target_weight_kg"] for goal in goals(ask)["goals"]] == [105]


def test_more_goals_than_are_shown_are_counted(ask: Ask) -> None:
    for number in range(22):
        ask("save_goal", exercise=f"Lift {number}", target_weight_kg=50, key=f"c1/{number}/call_1")
    answer = goals(ask)
    assert (len(answer["goals"]), answer["total"], answer["left_out"]) == (20, 22, 2)


def test_nobody_sees_the_goals_of_another(ask: Ask) -> None:
    ask("save_goal", **BENCH, user="ana")
    assert goals(ask, user="eva") == {"goals": [], "total": 0}
    # The same key in another's hands is another goal
    ask("save_goal", exercise="Squat", target_weight_kg=60, user="eva")
    assert goals(ask, user="eva")["total"] == goals(ask, user="ana")["total"] == 1


def lift(day: str, *sets: tuple[float, int], name: str = "Barbell Bench Press - Medium Grip") -> None:
    done = LoggedExercise(name=name, sets=[Set(weight_kg=kg, repetitions=times) for kg, times in sets])
    save_workout("ana", Workout(id=name, date=date.fromisoformat(day), exercises=[done]))


def test_each_goal_is_read_with_how_far_the_person_is_from_it(ask: Ask) -> None:
    # Given
    ask("save_goal", exercise="press banca", target_weight_kg=100, repetitions=5)
    lift("2026-08-01", (110, 1))  # longer ago than what says something about now
    lift("2026-11-02", (90, 5))
    lift("2026-11-30", (87.5, 5))
    # When
    (goal,) = goals(ask)["goals"]
    # Then
    assert goal["progress"] == {
        "exercise": "Barbell Bench Press - Medium Grip",
        "best_1rm_kg": 105.0,
        "best_date": "2026-11-02",
        "needed_1rm_kg": 116.7,
        "percent": 90.0,
    }


def test_a_goal_is_reached_by_a_set_after_it_was_saved_with_its_weight_and_repetitions(
    ask: Ask, set_clock: Callable[[str], None]
) -> None:
    # Given
    lift("2026-11-20", (100, 5))  # before the goal
    ask("save_goal", exercise="bench press", target_weight_kg=100, repetitions=5, key="c1/1/a")
    ask("save_goal", exercise="dominadas", target_weight_kg=0, repetitions=15, key="c1/2/a")
    lift("2026-12-02", (110, 4), (99, 6))  # one has the weight, the other the repetitions
    lift("2026-12-03", (0, 14), name="Pullups")
    set_clock("2026-12-10")
    assert all("reached_on" not in goal["progress"] for goal in goals(ask)["goals"])
    # When
    lift("2026-12-05", (120, 1), (100, 6))
    lift("2026-12-06", (0, 15), name="Pullups")
    # Then
    bench, pullups = goals(ask)["goals"]
    assert (bench["progress"]["reached_on"], pullups["progress"]["reached_on"]) == ("2026-12-05", "2026-12-06")
    assert "needed_1rm_kg" not in pullups["progress"]


def test_a_goal_in_pounds_is_kept_exactly_and_shown_rounded(ask: Ask) -> None:
    saved = json.loads(ask("save_goal", exercise="Squat", target_weight_lb=315).text)
    assert saved["target_weight_kg"] == 142.88
    assert json.loads(next(iter(table.read("ana", "G#", "G$"))))["target_weight_kg"] == 315 * 0.45359237


def close(ask: Ask, **arguments: Any) -> ToolResult:
    return ask("close_goal", **({"key": "c1/9/close"} | arguments))


def test_a_goal_that_was_closed_holds_no_longer_and_can_be_set_again(
    ask: Ask, set_clock: Callable[[str], None]
) -> None:
    # Given
    ask("save_goal", **BENCH, key="c1/1/a")
    ask("save_goal", exercise="Squat", target_weight_kg=140, key="c1/2/a")
    # When
    set_clock("2026-12-01")
    closed = close(ask, exercise="press banca", outcome="achieved")
    # Then
    assert json.loads(closed.text) == {**BENCH, "repetitions": 1, "outcome": "achieved"}
    assert [goal["exercise"] for goal in goals(ask)["goals"]] == ["Squat"]
    # And when
    set_clock("2026-12-02")
    ask("save_goal", **(BENCH | {"target_weight_kg": 110}), key="c1/11/a")
    assert [goal["target_weight_kg"] for goal in goals(ask)["goals"]] == [110, 140]


def test_a_closing_call_that_runs_again_closes_nothing_again(ask: Ask, set_clock: Callable[[str], None]) -> None:
    # Given a goal that was closed
    ask("save_goal", **BENCH, key="c1/1/a")
    set_clock("2026-12-01")
    first = close(ask, exercise="Bench press", outcome="dropped")
    assert close(ask, exercise="Bench press", outcome="dropped") == first
    # And set again before the run was resumed once more
    set_clock("2026-12-02")
    ask("save_goal", **BENCH, key="c1/11/a")
    # When
    again = close(ask, exercise="Bench press", outcome="dropped")
    # Then
    assert again == first
    assert goals(ask)["total"] == 1


def test_a_goal_that_is_not_there_cannot_be_closed_and_those_that_are_are_named(ask: Ask) -> None:
    ask("save_goal", **BENCH, repetitions=5)
    result = close(ask, exercise="Bench press", outcome="achieved")
    assert result.outcome == "failed"
    assert "no goal holds for 'Bench press' x 1. The goals that hold: Bench press (100 kg x 5)." in result.text
    assert goals(ask)["total"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"target_weight_lb": 220}, "give target_weight_kg or target_weight_lb, one of the two"),
        ({"exercise": "🏆"}, "names no exercise"),
        ({"target_weight_kg": 1e9}, "target_weight_kg: Input should be less than or equal to 1000"),
        ({"by": "2026-11-29"}, "by: 2026-11-29 is in the past; expected 2026-11-30 (today) or later"),
        ({"by": "next spring"}, "by: Input should be a valid date"),
        ({"target_weight_kg": -5}, "target_weight_kg: Input should be greater than or equal to 0"),
        ({"exercise": "  "}, "exercise: String should have at least 1 character"),
        ({"exercise": "\ud800"}, "exercise: Input should be a valid string"),
        ({"repetitions": 2.5}, "repetitions: Input should be a valid integer"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_saved(ask: Ask, arguments: dict[str, Any], said: str) -> None:
    result = ask("save_goal", **(BENCH | arguments))
    assert result.outcome == "failed"
    assert said in result.text
    assert goals(ask)["total"] == 0
