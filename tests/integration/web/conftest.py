from collections.abc import Callable, Iterator

import pytest
from fakes.site import Site, served

from rondas.tools import ToolMistake
from rondas.web.page import Page, read_page


@pytest.fixture
def site() -> Iterator[Site]:
    with served(Site(), "www.example.org", "other.example.net", "xn--bcher-kva.example") as site:
        yield site


@pytest.fixture
def read(site: Site) -> Callable[[str], Page]:
    """Reads a page of the site's."""
    return lambda url: read_page(url, 5, site.network())


@pytest.fixture
def refusal(site: Site) -> Callable[[str], str]:
    """Reads a page that must be refused, and returns the words."""

    def read(url: str) -> str:
        with pytest.raises(ToolMistake) as refused:
            read_page(url, 5, site.network())
        return str(refused.value)

    return read
