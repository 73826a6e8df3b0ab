import pytest

from coach.units import INCH_CM, POUND_KG, kilograms, shown


def test_the_factors_are_exact_by_definition() -> None:
    assert (POUND_KG, INCH_CM) == (0.45359237, 2.54)


def test_a_weight_is_given_in_one_unit() -> None:
    assert kilograms(82.5, None) == 82.5
    assert kilograms(None, 100) == 45.359237
    assert kilograms(0, None) == kilograms(None, 0) == 0


@pytest.mark.parametrize(("kg", "lb"), [(None, None), (1, 2)])
def test_a_weight_given_in_no_unit_or_in_two_is_refused(kg: float | None, lb: float | None) -> None:
    with pytest.raises(ValueError, match="target_weight_kg or target_weight_lb"):
        kilograms(kg, lb, name="target_weight")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (82.5, "82.5"),
        (100.0, "100"),
        (0, "0"),
        (185 * POUND_KG, "83.91"),
        (61.25, "61.25"),
        (12345.0, "12345"),
        (-0.0, "0"),
    ],
)
def test_a_number_is_shown_with_two_decimals_at_most(value: float, text: str) -> None:
    assert shown(value) == text
