import json

import pytest

from coach import TOOLS
from rondas.history import ToolCall, ToolResult
from rondas.toolbox import Toolbox


def ask(arguments: str) -> ToolResult:
    call = ToolCall("call", "estimate_one_rep_max", arguments)
    return Toolbox(TOOLS).for_user("ana").run(call, key="c/1/call", seconds=5)


@pytest.mark.parametrize(
    ("arguments", "estimate"),
    [
        ('{"weight_kg": 100, "repetitions": 5}', {"one_rep_max_kg": 116.7, "formula": "epley"}),
        (
            '{"weight_kg": 100, "repetitions": 5, "formula": "brzycki"}',
            {"one_rep_max_kg": 112.5, "formula": "brzycki"},
        ),
        (
            '{"weight_kg": "82.5", "repetitions": 3, "formula": "lombardi"}',
            {"one_rep_max_kg": 92.1, "formula": "lombardi"},
        ),
        ('{"weight_kg": 100, "repetitions": 1}', {"one_rep_max_kg": 100.0, "formula": "epley"}),
    ],
)
def test_the_estimate_names_its_formula(arguments: str, estimate: dict[str, object]) -> None:
    result = ask(arguments)
    assert result.outcome == "done"
    assert json.loads(result.text) == estimate


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"weight_kg": 100, "repetitions": 13}', "repetitions: Input should be less than or equal to 12"),
        ('{"weight_kg": 100, "repetitions": 0}', "repetitions: Input should be greater than or equal to 1"),
        ('{"weight_kg": 0, "repetitions": 5}', "weight_kg: Input should be greater than 0"),
        ('{"weight_kg": 1e999, "repetitions": 5}', "weight_kg: Input should be a finite number"),
        ('{"weight_kg": 100}', "repetitions: Field required"),
        (
            '{"weight_kg": 100, "repetitions": 5, "formula": "magic"}',
            "formula: Input should be 'epley', 'brzycki' or 'lombardi'",
        ),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_expected(arguments: str, said: str) -> None:
    result = ask(arguments)
    assert result.outcome == "failed"
    assert said in result.text
