"""The catalogue of exercises, and what can be asked of one.

The exercises come from free-exercise-db, public domain; see `data/README.md`.
"""

import json
from functools import cache
from pathlib import Path
from typing import Literal, NotRequired, TypedDict, cast

from coach.words import Words, words_of

Muscle = Literal[
    "abdominals", "abductors", "adductors", "biceps", "calves", "chest", "forearms", "glutes", "hamstrings", "lats",
    "lower back", "middle back", "neck", "quadriceps", "shoulders", "traps", "triceps", "arms", "back", "legs",
]  # fmt: skip
Equipment = Literal[
    "bands", "barbell", "body only", "cable", "dumbbell", "e-z curl bar", "exercise ball", "foam roll", "kettlebells",
    "machine", "medicine ball", "other",
]  # fmt: skip
Level = Literal["beginner", "intermediate", "expert"]
Category = Literal[
    "strength", "stretching", "plyometrics", "powerlifting", "olympic weightlifting", "strongman", "cardio"
]
Force = Literal["push", "pull", "static"]
Mechanic = Literal["compound", "isolation"]

GROUPS: dict[str, tuple[str, ...]] = {
    "arms": ("biceps", "triceps", "forearms"),
    "back": ("lats", "middle back", "lower back", "traps"),
    "legs": ("quadriceps", "hamstrings", "glutes", "calves", "adductors", "abductors"),
}
"""What people call several muscles at once."""

_FILE = Path(__file__).with_name("data") / "exercises.json"
_UNSAID = "barbell"  # what an exercise is done with where its name does not say it: `squat` is `Barbell Squat`


class Exercise(TypedDict):
    """One exercise, as the catalogue has it."""

    name: str
    equipment: NotRequired[str]
    level: str
    category: str
    force: NotRequired[str]
    mechanic: NotRequired[str]
    primary_muscles: list[str]


@cache
def exercises() -> list[Exercise]:
    """Returns all exercises, in the order of their source; the file is read once, when first asked for."""
    return cast("list[Exercise]", json.loads(_FILE.read_bytes()))


def named(name: str) -> Exercise | None:
    """Returns the exercise that a name stands for, in any language and spelling: `sentadilla` is `Barbell Squat`.

    Nothing that is only similar: a name that says more or less than the catalogue's is none of it.
    """
    return _by_words().get(frozenset(words_of(name)))


@cache
def _by_words() -> dict[frozenset[str], Exercise]:
    full: dict[frozenset[str], Exercise] = {}
    short: dict[frozenset[str], Exercise] = {}
    for exercise in exercises():
        words: Words = words_of(exercise["name"])
        full.setdefault(frozenset(words), exercise)
        if exercise.get("equipment") == _UNSAID:
            short.setdefault(frozenset(words) - {_UNSAID}, exercise)
    return short | full
