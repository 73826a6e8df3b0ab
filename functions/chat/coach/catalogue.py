"""The catalogue of exercises and how it is searched.

The exercises come from free-exercise-db, public domain; see `data/README.md`.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, NotRequired, TypedDict, cast, get_args

from coach.words import Words, distance, fold, hits, words_of

Muscle = Literal[
    "abdominals", "abductors", "adductors", "biceps", "calves", "chest", "forearms", "glutes", "hamstrings", "lats",
    "lower back", "middle back", "neck", "quadriceps", "shoulders", "traps", "triceps", "arms", "back", "legs",
]  # fmt: skip
Equipment = Literal[
    "bands", "barbell", "body only", "cable", "dumbbell", "e-z curl bar", "exercise ball", "foam roll", "kettlebells",
    "machine", "medicine ball", "other",
]  # fmt: skip
Level = Literal["beginner", "intermediate", "expert"]

GROUPS: dict[str, tuple[str, ...]] = {
    "arms": ("biceps", "triceps", "forearms"),
    "back": ("lats", "middle back", "lower back", "traps"),
    "legs": ("quadriceps", "hamstrings", "glutes", "calves", "adductors", "abductors"),
}
"""What people call several muscles at once."""

_FILE = Path(__file__).with_name("data") / "exercises.json"
_LEVELS = ("beginner", "intermediate", "expert")
_EQUIPMENT = ("barbell", "dumbbell", "body only", "machine", "cable")  # what a gym has, in the order people ask for it
_LIFTING = ("strength", "powerlifting", "olympic weightlifting")


class Exercise(TypedDict):
    """One exercise, as the catalogue has it."""

    name: str
    equipment: NotRequired[str]
    level: str
    category: str
    primary_muscles: list[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first; `complete` says whether all of it has every word that was asked for."""

    exercises: list[Exercise]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class _Indexed:
    """An exercise with the words it is found by."""

    exercise: Exercise
    folded: str
    name: Words
    about: Words


@cache
def exercises() -> list[Exercise]:
    """Returns all exercises, in the order of their source; the file is read once, when first asked for."""
    return cast("list[Exercise]", json.loads(_FILE.read_bytes()))


def find(
    query: str = "", *, muscle: Muscle | None = None, equipment: Equipment | None = None, level: Level | None = None
) -> Found:
    """Finds the exercises that have every word of the query and fit every filter, best first.

    A word may be in the name, the equipment, the level, the category or the primary muscles; a query that is a muscle
    and nothing else asks for that muscle. Where no exercise has all the words, those that have the most are found.
    """
    wanted = words_of(query)
    if muscle is None and wanted in _muscles():
        wanted, muscle = (), _muscles()[wanted]
    fitting = [item for item in _index() if _fits(item.exercise, muscle, equipment, level)]
    counts = [hits(wanted, item.name + item.about) for item in fitting]
    most = max(counts, default=0)
    if wanted and not most:
        return Found([])
    best = [item for item, count in zip(fitting, counts, strict=True) if count == most]
    asked = fold(query)
    best.sort(key=lambda item: (item.folded != asked, *_rank(wanted, item)))
    return Found([item.exercise for item in best], complete=most == len(wanted))


@cache
def _index() -> list[_Indexed]:
    return [
        _Indexed(exercise, fold(exercise["name"]), words_of(exercise["name"]), _about(exercise))
        for exercise in exercises()
    ]


@cache
def _muscles() -> dict[Words, Muscle]:
    return {words_of(muscle): muscle for muscle in get_args(Muscle)}


def _about(exercise: Exercise) -> Words:
    muscles = exercise["primary_muscles"]
    groups = [group for group, members in GROUPS.items() if not set(members).isdisjoint(muscles)]
    return words_of(
        " ".join([exercise.get("equipment", ""), exercise["level"], exercise["category"], *muscles, *groups])
    )


def _fits(exercise: Exercise, muscle: Muscle | None, equipment: Equipment | None, level: Level | None) -> bool:
    return (
        (muscle is None or not set(GROUPS.get(muscle, (muscle,))).isdisjoint(exercise["primary_muscles"]))
        and (equipment is None or exercise.get("equipment") == equipment)
        and (level is None or exercise["level"] == level)
    )


def _rank(wanted: Words, item: _Indexed) -> tuple[object, ...]:
    """Orders what was found: names of just those words, then names with them, then what most people mean by them.

    Nobody counted how popular an exercise is; a plain name, a basic piece of equipment and a low level come close.
    """
    exercise = item.exercise
    return (
        item.name != wanted,
        f" {' '.join(wanted)} " not in f" {' '.join(item.name)} ",
        exercise["category"] not in _LIFTING,
        distance(wanted, item.name),
        _place(_EQUIPMENT, exercise.get("equipment", "")),
        _LEVELS.index(exercise["level"]),
        len(exercise["name"]),
        exercise["name"],
    )


def _place(order: tuple[str, ...], value: str) -> int:
    return order.index(value) if value in order else len(order)
