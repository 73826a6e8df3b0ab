"""What GitHub runs is what everybody runs."""

from pathlib import Path
from typing import Any, cast

import yaml

ROOT = Path(__file__).parents[2]


def read(path: str) -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load((ROOT / path).read_text(encoding="utf-8")))


def test_the_workflow_runs_the_checks_of_a_fresh_clone_and_may_do_nothing_else() -> None:
    workflow = read(".github/workflows/ci.yml")

    (job,) = workflow["jobs"].values()
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    assert workflow["permissions"] == {"contents": "read"}
    assert job["timeout-minutes"]


def test_the_checks_of_a_fresh_clone_are_the_ones_of_the_readme() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert script.rstrip().endswith("exec make test")


def test_updates_are_looked_for_in_the_lock_and_in_the_workflow() -> None:
    updates = {update["package-ecosystem"] for update in read(".github/dependabot.yml")["updates"]}

    assert updates == {"uv", "github-actions"}
