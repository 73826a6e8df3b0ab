"""The tool that searches the catalogue of exercises."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, get_args

from pydantic import BaseModel, BeforeValidator, Field

from coach.catalogue import Category, Equipment, Exercise, Force, Level, Mechanic, Muscle
from coach.search import Filters, Found, find
from coach.words import words_of
from rondas.tools import Arguments, tool

type Counts = dict[str, dict[str, int]]
"""How many exercises have each value of a field."""


def _in_own_words(choices: object) -> BeforeValidator:
    """Reads a choice in any language or spelling the coach knows; what it does not know is left to be refused."""
    known = {words_of(choice): choice for choice in get_args(choices)}

    def choice(value: object) -> object:
        return known.get(words_of(value), value) if isinstance(value, str) else value

    return BeforeValidator(choice)


def _one_or_many(value: object) -> object:
    """Takes a single choice for a list of one, as models often write it."""
    return [value] if isinstance(value, str) else value


class SearchArguments(Arguments):
    """What to look for; what is left out does not narrow the search."""

    query: str = Field("", max_length=100, description="Words of the exercise's name, English or Spanish.")
    muscles: Annotated[list[Annotated[Muscle, _in_own_words(Muscle)]], BeforeValidator(_one_or_many)] = Field(
        [], max_length=10, description="Main muscle worked, any of these; arms, back and legs stand for all of theirs."
    )
    equipment: Annotated[list[Annotated[Equipment, _in_own_words(Equipment)]], BeforeValidator(_one_or_many)] = Field(
        [], max_length=10, description="What it is done with, any of these; body only means without anything."
    )
    level: Annotated[Level | None, _in_own_words(Level)] = Field(None, description="How demanding the exercise is.")
    category: Annotated[Category | None, _in_own_words(Category)] = Field(None, description="What kind of training.")
    force: Annotated[Force | None, _in_own_words(Force)] = Field(
        None, description="Whether the muscles push, pull or hold still."
    )
    mechanic: Annotated[Mechanic | None, _in_own_words(Mechanic)] = Field(
        None, description="compound moves several joints, isolation one."
    )
    limit: int = Field(5, ge=1, le=20, description="How many exercises to return at most, 1 to 20.")


class FoundExercise(BaseModel):
    """One exercise of the catalogue."""

    name: str
    equipment: str | None
    level: str
    primary_muscles: list[str]


class FoundExercises(BaseModel):
    """The best fits, best first.

    `total` counts all that fit. Where more fit than are shown, `narrow_by` counts the values by which another search
    could narrow them; where none fits, `available` counts, for each filter, the values that fit all the others.
    """

    exercises: list[FoundExercise]
    total: int
    narrow_by: Counts | None
    available: Counts | None
    note: str | None


@tool(more="Ask for fewer, or narrow the search.")
def search_exercises(arguments: SearchArguments) -> FoundExercises:
    """Searches the catalogue of 873 exercises by words of the name, muscle, equipment, level and kind; all must fit.

    Use it to suggest exercises, to find an alternative for one, or to find the catalogue's name for one. It knows
    nothing of what the person has done: for that use training_history. Returns the best fits and how many there are;
    narrow_by tells how to narrow them, and where nothing fits available tells which values would.
    """
    filters = Filters(
        muscles=tuple(arguments.muscles),
        equipment=tuple(arguments.equipment),
        levels=(arguments.level,) if arguments.level else (),
        category=arguments.category,
        force=arguments.force,
        mechanic=arguments.mechanic,
    )
    found = find(arguments.query, filters)
    return FoundExercises(
        exercises=[_shown(exercise) for exercise in found.exercises[: arguments.limit]],
        total=len(found.exercises),
        narrow_by=_narrowing(found.exercises, filters) if len(found.exercises) > arguments.limit else None,
        available=None if found.exercises else _available(arguments.query, filters),
        note=_note(found),
    )


def _narrowing(exercises: Sequence[Exercise], filters: Filters) -> Counts | None:
    """Counts the values of the fields that are still open and tell the exercises apart."""
    open_fields = [field for field in ("muscles", "equipment", "levels") if not getattr(filters, field)]
    counts = {_name(field): _counted(exercises, field) for field in open_fields}
    return {field: values for field, values in counts.items() if len(values) > 1} or None


def _available(query: str, filters: Filters) -> Counts | None:
    """Counts the values that each filter could have instead; the muscles there are, if it was not for a filter."""
    empty = Filters()
    counts: Counts = {}
    for field in ("muscles", "equipment", "levels", "category", "force", "mechanic"):
        if value := getattr(filters, field):
            without = replace(filters, **{field: getattr(empty, field)})
            counts[_name(field)] = {
                other: count
                for other, count in _counted(find(query, without).exercises, field).items()
                if other not in value
            }
    useful = {field: values for field, values in counts.items() if values}
    return useful or {"muscles": _counted(find("", empty).exercises, "muscles")}


def _counted(exercises: Sequence[Exercise], field: str) -> dict[str, int]:
    """Counts the values of a field, the most frequent first."""
    counts: Counter[str] = Counter()
    for exercise in exercises:
        match field:
            case "muscles":
                counts.update(exercise["primary_muscles"])
            case "levels":
                counts[exercise["level"]] += 1
            case _:
                counts[str(exercise.get(field, ""))] += 1
    del counts[""]
    return dict(counts.most_common())


def _name(field: str) -> str:
    """Returns what the model calls a filter."""
    return "level" if field == "levels" else field


def _note(found: Found) -> str | None:
    notes: list[str] = []
    if found.read_as:
        notes.append(f"The query was read as {found.read_as!r}.")
    if not found.exercises:
        notes.append("No exercise fits all of it; available counts what there is.")
    elif not found.complete:
        notes.append("No exercise has every word of the query; these have some of them.")
    return " ".join(notes) or None


def _shown(exercise: Exercise) -> FoundExercise:
    return FoundExercise(
        name=exercise["name"],
        equipment=exercise.get("equipment"),
        level=exercise["level"],
        primary_muscles=exercise["primary_muscles"],
    )
