"""Units people use, and the ones that are stored: kilograms and centimetres."""

POUND_KG = 0.45359237
"""Kilograms of a pound: exact, by the international yard and pound agreement of 1959."""

INCH_CM = 2.54
"""Centimetres of an inch: exact, by the same agreement."""

MAX_KG = 1000.0
MAX_LB = 2200.0
"""More than anybody has lifted, in a machine or without."""


def kilograms(kg: float | None, lb: float | None, *, name: str = "weight") -> float:
    """Returns a weight in kilograms, of which one field was given and not the other.

    Args:
        kg: the weight, if it was given in kilograms.
        lb: the weight, if it was given in pounds.
        name: what both fields begin with, for the error.

    Raises:
        ValueError: none was given, or both.
    """
    if (kg is None) == (lb is None):
        raise ValueError(f"give {name}_kg or {name}_lb, one of the two")
    return kg if kg is not None else (lb or 0) * POUND_KG


def shown(value: float) -> str:
    """Writes a number as people do, with two decimals at most: 82.5, 61.25, 100."""
    return f"{value + 0.0:.2f}".rstrip("0").rstrip(".")  # + 0.0: no minus before a zero
