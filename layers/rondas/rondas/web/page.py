"""Reads a page of the web: public servers only, with limits for everything, and its main text only.

Every address is checked again at every redirect. Nothing of the environment takes part: no proxy, no password file, no
cookie. Nothing is sent but the URL and who is asking.
"""

import re
import ssl
import time
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import NamedTuple

from rondas.html import read_html
from rondas.text import readable
from rondas.tools import ToolMistake
from rondas.web.connection import INTERNET, Network, PinnedConnection, TooLargeError, public_addresses
from rondas.web.urls import PageUrl, page_url, redirected

MAX_BYTES = 2_000_000
"""Of a page; its HTML is then read in about a second."""

MAX_REDIRECTS = 5

MAX_SECONDS = 10.0
"""For a page with all its redirects: a slow one must not take the time for an answer without it."""

_HEADERS = {
    "User-Agent": "Rondas",
    "Accept": "text/html, application/xhtml+xml, text/plain;q=0.9",
    "Accept-Encoding": "identity",  # what is not compressed cannot unfold to gigabytes
    "Connection": "close",
}
_OK = 200
_TITLE_LENGTH = 300
_REDIRECTS = {301, 302, 303, 307, 308}
_HTML = {"text/html", "application/xhtml+xml"}
_PLAIN = "text/plain"
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.ASCII | re.IGNORECASE)
_CHARSETS = re.compile(
    r"utf-?8|us-ascii|iso-8859-(1[013-6]|[1-9])|windows-125[0-8]|shift_jis|euc-(jp|kr)|gb(k|2312|18030)|big5|koi8-[ru]"
)
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_DECLARED_WITHIN = 1024  # so far into a page HTML lets it declare its charset


@dataclass(frozen=True, slots=True)
class Page:
    """What a page says: where it was found after redirects, its title, its main text."""

    url: str
    title: str
    text: str


class _Document(NamedTuple):
    """A page as it was sent."""

    url: PageUrl
    media_type: str
    content_type: str
    body: bytes


def read_page(url: str, seconds: float = MAX_SECONDS, network: Network = INTERNET) -> Page:
    """Reads a page.

    Args:
        url: its address.
        seconds: how long fetching it may take, redirects included; never more than `MAX_SECONDS`.
        network: how to connect.

    Raises:
        ToolMistake: the page may not or cannot be read. The text says why, and holds nothing that came from the page.
    """
    try:
        document = _fetch(page_url(url), time.monotonic() + min(seconds, MAX_SECONDS), network)
    except TimeoutError:
        raise ToolMistake("The page did not come in time.") from None
    except TooLargeError:
        raise ToolMistake(f"The page is larger than {MAX_BYTES // 1_000_000} MB.") from None
    except ssl.SSLCertVerificationError:
        raise ToolMistake("The site cannot prove that it is the one named: its certificate is not valid.") from None
    except (OSError, HTTPException):
        raise ToolMistake("The site cannot be reached, or what it sends is no page.") from None
    page = _page(document)
    if not page.text.strip():
        raise ToolMistake("The page holds no text that can be read without running its scripts.")
    return page


def _fetch(url: PageUrl, until: float, network: Network) -> _Document:
    for _ in range(MAX_REDIRECTS + 1):
        addresses = public_addresses(url.host, until, network)
        with closing(
            PinnedConnection(url.host, addresses, until=until, max_bytes=2 * MAX_BYTES, network=network)
        ) as connection:
            connection.request("GET", url.target, headers=_HEADERS)
            with connection.getresponse() as response:
                location = response.headers.get("location")
                if response.status not in _REDIRECTS or location is None:
                    return _document(url, response)
        url = redirected(url, location)
    raise ToolMistake(f"The page redirects more than {MAX_REDIRECTS} times.")


def _document(url: PageUrl, response: HTTPResponse) -> _Document:
    """Reads what may be read; what the headers rule out is not read at all."""
    if response.status != _OK:
        raise ToolMistake(f"There is no page: the site answers with status {response.status}.")
    content_type = response.headers.get("content-type", "")
    media_type = content_type.partition(";")[0].strip().lower()
    if media_type not in _HTML and media_type != _PLAIN:
        raise ToolMistake("It is no page of text: only HTML and plain text can be read, no PDF, image or download.")
    if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ToolMistake("The site sends the page compressed although that was not asked for.")
    if (response.length or 0) > MAX_BYTES or len(body := response.read(MAX_BYTES + 1)) > MAX_BYTES:
        raise TooLargeError
    if response.length:  # it was announced, and did not come
        raise IncompleteRead(body, response.length)
    return _Document(url, media_type, content_type, body)


def _page(document: _Document) -> Page:
    text = document.body.decode(_charset(document), "replace")
    if document.media_type == _PLAIN:
        return Page(str(document.url), "", readable(text))
    html = read_html(text)
    return Page(str(document.url), html.title[:_TITLE_LENGTH], html.main)


def _charset(document: _Document) -> str:
    """Returns what the page is written in, as a codec of Python's: by its first bytes, its header, its own word."""
    for mark, charset in _BYTE_ORDER_MARKS.items():
        if document.body.startswith(mark):
            return charset
    head = document.body[:_DECLARED_WITHIN].decode("latin-1") if document.media_type in _HTML else ""
    found = _CHARSET.search(document.content_type) or _CHARSET.search(head)
    charset = found[1].lower() if found else ""
    if not _CHARSETS.fullmatch(charset):  # codecs of Python's that are no charset are none of a page's business
        return "utf-8"
    return "windows-1252" if charset in {"iso-8859-1", "us-ascii"} else charset  # as every browser reads them
