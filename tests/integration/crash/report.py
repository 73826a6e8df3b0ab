"""How a program of this folder tells the test what it found."""

import sys
from collections.abc import Iterable, Sequence
from itertools import islice

MOST = 20
"""So many broken invariants tell enough."""


def first_of(broken: Iterable[str]) -> list[str]:
    """Goes on until all is done, or enough is broken."""
    return list(islice(broken, MOST))


def report(what: str, broken: Sequence[str]) -> int:
    """Writes what is broken, and one line about the whole; returns the status with which the program ends."""
    result = f"{len(broken)} times an invariant is broken" if broken else "all invariants hold"
    sys.stdout.write("\n".join([*broken, f"{what}, {result}"]) + "\n")
    return 1 if broken else 0
