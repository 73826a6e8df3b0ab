"""The main text of an HTML page, for a model to read: no menus, no scripts, nothing that a person would not see.

The text is read with the standard library's parser and a few rules. The libraries for it do their work in C, where no
alarm can stop them (rule B3), in time that grows with the square of the input: 200 kB of `<div>` took resiliparse
33 seconds and selectolax 2, 1 MB of attributes takes lxml, and with it trafilatura and readability, 17. This is Python
throughout and can be stopped at any point; it also needs nothing installed (trafilatura: 57 MB, 0.4 s to import), and
reads 1 MB in 0.4 s. Hostile markup takes it long too: it is to be called under an alarm.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from html.parser import HTMLParser
from itertools import groupby
from typing import NamedTuple, override

from rondas.text import readable

_LINE_BREAKING = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr",
    "html", "legend", "li", "main", "nav", "ol", "option", "p", "pre", "section", "summary", "table", "tbody", "tfoot",
    "thead", "title", "tr", "ul",
}  # fmt: skip
_WITHOUT_END = {
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
}  # fmt: skip
_ENDED_BY_THE_NEXT = {"dd", "dt", "li", "option", "p", "td", "th", "tr"}
_UNSEEN = {
    "audio", "button", "canvas", "datalist", "embed", "iframe", "input", "math", "noscript", "object", "script",
    "select", "style", "svg", "template", "textarea", "video",
}  # fmt: skip
_ASIDE = {"aside", "footer", "header", "nav"}
_ASIDE_ROLES = {"banner", "complementary", "contentinfo", "dialog", "navigation", "search"}
_ASIDE_NAMES = {
    "advert", "advertisement", "ads", "breadcrumb", "breadcrumbs", "comments", "cookie-banner", "cookie-consent",
    "cookies", "footer", "menu", "nav", "navbar", "navigation", "newsletter", "popup", "related", "related-posts",
    "share", "sharing", "sidebar", "social",
}  # fmt: skip
_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*0(?![.\d]*[1-9])")
_PREFIXES = {"li": "- "} | {f"h{level}": "#" * level + " " for level in range(1, 7)}

_MARKUP = re.compile(r"<[a-zA-Z/!?]")

_MENU_LINKS = 3
"""So many links in a row, and nothing between them, are a menu."""

_MAIN_SHARE = 4
"""What is marked as main is taken for it unless the rest has more than this many times its text."""


@dataclass(frozen=True, slots=True)
class HtmlText:
    """What a page says: its title, and its main text as lines of plain text."""

    title: str
    main: str


def main_text(html: str) -> str:
    """Returns the main text of a page or a fragment of HTML; a text without a tag comes back as it is, but cleaned."""
    return read_html(html).main


def read_html(html: str) -> HtmlText:
    """Returns the title and the main text of a page.

    Main is what stands in `main` or `article`; of a page without them, all but menus, headers, footers and the like. A
    page that is nothing else is shown whole: better too much than nothing. Headings, items and cells keep a mark.
    """
    if not _MARKUP.search(html):
        return HtmlText("", readable(html))
    reader = _Reader()
    reader.feed(html)
    reader.close()
    lines = reader.lines()
    body = list(_without_menus(line for line in lines if line.place in {_Place.BODY, _Place.MAIN}))
    main = [line for line in body if line.place is _Place.MAIN]
    if _length(main) * _MAIN_SHARE < _length(body):
        main = body
    if not main:
        main = [line for line in lines if line.place is not _Place.TITLE]
    title = " ".join(line.text for line in lines if line.place is _Place.TITLE)
    return HtmlText(title, "\n".join(line.text for line in main))


class _Place(Enum):
    TITLE = "title"
    MAIN = "main"
    BODY = "body"
    ASIDE = "aside"
    UNSEEN = "unseen"


class _State(NamedTuple):
    """What holds within an element."""

    place: _Place = _Place.BODY
    link: bool = False
    preformatted: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    place: _Place
    links: int
    """How many links it consists of; 0 where it holds other text."""


class _Reader(HTMLParser):
    """Collects lines of text, each with the place it stands in."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[tuple[str, _State]] = [("", _State())]
        self._counts: Counter[str] = Counter()
        self._lines: list[_Line] = []
        self._prefix = ""
        self._pieces: list[str] = []
        self._state: _State | None = None  # that of the line's first text
        self._links = 0
        self._only_links = True

    def lines(self) -> list[_Line]:
        """Returns the lines read so far."""
        self._end_line()
        return self._lines

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        last, _ = self._open[-1]
        if last in _ENDED_BY_THE_NEXT and (tag == last or (last == "p" and tag in _LINE_BREAKING)):
            self.handle_endtag(last)
        if tag in _LINE_BREAKING:
            self._end_line()
            self._prefix = _PREFIXES.get(tag, "") or self._prefix
        if tag in {"td", "th"} and self._state:
            self._pieces.append(" | ")
        if tag not in _WITHOUT_END:
            self._open.append((tag, _within(self._open[-1][1], tag, dict(attrs))))
            self._counts[tag] += 1

    @override
    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # HTML knows no `<div/>`: it is an open `<div>`

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag in _LINE_BREAKING:
            self._end_line()
            self._prefix = ""
        while self._counts[tag]:  # what is closed closes what is open in it
            closed, _ = self._open.pop()
            self._counts[closed] -= 1
            if closed == tag:
                return

    @override
    def handle_data(self, data: str) -> None:
        state = self._open[-1][1]
        if state.place is _Place.UNSEEN:
            return
        if state.preformatted:
            *whole, data = data.split("\n")
            for line in whole:
                self._add(line, state)
                self._end_line()
        self._add(data, state)

    def _add(self, data: str, state: _State) -> None:
        self._pieces.append(data)
        if data.strip():
            self._state = self._state or state
            self._links += state.link
            self._only_links &= state.link

    def _end_line(self) -> None:
        if self._state:
            text = readable("".join(self._pieces))
            text = text.rstrip() if self._state.preformatted else " ".join(text.split())
            links = self._links if self._only_links else 0
            if text:
                self._lines.append(_Line(self._prefix + text, self._state.place, links))
                self._prefix = ""
        self._pieces, self._state, self._links, self._only_links = [], None, 0, True


def _within(outside: _State, tag: str, attributes: dict[str, str | None]) -> _State:
    """Returns what holds within an element, from what holds around it."""
    return _State(
        _place(outside.place, tag, attributes),
        link=outside.link or tag == "a",
        preformatted=outside.preformatted or tag == "pre",
    )


def _place(outside: _Place, tag: str, attributes: dict[str, str | None]) -> _Place:
    role = attributes.get("role") or ""
    if outside is _Place.UNSEEN or tag in _UNSEEN or _is_hidden(tag, attributes):
        return _Place.UNSEEN
    if tag == "title":
        return _Place.TITLE
    if tag == "main" or role == "main":
        return _Place.MAIN
    if outside is _Place.ASIDE or role in _ASIDE_ROLES or _is_aside(outside, tag, attributes):
        return _Place.ASIDE
    return _Place.MAIN if tag == "article" else outside


def _is_hidden(tag: str, attributes: dict[str, str | None]) -> bool:
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or (tag == "dialog" and "open" not in attributes)
        or _HIDING_STYLE.search((attributes.get("style") or "").lower()) is not None
    )


def _is_aside(outside: _Place, tag: str, attributes: dict[str, str | None]) -> bool:
    if tag in {"html", "body", "article"}:
        return False
    if tag == "header":
        return outside is not _Place.MAIN  # an article's own header holds its title
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower().split()
    return tag in _ASIDE or not _ASIDE_NAMES.isdisjoint(names)


def _without_menus(lines: Iterable[_Line]) -> Iterator[_Line]:
    """Leaves out runs of links outside what is marked as main."""
    for is_links, run in groupby(lines, key=lambda line: line.links > 0 and line.place is _Place.BODY):
        found = list(run)
        if not is_links or sum(line.links for line in found) < _MENU_LINKS:
            yield from found


def _length(lines: Iterable[_Line]) -> int:
    return sum(len(line.text) for line in lines)
