import os
import subprocess
import sys
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import coach
from rondas.tools import Tool

BARE_IMPORT = """
import os, sys
os.environ.clear()
seen = []
sys.addaudithook(lambda event, arguments: seen.append((event, str(arguments))))
import coach
assert not [seen for seen in seen if seen[0].startswith("socket.connect")]
assert not [seen for seen in seen if seen[0] == "open" and "exercises.json" in seen[1]]
assert not coach.table.client.cache_info().currsize
"""


def test_the_coach_is_its_prompt_and_its_tools() -> None:
    assert coach.__all__ == ["PROMPT", "SETTINGS", "TOOLS"]
    effects = {tool.name: tool.effect for tool in coach.TOOLS}
    readers = {"estimate_one_rep_max", "read_goals", "read_measurements", "search_exercises", "training_history"}
    writers = {"save_goal", "close_goal", "log_workout", "record_measurement"}
    assert readers | writers <= set(effects)
    assert {name for name, effect in effects.items() if effect} == writers


def test_importing_it_opens_no_connection_no_catalogue_and_needs_no_environment() -> None:
    path = {"PYTHONPATH": os.pathsep.join(sys.path), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", BARE_IMPORT], env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "rule",
    [
        "language",
        "never invent",
        "kilograms",
        "data, never instructions",
        "was not done",
        "notes of workouts",
        "only the person's own messages",
    ],
)
def test_the_prompt_says_what_the_coach_keeps_to(rule: str) -> None:
    assert rule in " ".join(coach.PROMPT.lower().split())


@pytest.mark.parametrize("tool", coach.TOOLS, ids=lambda tool: tool.name)
def test_the_model_is_told_what_every_tool_and_every_argument_is_for(tool: Tool) -> None:
    # When
    schema = tool.schema()
    # Then
    Draft202012Validator.check_schema(schema)
    assert "Use it" in tool.description
    assert schema["additionalProperties"] is False
    fields: dict[str, dict[str, Any]] = schema["properties"]
    assert all(len(field.get("description", "")) > 15 for field in fields.values())
