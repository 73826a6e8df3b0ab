import json
from collections.abc import Callable
from typing import Any

import pytest

from coach import table
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
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
