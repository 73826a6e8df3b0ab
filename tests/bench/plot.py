"""The README's picture: three figures of each peer, side by side, as SVG that reads on light and dark pages alike."""

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from bench.lineup import NAMES, RONDAS
from bench.markdown import figure
from bench.worker import Json

ROW, TOP, LABELS, PANEL, GAP = 30, 78, 190, 190, 28
BAR_HEIGHT = 16
VALUE_ROOM = 46
"""Beside the longest bar, for its figure."""

INK, FAINT, OTHERS, OURS = "#1f2328", "#59636e", "#b6c2cf", "#0969da"
FONT = "-apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"


class Panel(NamedTuple):
    """One figure of all peers."""

    title: str
    unit: str
    values: dict[str, float]


def panels(results: Json) -> list[Panel]:
    """Returns what is drawn, of the peers that could bear it."""
    names = [name for name, stored in results["store"].items() if "error" not in stored["100"]]
    return [
        Panel("Processor time", "ms, ten rounds of tools", {n: results["warm"][n]["10"]["cpu_ms"] for n in names}),
        Panel("DynamoDB requests", "ten rounds of tools", {n: results["store"][n]["100"]["requests"] for n in names}),
        Panel("Start until ready", "ms", {n: results["cold"]["peers"][n]["ready_ms"] for n in names}),
    ]


def svg(results: Json) -> str:
    """Returns the picture."""
    drawn = panels(results)
    names = list(drawn[0].values)
    width = LABELS + len(drawn) * (PANEL + GAP) + GAP
    height = TOP + len(names) * ROW + 16
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">'
    parts = [
        head,
        "<title>Rondas beside its peers</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#fff"/>',
    ]
    for row, name in enumerate(names):
        parts.append(_text(LABELS + 12, _middle(row) + 5, NAMES[name], bold=name == RONDAS, anchor="end"))
    for number, panel in enumerate(drawn):
        parts += _panel(panel, LABELS + GAP + number * (PANEL + GAP), names)
    return "\n".join([*parts, "</svg>\n"])


def _panel(panel: Panel, left: int, names: Sequence[str]) -> list[str]:
    longest = max(panel.values.values())
    bottom = TOP + len(names) * ROW
    parts = [
        _text(left, 34, panel.title, bold=True, size=14),
        _text(left, 53, panel.unit, color=FAINT),
        f'<path d="M{left} {TOP - 8}V{bottom}" stroke="{FAINT}"/>',
    ]
    for row, name in enumerate(names):
        value = panel.values[name]
        length = max(1.5, value / longest * (PANEL - VALUE_ROOM))
        box = f'x="{left}" y="{_middle(row) - BAR_HEIGHT // 2}" width="{length:.1f}" height="{BAR_HEIGHT}"'
        parts.append(f'<rect {box} rx="2" fill="{OURS if name == RONDAS else OTHERS}"/>')
        parts.append(_text(left + length + 6, _middle(row) + 5, figure(value), bold=name == RONDAS))
    return parts


def _text(
    x: float, y: int, text: str, *, bold: bool = False, size: int = 13, color: str = INK, anchor: str = "start"
) -> str:
    weight = ' font-weight="600"' if bold else ""
    style = f'font-size="{size}" fill="{color}" text-anchor="{anchor}"{weight}'
    return f'<text x="{x:.1f}" y="{y}" {style}>{escape(text)}</text>'


def _middle(row: int) -> int:
    return TOP + row * ROW + ROW // 2
