"""Formulas that estimate a one-rep max, the weight a person could lift once, from a set of several repetitions.

They were fitted to sets close to failure. Up to ten repetitions they are sound, best at about five (Reynolds, J. M.,
Gordon, T. J., & Robergs, R. A. (2006). Prediction of one repetition maximum strength from multiple repetition maximum
testing and anthropometry. Journal of Strength and Conditioning Research, 20(3), 584-592). Beyond twelve they drift too
far apart to be of use, so that is where they end here. What comes out is in the unit that went in.
"""

from collections.abc import Callable
from typing import Literal

MIN_REPETITIONS = 1
MAX_REPETITIONS = 12
RELIABLE_REPETITIONS = 10

Formula = Literal["epley", "brzycki", "lombardi"]
"""A plain alias, not a `type` statement: pydantic would write the latter as a reference in the JSON schema."""


def epley(weight: float, repetitions: int) -> float:
    """Estimates a one-rep max as weight x (1 + repetitions / 30), a single repetition being the weight itself.

    Sound up to 10 repetitions. Source: Epley, B. (1985). Poundage chart. Boyd Epley Workout. Lincoln, NE: Body
    Enterprises.

    Raises:
        ValueError: the weight is not above 0, or the repetitions are not 1 to 12.
    """
    _check(weight, repetitions)
    return weight if repetitions == 1 else weight * (1 + repetitions / 30)


def brzycki(weight: float, repetitions: int) -> float:
    """Estimates a one-rep max as weight x 36 / (37 - repetitions).

    Meant by its author for up to 10 repetitions; it has no value at 37. Source: Brzycki, M. (1993). Strength testing:
    predicting a one-rep max from reps-to-fatigue. Journal of Physical Education, Recreation & Dance, 64(1), 88-90.

    Raises:
        ValueError: the weight is not above 0, or the repetitions are not 1 to 12.
    """
    _check(weight, repetitions)
    return weight * 36 / (37 - repetitions)


def lombardi(weight: float, repetitions: int) -> float:
    """Estimates a one-rep max as weight x repetitions ^ 0.10.

    It rises more slowly than the others, and is the lowest of the three from 8 repetitions on. Source: Lombardi, V. P.
    (1989). Beginning weight training: the safe and effective way. Dubuque, IA: W. C. Brown.

    Raises:
        ValueError: the weight is not above 0, or the repetitions are not 1 to 12.
    """
    _check(weight, repetitions)
    return weight * repetitions**0.10


FORMULAS: dict[Formula, Callable[[float, int], float]] = {"epley": epley, "brzycki": brzycki, "lombardi": lombardi}

SOURCES: dict[Formula, str] = {"epley": "Epley 1985", "brzycki": "Brzycki 1993", "lombardi": "Lombardi 1989"}
"""How each formula is cited."""


def weight_for(one_rep_max: float, repetitions: int) -> float:
    """Returns the weight that can be lifted so many times, by Epley's formula read backwards.

    Raises:
        ValueError: the one-rep max is not above 0, or the repetitions are not 1 to 12.
    """
    return one_rep_max / epley(1, repetitions) if one_rep_max > 0 else epley(one_rep_max, repetitions)


def _check(weight: float, repetitions: int) -> None:
    if weight <= 0:
        raise ValueError(f"weight must be above 0, not {weight}")
    if not MIN_REPETITIONS <= repetitions <= MAX_REPETITIONS:
        raise ValueError(f"repetitions must be {MIN_REPETITIONS} to {MAX_REPETITIONS}, not {repetitions}")
