import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach import TOOLS
from coach.catalogue import GROUPS, Category, Equipment, Force, Level, Mechanic, Muscle, exercises, named
from coach.search import find
from coach.staples import STAPLES
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
    assert {exercise["category"] for exercise in exercises()} == set(Category.__args__)
    assert {exercise.get("force") for exercise in exercises()} - {None} == set(Force.__args__)
    assert {exercise.get("mechanic") for exercise in exercises()} - {None} == set(Mechanic.__args__)


def test_the_staples_are_exercises_of_the_catalogue() -> None:
    assert {exercise["name"] for exercise in exercises()} >= STAPLES


@pytest.mark.parametrize(
    ("name", "exercise"),
    [
        ("press banca", "Barbell Bench Press - Medium Grip"),
        ("peso muerto con barra", "Barbell Deadlift"),
        ("DOMINADAS", "Pullups"),
        ("dumbbell bench press", "Dumbbell Bench Press"),
        ("fondos", None),  # of which kind?
        ("press", None),
        ("", None),
        ("💪🏋️", None),
    ],
)
def test_a_name_stands_for_one_exercise_or_for_none(name: str, exercise: str | None) -> None:
    found = named(name)
    assert (found["name"] if found else None) == exercise


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
        ("ejercicios de pecho con mancuernas para principiantes", "Dumbbell Flyes"),
        ("press de banca inclinado con mancuernas", "Incline Dumbbell Press"),
        ("glúteo", "Barbell Hip Thrust"),
        ("sin material", "Plank"),
        ("curl martillo", "Hammer Curls"),
        ("paseo del granjero", "Farmer's Walk"),
    ],
)
def test_the_exercise_most_people_mean_comes_first(query: str, first: str) -> None:
    assert names(query=query)[0] == first


def test_an_exercise_is_found_first_by_its_own_name_in_any_case() -> None:
    names = [exercise["name"] for exercise in exercises()[::3]]
    assert [name for name in names if fold(find(name.upper()).exercises[0]["name"]) != fold(name)] == []


@pytest.mark.parametrize("muscle", ["chest", "Pecho", "pectorales", "PECTORAL"])
def test_a_muscle_may_be_named_in_spanish_as_filter_and_as_query(muscle: str) -> None:
    for answer in (
        found(muscles=muscle),
        found(muscles=[muscle]),
        found(query=muscle),
        found(query=f"ejercicios de {muscle}"),
    ):
        assert answer["total"] == 84
        assert all(exercise["primary_muscles"] == ["chest"] for exercise in answer["exercises"])


def test_back_stands_for_all_muscles_of_the_back() -> None:
    answer = found(muscles="espalda", limit=20)
    assert answer["total"] == found(query="back")["total"] == 114
    assert {muscle for e in answer["exercises"] for muscle in e["primary_muscles"]} <= set(GROUPS["back"])


def test_all_filters_must_fit() -> None:
    answer = found(query="press", muscles="pecho", equipment="mancuernas", level="principiante", limit=20)
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


@pytest.mark.parametrize(
    ("query", "muscles", "others"),
    [
        ("pecho con mancuernas para principiantes", ["chest"], {"equipment": "dumbbell", "level": "beginner"}),
        ("dorsales", ["lats"], {}),
        ("glúteos sin material", ["glutes"], {"equipment": "body only"}),
        ("femorales en máquina", ["hamstrings"], {"equipment": "machine"}),
        ("biceps y triceps", ["biceps", "triceps"], {}),
        ("pecho con barra o mancuernas", ["chest"], {"equipment": ["barbell", "dumbbell"]}),
        ("estiramientos de isquios", ["hamstrings"], {"category": "stretching"}),
        ("empuje de hombro", ["shoulders"], {"force": "push"}),
        ("aislamiento de tríceps", ["triceps"], {"mechanic": "isolation"}),
        ("ejercicios básicos de pierna avanzados", ["legs"], {"mechanic": "compound", "level": "expert"}),
    ],
)  # fmt: skip
def test_words_that_say_what_an_exercise_is_are_the_same_as_filters(
    query: str, muscles: list[str], others: dict[str, Any]
) -> None:
    by_words, by_filters = found(query=query, limit=20), found(muscles=muscles, **others, limit=20)
    assert by_words["total"] > 0
    assert by_words["exercises"] == by_filters["exercises"]


def test_a_filter_that_was_given_stands_against_a_word_of_the_query() -> None:
    answer = found(query="mancuernas", equipment="barra", limit=20)
    assert {exercise["equipment"] for exercise in answer["exercises"]} == {"barbell"}


@pytest.mark.parametrize(
    ("query", "right"),
    [
        ("bech press", "bench press"),
        ("sentadila", "sentadilla"),
        ("dominads", "dominadas"),
        ("hip trust", "hip thrust"),
    ],
)
def test_a_misspelled_word_is_put_right_and_that_is_said(query: str, right: str) -> None:
    answer = found(query=query, limit=20)
    assert answer["exercises"] == found(query=right, limit=20)["exercises"]
    assert f"read as {fold(right)!r}" in answer["note"]


@pytest.mark.parametrize("query", ["incl dumb", "zottm", "extens tricep", "dips", "press", "ñandú"])
def test_the_beginning_of_a_word_a_short_word_or_a_foreign_one_is_not_misspelled(query: str) -> None:
    assert find(query).read_as is None


def test_a_word_nobody_knows_leaves_the_others_and_says_so() -> None:
    answer = found(query="xyzzy press")
    assert answer["exercises"]
    assert "some of them" in answer["note"]


def test_where_there_are_more_the_values_that_narrow_them_are_counted() -> None:
    # Given
    answer = found(muscles="pecho")
    narrow_by = answer["narrow_by"]
    # Then
    assert set(narrow_by) == {"equipment", "level"}
    assert sum(narrow_by["level"].values()) == answer["total"] == 84
    equipment, count = next(iter(narrow_by["equipment"].items()))
    assert found(muscles="pecho", equipment=equipment)["total"] == count
    # And where all are shown there is nothing to narrow
    assert "narrow_by" not in found(query="hip thrust")


def test_where_nothing_fits_it_counts_the_values_that_would() -> None:
    # Given
    answer = found(muscles="neck", equipment="cable")
    assert (answer["exercises"], answer["total"]) == ([], 0)
    # When
    available = answer["available"]
    # Then
    assert set(available) == {"muscles", "equipment"}
    for equipment, count in available["equipment"].items():
        assert found(muscles="neck", equipment=equipment)["total"] == count


def test_a_query_that_finds_nothing_is_answered_with_the_muscles_there_are() -> None:
    answer = found(query="xyzzy")
    assert (answer["exercises"], answer["total"]) == ([], 0)
    assert set(answer["available"]["muscles"]) == set(Muscle.__args__) - set(GROUPS)


@pytest.mark.parametrize("query", ["💪", "' OR 1=1 --", "卧推", "ñ" * 100, "-", "a"])
def test_a_strange_query_is_answered(query: str) -> None:
    assert ask(query=query).outcome == "done"


@given(st.text(max_size=100))
def test_any_query_finds_exercises_of_the_catalogue(query: str) -> None:
    result = find(query)
    assert len({exercise["name"] for exercise in result.exercises}) == len(result.exercises) <= 873


def test_without_arguments_something_sensible_is_shown() -> None:
    assert found()["total"] == 873


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"muscles": "wings"}, "muscles.0: Input should be 'abdominals', 'abductors'"),
        ({"equipment": [3]}, "equipment.0: Input should be 'bands', 'barbell'"),
        ({"equipment": 3}, "equipment: Input should be a valid list"),
        ({"force": "jedi"}, "force: Input should be 'push', 'pull' or 'static'"),
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
