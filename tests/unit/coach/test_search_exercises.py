import json
from typing import Any

import pytest

from coach import TOOLS
from coach.catalogue import GROUPS, Equipment, Level, Muscle, exercises, find
from coach.words import fold
from rondas.history import ToolCall, ToolResult
from rondas.toolbox import Toolbox


def ask(**arguments: object) -> ToolResult:
    call = ToolCall("call", "search_exercises", json.dumps(arguments))
    return Toolbox(TOOLS).for_user("ana").run(call, key="c/1/call", seconds=5)


def found(**arguments: object) -> dict[str, Any]:
    result = ask(**arguments)
    assert result.outcome == "done", result.text
    return json.loads(result.text)


def names(**arguments: object) -> list[str]:
    return [exercise["name"] for exercise in found(**arguments)["exercises"]]


def test_the_whole_catalogue_is_there_and_says_only_what_the_filters_know() -> None:
    assert len(exercises()) == 873
    assert len({exercise["name"] for exercise in exercises()}) == 873
    muscles = {muscle for exercise in exercises() for muscle in exercise["primary_muscles"]}
    assert muscles | set(GROUPS) == set(Muscle.__args__)
    assert {exercise["level"] for exercise in exercises()} == set(Level.__args__)
    assert {exercise.get("equipment") for exercise in exercises()} - {None} == set(Equipment.__args__)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("bench press", "Barbell Bench Press - Medium Grip"),
        ("Press banca", "Barbell Bench Press - Medium Grip"),
        ("sentadilla", "Barbell Squat"),
        ("PESO MUERTO", "Barbell Deadlift"),
        ("peso muerto rumano", "Romanian Deadlift"),
        ("dominadas", "Pullups"),
        ("pull-up", "Pullups"),
        ("flexiones", "Pushups"),
        ("prensa de piernas", "Leg Press"),
        ("hip thrust", "Barbell Hip Thrust"),
        ("curl de bíceps con mancuernas", "Dumbbell Bicep Curl"),
        ("press militar de pie", "Standing Military Press"),
        ("Leg Extensions", "Leg Extensions"),
    ],
)
def test_the_exercise_most_people_mean_comes_first(query: str, first: str) -> None:
    assert names(query=query)[0] == first


def test_an_exercise_is_found_first_by_its_own_name_in_any_case() -> None:
    names = [exercise["name"] for exercise in exercises()[::3]]
    assert [name for name in names if fold(find(name.upper()).exercises[0]["name"]) != fold(name)] == []


@pytest.mark.parametrize("muscle", ["chest", "Pecho", "pectorales", "PECTORAL"])
def test_a_muscle_may_be_named_in_spanish_as_filter_and_as_query(muscle: str) -> None:
    for answer in (found(muscle=muscle), found(query=muscle), found(query=f"ejercicios de {muscle}")):
        assert answer["total"] == 84
        assert all(exercise["primary_muscles"] == ["chest"] for exercise in answer["exercises"])


def test_back_stands_for_all_muscles_of_the_back() -> None:
    answer = found(muscle="espalda", limit=20)
    assert answer["total"] == found(query="back")["total"] == 114
    assert {muscle for e in answer["exercises"] for muscle in e["primary_muscles"]} <= set(GROUPS["back"])


def test_all_filters_must_fit() -> None:
    answer = found(query="press", muscle="pecho", equipment="mancuernas", level="principiante", limit=20)
    assert 0 < answer["total"] < 20
    for exercise in answer["exercises"]:
        assert "Press" in exercise["name"]
        assert (exercise["primary_muscles"], exercise["equipment"], exercise["level"]) == (
            ["chest"],
            "dumbbell",
            "beginner",
        )


def test_five_are_shown_and_all_are_counted() -> None:
    answer = found(query="squat")
    assert len(answer["exercises"]) == 5
    assert answer["total"] == 56
    assert "note" not in answer


def test_only_what_the_model_needs_is_shown() -> None:
    assert found(query="bench press", limit=1)["exercises"] == [
        {
            "name": "Barbell Bench Press - Medium Grip",
            "equipment": "barbell",
            "level": "beginner",
            "primary_muscles": ["chest"],
        }
    ]


def test_a_word_nobody_knows_leaves_the_others_and_says_so() -> None:
    answer = found(query="bech press")
    assert answer["exercises"]
    assert "some of them" in answer["note"]


def test_nothing_found_is_an_answer() -> None:
    assert found(query="xyzzy") == {"exercises": [], "total": 0}


def test_without_arguments_something_sensible_is_shown() -> None:
    assert found()["total"] == 873


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"muscle": "wings"}, "muscle: Input should be 'abdominals', 'abductors'"),
        ({"equipment": 3}, "equipment: Input should be 'bands', 'barbell'"),
        ({"level": "god"}, "level: Input should be 'beginner', 'intermediate' or 'expert'"),
        ({"limit": 0}, "limit: Input should be greater than or equal to 1"),
        ({"limit": 21}, "limit: Input should be less than or equal to 20"),
        ({"name": "squat"}, "name: Extra inputs are not permitted"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_expected(arguments: dict[str, object], said: str) -> None:
    result = ask(**arguments)
    assert result.outcome == "failed"
    assert said in result.text
