import json
from typing import Any

import pytest

from coach import TOOLS
from rondas.history import ToolCall, ToolResult
from rondas.toolbox import Toolbox


def ask(arguments: str) -> ToolResult:
    call = ToolCall("call", "estimate_one_rep_max", arguments)
    return Toolbox(TOOLS).for_user("ana").run(call, key="c/1/call", seconds=5)


def estimate(arguments: str) -> dict[str, Any]:
    result = ask(arguments)
    assert result.outcome == "done", result.text
    return json.loads(result.text)


def test_the_three_formulas_answer_with_their_sources_and_one_is_recommended() -> None:
    assert estimate('{"weight_kg": 100, "repetitions": 5}') == {
        "one_rep_max_kg": 116.7,
        "formula": "epley",
        "unit": "kg",
        "estimates": [
            {"formula": "epley", "source": "Epley 1985", "one_rep_max": 116.7},
            {"formula": "brzycki", "source": "Brzycki 1993", "one_rep_max": 112.5},
            {"formula": "lombardi", "source": "Lombardi 1989", "one_rep_max": 117.5},
        ],
        "weights": {"1": 116.7, "2": 109.4, "3": 106.1, "5": 100.0, "8": 92.1, "10": 87.5, "12": 83.3},
    }


def test_a_set_in_pounds_is_answered_in_pounds_and_converted_exactly() -> None:
    answer = estimate('{"weight_lb": 225, "repetitions": 5}')
    assert answer["one_rep_max_kg"] == 119.1  # 225 x 0.45359237 x (1 + 5/30)
    assert (answer["unit"], answer["estimates"][0]["one_rep_max"], answer["weights"]["5"]) == ("lb", 262.5, 225.0)


@pytest.mark.parametrize(
    ("repetitions", "said"), [(1, "it is the one-rep max"), (5, None), (10, None), (11, "unsure"), (12, "unsure")]
)
def test_it_says_how_much_the_estimate_is_worth(repetitions: int, said: str | None) -> None:
    note: str | None = estimate(f'{{"weight_kg": "82.5", "repetitions": {repetitions}}}').get("note")
    assert (said or "") in (note or "")
    assert bool(said) == bool(note)


def test_one_repetition_is_the_weight_by_every_formula() -> None:
    answer = estimate('{"weight_kg": 100, "repetitions": 1}')
    assert {formula["one_rep_max"] for formula in answer["estimates"]} == {100.0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"weight_kg": 100, "repetitions": 13}', "repetitions: Input should be less than or equal to 12"),
        ('{"weight_kg": 100, "repetitions": 0}', "repetitions: Input should be greater than or equal to 1"),
        ('{"weight_kg": 0, "repetitions": 5}', "weight_kg: Input should be greater than 0"),
        ('{"weight_kg": 1e999, "repetitions": 5}', "weight_kg: Input should be a finite number"),
        ('{"weight_kg": "nan", "repetitions": 5}', "weight_kg: Input should be a finite number"),
        ('{"weight_lb": 9999, "repetitions": 5}', "weight_lb: Input should be less than or equal to 2200"),
        ('{"weight_kg": 100}', "repetitions: Field required"),
        ('{"repetitions": 5}', "give weight_kg or weight_lb, one of the two"),
        ('{"weight_kg": 100, "weight_lb": 220, "repetitions": 5}', "give weight_kg or weight_lb, one of the two"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_expected(arguments: str, said: str) -> None:
    result = ask(arguments)
    assert result.outcome == "failed"
    assert said in result.text
