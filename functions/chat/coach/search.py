"""How the catalogue is searched: what a query means, what fits, and what comes first."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, get_args

from coach.catalogue import (
    GROUPS,
    Category,
    Equipment,
    Exercise,
    Force,
    Level,
    Mechanic,
    Muscle,
    exercises,
)
from coach.spelling import corrected
from coach.staples import STAPLES
from coach.vocabulary import SAME
from coach.words import Words, distance, fold, hits, phrases_in, words_of

_LEVELS = ("beginner", "intermediate", "expert")
_EQUIPMENT = ("barbell", "dumbbell", "body only", "machine", "cable")  # what a gym has, in the order people ask for it
_LIFTING = ("strength", "powerlifting", "olympic weightlifting")


@dataclass(frozen=True, slots=True)
class Filters:
    """What an exercise must be; of several muscles, pieces of equipment or levels any one will do."""

    muscles: tuple[Muscle, ...] = ()
    equipment: tuple[Equipment, ...] = ()
    levels: tuple[Level, ...] = ()
    category: Category | None = None
    force: Force | None = None
    mechanic: Mechanic | None = None

    def fit(self, exercise: Exercise) -> bool:
        """Whether an exercise is all that."""
        muscles = {member for muscle in self.muscles for member in GROUPS.get(muscle, (muscle,))}
        return (
            (not muscles or not muscles.isdisjoint(exercise["primary_muscles"]))
            and (not self.equipment or exercise.get("equipment") in self.equipment)
            and (not self.levels or exercise["level"] in self.levels)
            and self.category in {None, exercise["category"]}
            and self.force in {None, exercise.get("force")}
            and self.mechanic in {None, exercise.get("mechanic")}
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first.

    Attributes:
        exercises: all that fit.
        complete: whether each of them has every word that was asked for.
        read_as: the query with its misspelled words put right; None where nothing was put right.
    """

    exercises: list[Exercise]
    complete: bool = True
    read_as: str | None = None


@dataclass(frozen=True, slots=True)
class _Indexed:
    """An exercise with the words it is found by."""

    exercise: Exercise
    folded: str
    name: Words
    about: Words


def find(query: str = "", filters: Filters | None = None) -> Found:
    """Finds the exercises that have every word of the query and fit every filter, best first.

    A word may be in the name, or say what the exercise is (muscle, equipment, level, category, force, mechanic). What
    in a query names equipment or a level filters by it, as long as something is left; several muscles are any of them.
    Where no exercise has all the words, those that have the most are found.
    """
    read_as = corrected(query, catalogue=_catalogue_words(), vocabulary=_vocabulary_words())
    asked, wanted = fold(read_as or query), words_of(read_as or query)
    reading = _read(asked, wanted, filters or Filters())
    found = sorted(reading.found, key=lambda item: (item.folded != asked, *_rank(reading.words, item)))
    return Found([item.exercise for item in found], reading.complete, read_as)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to understand a query: the words an exercise should have, and what was found by them."""

    words: Words
    found: list[_Indexed]
    complete: bool


def _read(asked: str, wanted: Words, filters: Filters) -> _Reading:
    """Returns the first way to read the query in which something has all its words; else what has the most."""
    as_words = _with_most(wanted, filters)
    if as_words.complete and any(item.folded == asked for item in as_words.found):
        return as_words  # a name of the catalogue, whatever its words could mean besides
    rest, narrower = _as_filters(wanted, filters)
    as_filters = _with_most(rest, narrower)
    return as_filters if as_filters.complete and as_filters.found else as_words


def _with_most(words: Words, filters: Filters) -> _Reading:
    """Finds the exercises that fit and have the most of the words; none where none has any."""
    fitting = [item for item in _index() if filters.fit(item.exercise)]
    counts = [hits(words, item.name + item.about) for item in fitting]
    most = max(counts, default=0)
    if words and not most:
        return _Reading(words, [], complete=False)
    best = [item for item, count in zip(fitting, counts, strict=True) if count == most]
    return _Reading(words, best, complete=most == len(words))


def _as_filters(wanted: Words, filters: Filters) -> tuple[Words, Filters]:
    """Reads as filters what words can only mean: equipment and level; and all of them where no word is left then.

    The others are also parts of names: a leg press, a push-up. Several muscles are any of them: no exercise works
    biceps and triceps as its main muscle. A filter that was given stands.
    """
    rest, equipment = phrases_in(wanted, _choices(Equipment))
    rest, levels = phrases_in(rest, _choices(Level))
    filters = replace(filters, equipment=filters.equipment or equipment, levels=filters.levels or levels)
    left, muscles = phrases_in(rest, _choices(Muscle))
    left, category = phrases_in(left, _choices(Category))
    left, force = phrases_in(left, _choices(Force))
    left, mechanic = phrases_in(left, _choices(Mechanic))
    if left:
        return rest, filters
    return (), replace(
        filters,
        muscles=filters.muscles or muscles,
        category=filters.category or next(iter(category), None),
        force=filters.force or next(iter(force), None),
        mechanic=filters.mechanic or next(iter(mechanic), None),
    )


@cache
def _choices(choices: object) -> dict[Words, Any]:
    return {words_of(choice): choice for choice in get_args(choices)}


@cache
def _index() -> list[_Indexed]:
    return [
        _Indexed(exercise, fold(exercise["name"]), words_of(exercise["name"]), words_of(_about(exercise)))
        for exercise in exercises()
    ]


@cache
def _catalogue_words() -> frozenset[str]:
    return frozenset(
        word for exercise in exercises() for word in fold(f"{exercise['name']} {_about(exercise)}").split()
    )


@cache
def _vocabulary_words() -> frozenset[str]:
    return frozenset(word for phrase in SAME for word in phrase.split())


def _about(exercise: Exercise) -> str:
    muscles = exercise["primary_muscles"]
    groups = [group for group, members in GROUPS.items() if not set(members).isdisjoint(muscles)]
    rest = [exercise.get("equipment", ""), exercise.get("force", ""), exercise.get("mechanic", "")]
    return " ".join([exercise["level"], exercise["category"], *rest, *muscles, *groups])


def _rank(wanted: Words, item: _Indexed) -> tuple[object, ...]:
    """Orders what was found: names of just those words, then names with them, then what most people mean by them.

    Between names that fit as well, the staples come first; then a plain name, basic equipment and a low level.
    """
    exercise = item.exercise
    return (
        item.name != wanted,
        f" {' '.join(wanted)} " not in f" {' '.join(item.name)} ",
        -hits(wanted, item.name),
        exercise["category"] not in _LIFTING,
        exercise["name"] not in STAPLES,
        distance(wanted, item.name),
        _place(_EQUIPMENT, exercise.get("equipment", "")),
        _LEVELS.index(exercise["level"]),
        len(exercise["name"]),
        exercise["name"],
    )


def _place(order: tuple[str, ...], value: str) -> int:
    return order.index(value) if value in order else len(order)
