"""What is left out of a long result, and how the model gets at it: each tool says it in its own words."""

import json
from datetime import date

import pytest

from coach import TOOLS
from local.sample import load_sample
from rondas.history import ToolCall
from rondas.toolbox import Toolbox

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("name", "arguments", "more"),
    [
        ("training_history", {"period": "all"}, "Ask for one exercise, or for a shorter period."),
        ("search_exercises", {"muscles": ["chest"], "limit": 20}, "Ask for fewer, or narrow the search."),
        ("read_measurements", {"kind": "body_weight"}, "Ask for one kind, or for a shorter period."),
    ],
)
def test_a_long_result_says_how_to_ask_for_the_rest(
    set_clock: object, name: str, arguments: dict[str, object], more: str
) -> None:
    # Given a person with ten weeks of training and two weeks of weights, and little room for a result
    load_sample("ana", TODAY)
    tools = Toolbox(TOOLS, max_chars=600).for_user("ana")
    for day in range(1, 15):
        weight = {"kind": "body_weight", "value": 80, "unit": "kg", "date": f"2026-11-{day:02}"}
        recorded = tools.run(ToolCall("w", "record_measurement", json.dumps(weight)), key=f"w{day}", seconds=5)
        assert recorded.outcome == "done", recorded.text
    # When the tool is called
    result = tools.run(ToolCall("call_1", name, json.dumps(arguments)), key="key", seconds=5)
    # Then what is missing is counted, and the way to it is the tool's
    assert result.outcome == "done"
    assert "left out. " + more in result.text
    assert len(result.text) <= 600
