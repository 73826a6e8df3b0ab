from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.one_rep_max import FORMULAS, SOURCES, Formula, brzycki, epley, lombardi, weight_for

WEIGHTS = st.floats(min_value=0.5, max_value=1000)
REPETITIONS = st.integers(min_value=1, max_value=12)
NAMES = st.sampled_from(list(FORMULAS))


@pytest.mark.parametrize(
    ("formula", "weight", "repetitions", "by_hand"),
    [
        (epley, 100, 5, 116.6667),  # 100 x (1 + 5/30)
        (epley, 80, 10, 106.6667),  # 80 x (1 + 10/30)
        (brzycki, 100, 5, 112.5),  # 100 x 36/32
        (brzycki, 80, 10, 106.6667),  # 80 x 36/27: the two meet at ten repetitions
        (lombardi, 100, 5, 117.4619),  # 100 x 5^0.1
        (lombardi, 80, 10, 100.7140),  # 80 x 10^0.1
    ],
)
def test_the_formulas_give_what_is_computed_by_hand(
    formula: Callable[[float, int], float], weight: float, repetitions: int, by_hand: float
) -> None:
    assert formula(weight, repetitions) == pytest.approx(by_hand, abs=1e-4)


@given(NAMES, WEIGHTS)
def test_one_repetition_is_the_weight_itself(name: Formula, weight: float) -> None:
    assert FORMULAS[name](weight, 1) == pytest.approx(weight)


@given(NAMES, WEIGHTS, st.integers(min_value=1, max_value=11))
def test_another_repetition_means_a_higher_estimate(name: Formula, weight: float, repetitions: int) -> None:
    assert FORMULAS[name](weight, repetitions) < FORMULAS[name](weight, repetitions + 1)


@given(NAMES, WEIGHTS, REPETITIONS)
def test_twice_the_weight_is_twice_the_estimate(name: Formula, weight: float, repetitions: int) -> None:
    assert FORMULAS[name](2 * weight, repetitions) == pytest.approx(2 * FORMULAS[name](weight, repetitions))


@pytest.mark.parametrize("name", list(FORMULAS))
@pytest.mark.parametrize(("weight", "repetitions"), [(0, 5), (-1, 5), (100, 0), (100, 13)])
def test_outside_of_its_range_no_formula_answers(name: Formula, weight: float, repetitions: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        FORMULAS[name](weight, repetitions)


@given(WEIGHTS, REPETITIONS)
def test_the_weight_for_so_many_repetitions_is_the_estimate_read_backwards(weight: float, repetitions: int) -> None:
    assert weight_for(epley(weight, repetitions), repetitions) == pytest.approx(weight)


def test_no_weight_is_told_for_repetitions_or_a_max_out_of_range() -> None:
    for one_rep_max, repetitions in ((100, 13), (100, 0), (0, 5), (-1, 5)):
        with pytest.raises(ValueError, match="must be"):
            weight_for(one_rep_max, repetitions)


def test_every_formula_has_a_source() -> None:
    assert set(SOURCES) == set(FORMULAS)
