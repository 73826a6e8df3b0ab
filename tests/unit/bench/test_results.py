"""The tables and the picture of the bench, from figures that are given."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from bench import results
from bench.lineup import PEERS, TIMED_ONLY
from bench.markdown import TIMES
from bench.plot import svg
from bench.report import can_summarise, report, summary

ROOT = Path(__file__).parents[3]
WELL: dict[str, Any] = {"answered": True, "error": "", "results": 5, "questions": 1}


def figures() -> dict[str, Any]:
    """Figures of all phases, each peer's ten times the ones of the peer before."""
    untimed = [name for name in PEERS if name not in TIMED_ONLY]
    stored = {"requests": 14, "write_units": 60.0, "read_units": 12.0, "bytes_sent": 1, "bytes_received": 2}
    start = {"ready_ms": 150.0, "ready_cpu_ms": 140.0, "rss_mb": 60.0, "answered_ms": 200.0}
    bare = {"ready_ms": 100.0, "ready_cpu_ms": 100.0, "rss_mb": 50.0}
    context: dict[str, Any] = {
        "messages": {"10": {"bytes": 30, "tokens": 10, "cached_tokens": 9}},
        "answered": 10, "bytes": 30, "tokens": 10, "cached_tokens": 9, "largest_bytes": 30, "cached_share": 0.9,
        "asks_for_caching": True, "paid_tokens": 1.9,
    }  # fmt: skip
    return {
        "about": {
            "date": "2026-12-01", "machine": "abacus", "load": 0.1, "python": "3.13.0", "quick": False,
            "versions": {"rondas": {"anthropic": "2.14.0"}, "floor": {"boto3": "1.43.108"}},
        },
        "warm": {
            name: {n: {"cpu_ms": 10.0**power, "wall_ms": 2 * 10.0**power} for n in ("1", "10")}
            for power, name in enumerate(PEERS)
        },
        "cold": {
            "peers": dict.fromkeys(PEERS, start),
            "functions": {"chat, anthropic": start},
            "imports": {"chat, anthropic": bare},
            "import_tree": {"anthropic": 70.0},
        },
        "store": {name: {"0": {**stored, "model_bytes": 3}, "100": {**stored, "model_bytes": 3}} for name in untimed},
        "context": dict.fromkeys(untimed, context),
        "limit": {name: {"model_calls": 12, "gets": "KeyError: 'x'", "next": WELL} for name in untimed},
        "crash": {name: {"next": WELL, "same": {"answered": True, "error": "", "model_calls": 6}} for name in untimed},
        "double": {
            name: {"model_calls": 3, "told_to_wait": 1, "answered": 2, "errors": [], "next": WELL} for name in untimed
        },
    }  # fmt: skip


def test_all_tables_are_there_and_a_ratio_is_one_to_the_hand_written_loop() -> None:
    text = report(figures())
    assert re.findall("^## (.+)", text, re.MULTILINE) == [
        "Warm message", "Start", "DynamoDB", "Context", "When something happens", "Versions",
    ]  # fmt: skip
    assert f"| Rondas, as deployed | 100 | 100 | 10.0{TIMES} | 100.0{TIMES} |" in text
    assert f"| chat, anthropic | 150 | 100 | 1.50{TIMES} | 1.40{TIMES} |" in text
    assert "the same message goes on after round 5 (6 model calls)" in text
    lengths = {len(re.findall(r"(?<!\\)\|", line)) for line in text.split("\n\n")[4].splitlines()}
    assert len(lengths) == 1


def test_what_went_wrong_is_said_where_a_figure_would_stand() -> None:
    given = figures()
    given["store"]["langgraph"]["100"] = {"error": "langgraph: Item size | exceeded"}
    given["crash"]["floor"]["next"] = {**WELL, "answered": False, "error": "400 tool_use without tool_result"}
    text = report(given)
    assert "| langgraph, DynamoDB saver | 14 | fails |" in text
    assert r"- langgraph, DynamoDB saver, 100 entries: langgraph: Item size \| exceeded" in text
    assert "**the conversation is broken**: 400 tool_use without tool_result" in text


def test_a_machine_that_was_busy_is_no_secret() -> None:
    given = figures()
    assert "busy" not in summary(given)
    given["about"]["load"] = 2.3
    assert "abacus, busy with other work (load 2.3); Python" in summary(given)


@pytest.mark.parametrize("phase", ["warm", "cold", "store", "context", "limit", "crash", "double"])
def test_a_phase_alone_has_its_table(phase: str) -> None:
    given = {name: value for name, value in figures().items() if name in ("about", phase)}
    assert not can_summarise(given)
    assert "| Rondas, as deployed |" in report(given)


def test_the_picture_has_a_bar_for_each_figure_and_a_ground_of_its_own() -> None:
    picture = ET.fromstring(svg(figures()))
    boxes = [{**box.attrib} for box in picture.iter("{http://www.w3.org/2000/svg}rect")]
    assert boxes[0]["fill"] == "#fff"
    assert len(boxes) == 1 + 3 * len(figures()["store"])
    widest = float(picture.attrib["width"])
    assert all(float(box.get("x", 0)) + float(box["width"]) <= widest for box in boxes)


def test_a_part_of_the_bench_leaves_the_readme_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{results.BEGIN}\nold\n{results.END}\nafter\n")
    for name, value in {"README": readme, "RESULTS": tmp_path / "own", "ELSEWHERE": tmp_path / "elsewhere"}.items():
        monkeypatch.setattr(results, name, value)
    # When a part is written
    results.write(figures(), whole=False)
    # Then only its folder shows it
    assert "old" in readme.read_text()
    assert not (tmp_path / "own").exists()
    # When the whole is written
    results.write(figures(), whole=True)
    # Then the README shows it in the place of the old one
    assert readme.read_text() == f"before\n{results.BEGIN}\n\n{summary(figures())}\n{results.END}\nafter\n"
    assert json.loads((tmp_path / "own" / "bench.json").read_text()) == figures()


def test_the_readme_shows_the_figures_that_are_kept() -> None:
    kept = json.loads((results.RESULTS / "bench.json").read_text("utf-8"))
    readme = (ROOT / "README.md").read_text("utf-8")
    assert results.shown_in(readme, kept) == readme
    assert (results.RESULTS / "bench.svg").read_text("utf-8") == svg(kept)
    assert (results.RESULTS / "README.md").read_text("utf-8") == report(kept)
