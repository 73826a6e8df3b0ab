"""Formulas that estimate a one-rep max, the weight a person could lift once, from a set of several repetitions.

They were fitted to sets close to failure and drift apart beyond about twelve repetitions, so that is where they end.
All weights are in kilograms; what comes out is in the unit that went in.
"""

from collections.abc import Callable
from typing import Literal

MIN_REPETITIONS = 1
MAX_REPETITIONS = 12

Formula = Literal["epley", "brzycki", "lombardi"]
"""A plain alias, not a `type` statement: pydantic would write the latter as a reference in the JSON schema."""


def epley(weight: float, repetitions: int) -> float:
    """Estimates a one-rep max as weight x (1 + repetitions / 30).

    Source: Epley, B. (1985). Poundage chart. Boyd Epley Workout. Lincoln, NE: Body Enterprises.

    Raises:
        ValueError: the weight is not above 0, or the repetitions are not 1 to 12.
    """
    _check(weight, repetitions)
    return weight if repetitions == 1 else weight * (1 + repetitions / 30)


def brzycki(weight: float, repetitions: int) -> float:
    """Estimates a one-rep max as weight x 36 / (37 - repetitions).

    Source: Brzycki, M. (1993). Strength testing: predicting a one-rep max from reps-to-fatigue. Journal of Physical
    Education, Recreation & Dance, 64(1), 88-90.

    Raises:
        ValueError: the weight is not above 0, or the repetitions are not 1 to 12.
    """
    _check(weight, repetitions)
    return weight * 36 / (37 - repetitions)


def lombardi(weight: float, repetitions: int) -> float:
    """Estimates a one-rep max as weight x repetitions ^ 0.10.

    Source: Lombardi, V. P. (1989). Beginning weight training: the safe and effective way. Dubuque, IA: W. C. Brown.

    Raises:
        ValueError: the weight is not above 0, or the repetitions are not 1 to 12.
    """
    _check(weight, repetitions)
    return weight * repetitions**0.10


FORMULAS: dict[Formula, Callable[[float, int], float]] = {"epley": epley, "brzycki": brzycki, "lombardi": lombardi}


def _check(weight: float, repetitions: int) -> None:
    if weight <= 0:
        raise ValueError(f"weight must be above 0, not {weight}")
    if not MIN_REPETITIONS <= repetitions <= MAX_REPETITIONS:
        raise ValueError(f"repetitions must be {MIN_REPETITIONS} to {MAX_REPETITIONS}, not {repetitions}")
