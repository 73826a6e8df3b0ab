"""Which URLs may be read: `https://name/path`, and nothing that could be read in two ways."""

import re
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from rondas.text import clean
from rondas.tools import ToolMistake

MAX_LENGTH = 2000

_NAME = re.compile(r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+(?!\d+$|0x)[a-z0-9-]{2,63}")
"""A name of two labels or more whose last one is no number: neither `localhost`, nor any way to write an address."""

_KEPT = "%/:=&?~#+!$,;'@()*[]"  # what stays as it is in a path and a query; what is escaped already stays so


class PageUrl(NamedTuple):
    """A URL that may be read.

    Attributes:
        host: the name of the server, in ASCII and lower case.
        target: path and query, in ASCII.
    """

    host: str
    target: str

    def __str__(self) -> str:
        return f"https://{self.host}{self.target}"


def page_url(url: str) -> PageUrl:
    """Reads a URL.

    Raises:
        ToolMistake: it is not one that may be read.
    """
    url = clean(url).strip()
    if len(url) > MAX_LENGTH:
        raise ToolMistake(f"The address is longer than {MAX_LENGTH} characters.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ToolMistake("The address is no URL. Expected: https://name/path.") from None
    if parts.scheme != "https":
        raise ToolMistake("The address must begin with https://.")
    if "@" in parts.netloc:
        raise ToolMistake("The address must not hold a user name or a password.")
    if port not in {None, 443}:
        raise ToolMistake("The address must not name a port.")
    target = quote(parts.path or "/", _KEPT) + (f"?{quote(parts.query, _KEPT)}" if parts.query else "")
    return PageUrl(_host(host), target)


def redirected(url: PageUrl, location: str) -> PageUrl:
    """Reads where a page sends its reader.

    Args:
        url: the page.
        location: its `Location` header, as Python's HTTP library reads it.

    Raises:
        ToolMistake: it is no URL that may be read.
    """
    written = location.encode("latin-1", "replace").decode("utf-8", "replace")  # many servers write UTF-8
    try:
        return page_url(urljoin(str(url), written))
    except ValueError:
        raise ToolMistake("The page redirects to what is no URL.") from None
    except ToolMistake as mistake:
        raise ToolMistake(f"The page redirects to where it must not be followed. {mistake}") from None


def _host(host: str) -> str:
    name = _in_ascii(host).lower().removesuffix(".")
    if not _NAME.fullmatch(name):
        raise ToolMistake("The address must name a public site, such as www.example.org; no number, no local name.")
    return name


def _in_ascii(host: str) -> str:
    """Returns a name as it is looked up (IDNA 2008); empty where it cannot be one."""
    if host.isascii():
        return host
    import idna  # noqa: PLC0415 - its tables are large, and most names need none

    try:
        return idna.encode(host, uts46=True).decode()
    except UnicodeError:  # of which IDNAError is one
        return ""
