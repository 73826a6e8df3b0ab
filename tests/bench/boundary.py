"""What the tool boundary spares the model: ten rounds of a coach's tools, with what stands behind them sent as it is
(off), and as the boundary shows it (on).

    PYTHONPATH=tests:events:layers/rondas:functions/chat .venv/bin/python -m bench.boundary

What stands behind the tools is the sample of the local runner, the catalogue with the columns of its source, a page of
a magazine, and a scale that writes every morning. Tokens are the window's own estimate.
"""

import datetime as dt
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import coach
from local.sample import sample_workouts
from rondas.history import Round, ToolCall, ToolResult, Turn
from rondas.tokens import estimated_tokens
from rondas.toolbox import DEFAULT_MAX_CHARS, Toolbox
from rondas.tools import Arguments, Tool, ToolContext, tool

TODAY = dt.date(2026, 11, 30)
LINE = 230


class Query(Arguments):
    query: str = ""


class Line(BaseModel):
    date: dt.date
    exercise: str
    top_kg: float
    volume_kg: float


class Lines(BaseModel):
    sessions: list[Line]


class Exercise(BaseModel):
    name: str
    equipment: str | None = None
    level: str


class Exercises(BaseModel):
    exercises: list[Exercise]
    total: int


class Page(BaseModel):
    url: str
    text: str


class Weight(BaseModel):
    date: dt.date
    kg: float


class Weights(BaseModel):
    weights: list[Weight]
    change_kg: float


class Saved(BaseModel):
    exercise: str
    target_kg: float
    by: dt.date | None = None


# What stands behind the tools


def workouts(exercise: str = "") -> list[dict[str, Any]]:
    rows = [workout.model_dump(mode="json") for workout in sample_workouts(TODAY)]
    kept = [[each for each in row["exercises"] if exercise in each["name"]] for row in rows]
    return [row | {"exercises": each, "notes": None} for row, each in zip(rows, kept, strict=True) if each]


def catalogue(muscle: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(
        (Path(coach.__file__).parent / "data" / "exercises.json").read_text("utf-8")
    )
    steps = ["Take the starting position with the weight held firmly.", "Move slowly; breathe out.", "Return."]
    source = {"force": None, "mechanic": None, "secondary_muscles": [], "instructions": steps}
    return [
        row | source | {"images": [f"{row['name']}/0.jpg", f"{row['name']}/1.jpg"]}
        for row in rows
        if muscle in row["primary_muscles"]
    ]


def page() -> str:
    menu = "".join(f"<li><a class='nav__link' href='/topic/{number}'>Topic {number}</a></li>" for number in range(80))
    paragraph = (
        "<p class='body'>Add weight only when <b>every set</b> was clean &amp; the last one had a rep left.</p>\n"
    )
    style = "<style>.nav__link{color:#333;padding:0 4px}</style><script>window.ads=[];</script>" * 40
    return (
        f"<!doctype html><html><head><title>Progress</title>{style}</head><body><nav><ul>{menu}</ul></nav>"
        f"<main><h1>Progress</h1>{paragraph * 60}</main></body></html>"
    )


def weights() -> list[dict[str, Any]]:
    days = [TODAY - dt.timedelta(days=day) for day in range(365)]
    more = {"unit": "kg", "device": "scale", "body_fat": None, "water": None, "note": None, "synced": True}
    return [{"date": day.isoformat(), "kg": 82 + number % 9 / 10} | more for number, day in enumerate(days)]


def goal() -> dict[str, Any]:
    kept = {"pk": "U#ana", "sk": "G#c/1/id", "ttl": None, "repetitions": 1, "by": None, "version": 3}
    return {"exercise": "Barbell Squat", "target_kg": 140.0} | kept


# What the tools make of it


def lines(rows: list[dict[str, Any]]) -> Lines:
    return Lines(
        sessions=[
            Line(
                date=row["date"],
                exercise=each["name"],
                top_kg=max(done["weight_kg"] for done in each["sets"]),
                volume_kg=sum(done["weight_kg"] * done["repetitions"] for done in each["sets"]),
            )
            for row in rows
            for each in row["exercises"]
        ]
    )


def exercises(rows: list[dict[str, Any]]) -> Exercises:
    return Exercises.model_validate({"exercises": rows[:20], "total": len(rows)})


def weighed(rows: list[dict[str, Any]]) -> Weights:
    monthly = rows[::30]
    return Weights.model_validate({"weights": monthly, "change_kg": monthly[0]["kg"] - monthly[-1]["kg"]})


@dataclass(frozen=True)
class Call:
    """One call of the script: its name, what stands behind the tool, what the tool returns of it."""

    name: str
    raw: Callable[[], Any]
    result: type[BaseModel]
    returned: Callable[[Any], Any]

    def tool(self) -> Tool:
        def answer(_query: Query) -> BaseModel:
            """Answers."""
            return self.returned(self.raw())

        answer.__name__ = self.name
        answer.__annotations__["return"] = self.result
        return tool(answer)


SCRIPT = (
    Call("training_history", workouts, Lines, lines),
    Call("history_of_squat", lambda: workouts("Squat"), Lines, lines),
    Call("search_chest", lambda: catalogue("chest"), Exercises, exercises),
    Call("search_shoulders", lambda: catalogue("shoulders"), Exercises, exercises),
    Call("read_web_page", page, Page, lambda html: Page(url="https://example.com/progress", text=html)),
    Call("read_weights", weights, Weights, weighed),
    Call("read_goal", goal, Saved, lambda row: row),
    Call("history_of_pullups", lambda: workouts("Pullups"), Lines, lines),
    Call("search_lats", lambda: catalogue("lats"), Exercises, exercises),
    Call("save_goal", goal, Saved, lambda row: row),
)


@dataclass(frozen=True)
class Shown:
    """One result: as it is, and as the boundary shows it."""

    name: str
    off: str
    on: str


def play() -> list[Shown]:
    """Runs the script."""
    toolbox = Toolbox([call.tool() for call in SCRIPT], max_chars=DEFAULT_MAX_CHARS)
    context = ToolContext("ana", "key", 5)
    return [
        Shown(call.name, json.dumps(call.raw()), toolbox.run(ToolCall("id", call.name), context).text)
        for call in SCRIPT
    ]


def sent(texts: list[str]) -> int:
    """Returns the tokens of the results in the requests of a message: each request sends all results before it."""
    return sum(accumulate(map(tokens, texts)))


def tokens(text: str) -> int:
    return estimated_tokens(Round(Turn(calls=(ToolCall("id", ""),)), (ToolResult("id", text),)))


def report() -> str:
    """Returns the tables, as text."""
    shown = play()
    rows = [f"{'':22}{'chars off':>11}{'on':>9}{'tokens off':>13}{'on':>9}"]
    rows += [f"{s.name:22}{len(s.off):11}{len(s.on):9}{tokens(s.off):13}{tokens(s.on):9}" for s in shown]
    off, on = sent([s.off for s in shown]), sent([s.on for s in shown])
    rows += [f"{'sent in ten requests':42}{off:13}{on:9}  ({100 - 100 * on // off} % less)", ""]
    rows += [f"{s.name}: {s.on if len(s.on) <= LINE else f'{s.on[: LINE - 90]} … {s.on[-80:]}'}" for s in shown]
    return "\n".join(rows) + "\n"


if __name__ == "__main__":
    sys.stdout.write(report())
