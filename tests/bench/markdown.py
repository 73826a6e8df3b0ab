"""Tables in Markdown."""

from collections.abc import Iterable, Sequence

MISSING = "\N{EN DASH}"
TIMES = "\N{MULTIPLICATION SIGN}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, figures: bool = True) -> str:
    """Returns a table whose first column is text and whose others are figures, unless they are text as well."""
    lines = [head, ["---", *["--:" if figures else "---"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def figure(value: float | None) -> str:
    """Returns a figure with as many digits as are worth reading."""
    if value is None:
        return MISSING
    text = f"{value:.1f}" if abs(value) < 100 else f"{value:,.0f}"
    return text.removesuffix(".0").replace(",", " ")


def ratio(value: float | None, to: float | None, digits: int = 1) -> str:
    """Returns how many times another figure it is; nothing where there is none."""
    return f"{value / to:.{digits}f}{TIMES}" if value is not None and to else MISSING


def cell(text: str, most: int = 120) -> str:
    """Returns text on one line, cut where it is long."""
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= most else f"{line[:most]}…"
