"""Where the figures go, and what stands beside them.

    PYTHONPATH=tests:events:layers/rondas:functions/chat .venv/bin/python -m bench.results

writes tables, picture and the README's part anew from the figures that are kept, when only their form has changed.
"""

import json
import os
import platform
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from bench.environments import FOLDER, ROOT, Environments
from bench.plot import svg
from bench.report import can_summarise, report, summary
from bench.worker import Json

RESULTS = Path(__file__).parent / "results"
ELSEWHERE = FOLDER / "results"
README = ROOT / "README.md"
BEGIN, END = "<!-- made by `make bench` -->", "<!-- until here -->"

PACKAGES = (
    "anthropic", "boto3", "pydantic", "aws-lambda-powertools", "openai", "google-genai", "pydantic-ai-slim",
    "strands-agents", "strands-session-dynamodb", "langchain", "langgraph", "langchain-anthropic",
    "langgraph-checkpoint-aws",
)  # fmt: skip


def about(environments: Environments, names: Iterable[str], *, quick: bool) -> Json:
    """Returns when, where and with what the figures come about, and how busy the machine is without the bench."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "quick": quick,
        "versions": {name: environments.versions(name, PACKAGES) for name in sorted(names)},
    }


def write(results: Json, *, whole: bool) -> Path:
    """Writes the figures as JSON, tables and picture; returns the folder.

    Args:
        results: by phase, and `about`.
        whole: of all peers and phases with all repeats: they become the repository's own, and the README's table.
    """
    folder = RESULTS if whole else ELSEWHERE
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(rounded(results), indent=1) + "\n", encoding="utf-8")
    (folder / "README.md").write_text(report(results), encoding="utf-8")
    if can_summarise(results):
        (folder / "bench.svg").write_text(svg(results), encoding="utf-8")
    if whole:
        README.write_text(shown_in(README.read_text("utf-8"), results), encoding="utf-8")
    return folder


def shown_in(readme: str, results: Json) -> str:
    """Returns the README with these results in place of those it shows."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"the README has no place for the figures: {BEGIN} … {END}")
    return f"{before}{BEGIN}\n\n{summary(rounded(results))}\n{END}{after}"


def rounded(value: Json) -> Json:
    """Returns figures with no more digits than the clock is worth, so that a change of them can be read."""
    return json.loads(json.dumps(value), parse_float=lambda text: round(float(text), 3))


def _processor() -> str:
    try:
        found = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text("utf-8"))
    except OSError:
        found = None
    return found[1].strip() if found else platform.machine()


if __name__ == "__main__":
    write(json.loads((RESULTS / "bench.json").read_text("utf-8")), whole=True)
