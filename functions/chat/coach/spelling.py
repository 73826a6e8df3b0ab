"""Misspelled words of a query, put right by the words there are."""

from collections.abc import Collection
from difflib import get_close_matches

from coach.words import fold

_LIKENESS = 0.8
"""How alike two words must be, from 0 to 1: a letter wrong, missing or too many in a word of five."""
_SHORTEST = 4
"""Shorter words are left as they are: too many others are one letter away."""


def corrected(text: str, *, catalogue: Collection[str], vocabulary: Collection[str]) -> str | None:
    """Returns the text with each word that nobody knows put right, folded; None where nothing was put right.

    A word that is the beginning of one of the catalogue's is known: that is how they are searched.
    """
    words = fold(text).split()
    known = {*catalogue, *vocabulary}
    right = [word if _is_known(word, known, catalogue) else _nearest(word, known) for word in words]
    return " ".join(right) if right != words else None


def _is_known(word: str, known: Collection[str], catalogue: Collection[str]) -> bool:
    return len(word) < _SHORTEST or word in known or any(other.startswith(word) for other in catalogue)


def _nearest(word: str, known: Collection[str]) -> str:
    return next(iter(get_close_matches(word, sorted(known), n=1, cutoff=_LIKENESS)), word)
