"""The tool that searches the catalogue of exercises."""

from typing import Annotated, get_args

from pydantic import BaseModel, BeforeValidator, Field

from coach.catalogue import Equipment, Exercise, Level, Muscle, find
from coach.words import words_of
from rondas.tools import Arguments, tool


def _in_own_words(choices: object) -> BeforeValidator:
    """Reads a choice in any language or spelling the coach knows; what it does not know is left to be refused."""
    known = {words_of(choice): choice for choice in get_args(choices)}
    return BeforeValidator(lambda value: known.get(words_of(value), value) if isinstance(value, str) else value)


class SearchArguments(Arguments):
    """What to look for; what is left out does not narrow the search."""

    query: str = Field("", max_length=100, description="Words of the exercise's name, English or Spanish.")
    muscle: Annotated[Muscle | None, _in_own_words(Muscle)] = Field(
        None, description="Main muscle the exercise works; arms, back and legs stand for all muscles of theirs."
    )
    equipment: Annotated[Equipment | None, _in_own_words(Equipment)] = Field(
        None, description="What the exercise is done with; body only means without anything."
    )
    level: Annotated[Level | None, _in_own_words(Level)] = Field(None, description="How demanding the exercise is.")
    limit: int = Field(5, ge=1, le=20, description="How many exercises to return at most, 1 to 20.")


class FoundExercise(BaseModel):
    """One exercise of the catalogue."""

    name: str
    equipment: str | None
    level: str
    primary_muscles: list[str]


class FoundExercises(BaseModel):
    """The best fits, best first; `total` counts all that fit."""

    exercises: list[FoundExercise]
    total: int
    note: str | None


@tool
def search_exercises(arguments: SearchArguments) -> FoundExercises:
    """Searches the catalogue of 873 exercises by words of the name, muscle, equipment and level; all of them must fit.

    Use it to suggest exercises, to find an alternative for one, or to find the catalogue's name for one. It knows
    nothing of what the person has done: for that use training_history.
    """
    found = find(arguments.query, muscle=arguments.muscle, equipment=arguments.equipment, level=arguments.level)
    return FoundExercises(
        exercises=[_shown(exercise) for exercise in found.exercises[: arguments.limit]],
        total=len(found.exercises),
        note=None if found.complete else "No exercise has every word of the query; these have some of them.",
    )


def _shown(exercise: Exercise) -> FoundExercise:
    return FoundExercise(
        name=exercise["name"],
        equipment=exercise.get("equipment"),
        level=exercise["level"],
        primary_muscles=exercise["primary_muscles"],
    )
