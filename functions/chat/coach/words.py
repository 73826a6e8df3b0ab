"""Names of exercises as words that can be compared, whatever language, accent, case or number they were written in."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from coach.vocabulary import SAME

type Words = tuple[str, ...]

PREFIX_LENGTH = 3
"""From this length on, the beginning of a word stands for the word."""

_BARE = {"barbell", "dumbbell", "machine", "cable"}
"""Words that say what an exercise is done with, not which one it is: `squat` first of all means `Barbell Squat`."""

_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile(r"[\u0300-\u036f]")
_SHORTEST_PLURAL = 3
_PHRASES = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, SAME), key=len, reverse=True))})\b")


def fold(text: str) -> str:
    """Returns `text` in lower case, without accents and marks, each word in its singular."""
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text.casefold()))
    return " ".join(map(_singular, _WORD.findall(bare)))


@lru_cache(maxsize=4096)
def words_of(text: str) -> Words:
    """Returns the words of an exercise's name as the catalogue would say them: `Press banca` is `bench press`."""
    return tuple(_PHRASES.sub(lambda phrase: SAME[phrase[0]], fold(text)).split())


def hits(wanted: Iterable[str], words: Sequence[str]) -> int:
    """Counts the words of `wanted` that are among `words`, or are the beginning of one."""
    return sum(any(_stands_for(word, other) for other in words) for word in wanted)


def phrases_in[T](words: Words, phrases: Mapping[Words, T]) -> tuple[Words, tuple[T, ...]]:
    """Takes known phrases out of a text: returns the words that are left, and what the phrases stand for."""
    found: list[T] = []
    for phrase in sorted(phrases, key=len, reverse=True):
        places = (n for n in range(len(words)) if words[n : n + len(phrase)] == phrase)
        if (place := next(places, None)) is not None:
            words = words[:place] + words[place + len(phrase) :]
            found.append(phrases[phrase])
    return words, tuple(found)


def distance(wanted: Words, name: Words) -> int:
    """Returns how much more a name says than what was asked for; 0 for the very exercise."""
    return len([word for word in name if word not in wanted and word not in _BARE])


def _stands_for(word: str, other: str) -> bool:
    return word == other or (len(word) >= PREFIX_LENGTH and other.startswith(word))


def _singular(word: str) -> str:
    """Cuts the plural off in a way that is good for comparing, not for reading: `presses`, `press`; `flyes`, `flye`."""
    if len(word) < _SHORTEST_PLURAL or word.endswith("ss"):
        return word
    if word.endswith(("sses", "shes", "ches", "xes", "iones", "ares", "ores", "ales")):
        return word[:-2]
    return word.removesuffix("s")
