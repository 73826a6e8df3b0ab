"""What the tool boundary spares the model: ten rounds with the coach, each result sent as it is (off) or shown (on).

    PYTHONPATH=tests:events:layers/rondas:functions/chat .venv/bin/python -m bench.boundary

The tools are the coach's own, on the sample of the local runner, a goal and a year of a scale that writes every
morning. As it is, a result is all that the tool has read to give it: items of its table, rows of the catalogue, the
HTML of a page. Tokens are counted as the window counts them, by `rondas.tokens`.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any
from unittest.mock import patch

import coach
from coach import search
from coach.measurements import Measurement, keep_measurement
from coach.read_web_page import read_web_page
from local.sample import load_sample
from rondas.history import Round, ToolCall, ToolResult, Turn
from rondas.html import read_html
from rondas.tokens import estimated_tokens
from rondas.toolbox import Toolbox, UserTools
from rondas.web.page import Page

USER = "ana"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
LINE = 160

SCRIPT = tuple(
    ToolCall(f"call_{number}", name, arguments)
    for number, (name, arguments) in enumerate(
        (
            ("training_history", '{"period":"last_90_days"}'),
            ("training_history", '{"exercise":"squat","period":"last_90_days"}'),
            ("search_exercises", '{"muscles":["chest"],"limit":20}'),
            ("search_exercises", '{"query":"shoulder press"}'),
            ("read_web_page", '{"url":"https://example.com/progress"}'),
            ("read_measurements", '{"kind":"body_weight","period":"all"}'),
            ("save_goal", '{"exercise":"squat","target_weight_kg":140}'),
            ("read_goals", "{}"),
            ("training_history", '{"exercise":"pull-ups","period":"this_month"}'),
            ("search_exercises", '{"query":"lats cable","limit":20}'),
        )
    )
)


@dataclass
class Source:
    """What stands behind the tools: the table in memory, the catalogue, a page. Notes what a tool has seen of it."""

    items: dict[str, str] = field(default_factory=dict[str, str])
    seen: list[str] = field(default_factory=list[str])

    def put(self, _user: str, sort_key: str, body: str) -> None:
        self.items[sort_key] = body

    def put_once(self, _user: str, sort_key: str, body: str) -> bool:
        self.seen.append(body)
        return self.items.setdefault(sort_key, body) is body

    def get(self, _user: str, sort_key: str) -> str | None:
        return self.items.get(sort_key)

    def between(self, _user: str, first: str, last: str) -> Iterator[str]:
        bodies = [self.items[sort_key] for sort_key in sorted(self.items) if first <= sort_key <= last]
        self.seen += bodies
        yield from bodies

    def find(self, query: str = "", filters: search.Filters | None = None) -> search.Found:
        found = search.find(query, filters)
        self.seen += map(json.dumps, found.exercises)
        return found

    def page(self, url: str, _seconds: float) -> Page:
        html = a_page()
        self.seen.append(json.dumps(html))
        return Page(url, "Progress", read_html(html).main)


def a_page() -> str:
    menu = "".join(f"<li><a class='nav__link' href='/topic/{number}'>Topic {number}</a></li>" for number in range(80))
    style = "<style>.nav__link{color:#333;padding:0 4px}</style><script>window.ads=[];</script>" * 40
    text = "<p class='body'>Add weight only when <b>every set</b> was clean &amp; the last one had a rep left.</p>\n"
    return f"<!doctype html><html><head>{style}</head><body><nav><ul>{menu}</ul></nav><main>{text * 60}</main></html>"


@dataclass(frozen=True)
class Result:
    """The result of one call: all that was read for it, what the model sees of it, and how long both took."""

    call: ToolCall
    off: str
    on: str
    milliseconds: float


def play() -> list[Result]:
    """Runs the script."""
    source = Source()
    stand_ins: dict[str, Any] = {
        "coach.clock.now": lambda: NOW,
        "coach.table.put": source.put,
        "coach.table.put_once": source.put_once,
        "coach.table.get": source.get,
        "coach.table.read": source.between,
        "coach.search_exercises.find": source.find,
        "rondas.web.page.read_page": source.page,
    }
    tools = {tool.name: tool for tool in [*coach.TOOLS, read_web_page]}
    toolbox = Toolbox(tools.values()).for_user(USER)
    with ExitStack() as replaced:
        for name, stand_in in stand_ins.items():
            replaced.enter_context(patch(name, stand_in))
        fill()
        return [run(call, toolbox, source) for call in SCRIPT]


def fill() -> None:
    """Writes what the person has done before they ask."""
    load_sample(USER, NOW.date())
    for days in range(365):
        at = NOW - timedelta(days=days)
        weight = Measurement(kind="body_weight", date=at.date(), value=82 + days % 9 / 10, unit="kg", saved_at=at)
        keep_measurement(USER, str(days), weight)


def run(call: ToolCall, toolbox: UserTools, source: Source) -> Result:
    """Runs one call, and takes what it has read for its result as it is."""
    source.seen.clear()
    started = time.perf_counter()
    result = toolbox.run(call, key=call.id, seconds=5)
    milliseconds = 1000 * (time.perf_counter() - started)
    assert result.outcome == "done", result.text
    return Result(call, f"[{','.join(source.seen)}]", result.text, milliseconds)


def sent(texts: Sequence[str]) -> int:
    """Returns the tokens of the rounds in the requests of a message: each request sends all rounds before it."""
    return sum(accumulate(tokens(call, text) for call, text in zip(SCRIPT, texts, strict=True)))


def tokens(call: ToolCall, text: str) -> int:
    return estimated_tokens(Round(Turn(calls=(call,)), (ToolResult(call.id, text),)))


def report() -> str:
    """Returns the tables, as text, the largest result first."""
    results = play()
    off, on = sent([result.off for result in results]), sent([result.on for result in results])
    results.sort(key=lambda result: len(result.on), reverse=True)
    rows = [f"{'':20}{'chars off':>11}{'on':>9}{'tokens off':>13}{'on':>9}{'ms':>8}"]
    rows += [
        f"{r.call.name:20}{len(r.off):11}{len(r.on):9}{tokens(r.call, r.off):13}{tokens(r.call, r.on):9}"
        f"{r.milliseconds:8.1f}"
        for r in results
    ]
    rows += [f"{'sent in ten requests':40}{off:13}{on:9}  ({100 - 100 * on // off} % less)", ""]
    rows += [f"{r.call.name} {r.call.arguments} → {_shown(r.on)}" for r in results]
    return "\n".join(rows) + "\n"


def _shown(text: str) -> str:
    return text if len(text) <= LINE else f"{text[: LINE - 60]} … {text[-60:]}"


if __name__ == "__main__":
    sys.stdout.write(report())
