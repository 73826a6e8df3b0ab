"""The library: where its pages are, and how they are found."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_TEXTS = Path(__file__).with_name("texts")


@dataclass(frozen=True, slots=True)
class Page:
    """A page, under the name it is read by."""

    name: str
    title: str
    text: str


@cache
def pages() -> dict[str, Page]:
    """Returns all pages by their names."""
    return {file.stem: _page(file) for file in sorted(_TEXTS.glob("*.md"))}


def find(query: str) -> list[Page]:
    """Returns the pages that have words of the query: those with most of them first, then those that use them most."""
    words = [word.removesuffix("s") for word in re.findall(r"\w+", query.casefold())]
    ranks = {page.name: _rank(page, words) for page in pages().values()}
    found = [page for page in pages().values() if any(ranks[page.name])]
    return sorted(found, key=lambda page: ranks[page.name], reverse=True)


def _rank(page: Page, words: list[str]) -> tuple[int, int]:
    counts = [f"{page.title} {page.text}".casefold().count(word) for word in words]
    return sum(count > 0 for count in counts), sum(counts)


def _page(file: Path) -> Page:
    title, _, text = file.read_text(encoding="utf-8").partition("\n")
    return Page(file.stem, title.removeprefix("# "), text.strip())
