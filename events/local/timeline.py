"""Where the time of a message went: a bar for each round, of model, tools and store."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rondas.history import ToolCall, ToolResult, Turn

MARKS = {"model": "█", "tools": "▒", "store": "░"}
"""What each part is drawn with."""

WIDTH = 40
"""Of the longest bar, in characters."""


@dataclass(slots=True)
class Step:
    """What begins with a turn of the model, or with the message: the seconds of its parts."""

    label: str
    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(MARKS, 0.0))

    @property
    def whole(self) -> float:
        """All of it, in seconds."""
        return sum(self.seconds.values())


class Timeline:
    """Notes what a message spends its time on; the parts of a `rondas.watcher.Watcher` that tell of time."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._rounds = 0

    def begin(self) -> None:
        """Begins with a message."""
        self._steps = [Step("claim")]
        self._rounds = 0

    def on_turn(self, turn: "Turn | None", seconds: float) -> None:
        """Begins a step; only a tool that runs makes a round of it."""
        self._steps.append(Step(_label(turn)))
        self._add("model", seconds)

    def on_result(self, call: "ToolCall", result: "ToolResult", seconds: float) -> None:
        """Adds to the step, which is a round."""
        del call, result
        if not self._steps[-1].label.startswith("round"):
            self._rounds += 1
            self._steps[-1].label = f"round {self._rounds}"
        self._add("tools", seconds)

    def on_store(self, seconds: float) -> None:
        """Adds to the step."""
        self._add("store", seconds)

    def lines(self) -> list[str]:
        """Returns the bars, drawn to the scale of the longest, and what their marks mean; none where nothing ran."""
        steps = [step for step in self._steps if step.whole]
        if len(steps) < 2:  # noqa: PLR2004 - a claim alone: the message was answered before
            return []
        longest = max(step.whole for step in steps)
        legend = "  ".join(f"{mark} {name} {_shown(self._total(name))}" for name, mark in MARKS.items())
        return [*(_line(step, longest) for step in steps), f"{'':<9}{legend}"]

    def _add(self, part: str, seconds: float) -> None:
        if self._steps:
            self._steps[-1].seconds[part] += seconds

    def _total(self, part: str) -> float:
        return sum(step.seconds[part] for step in self._steps)


def _label(turn: "Turn | None") -> str:
    if turn is None:
        return "no turn"
    return "declined" if turn.calls else "answer"


def _line(step: Step, longest: float) -> str:
    return f"{step.label:<9}{_bar(step, longest):<{WIDTH}} {_shown(step.whole):>7}"


def _bar(step: Step, longest: float) -> str:
    """Draws the parts one after the other, each to where its end lies on the scale."""
    bar, spent = "", 0.0
    for part, mark in MARKS.items():
        spent += step.seconds[part]
        bar += mark * (round(WIDTH * spent / longest) - len(bar))
    return bar


def _shown(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.0f} ms"
