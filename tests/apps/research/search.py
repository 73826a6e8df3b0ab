"""The tool that searches the library."""

from pydantic import BaseModel, Field

from rondas.tools import Arguments, tool

from .library import find, pages


class SearchArguments(Arguments):
    """What to look for."""

    query: str = Field(min_length=1, max_length=100, description="One to three words, such as spring tides.")


class Hit(BaseModel):
    """A page that was found."""

    page: str
    title: str
    begins: str


class Hits(BaseModel):
    """What was found, best first."""

    hits: list[Hit]
    note: str | None = None


@tool(more="Search with other words.")
def search(arguments: SearchArguments) -> Hits:
    """Searches the library. Use it first, and again with better words; then read the page that promises most."""
    found = [Hit(page=page.name, title=page.title, begins=page.text[:80]) for page in find(arguments.query)]
    titles = ", ".join(page.title for page in pages().values())
    return Hits(hits=found, note=None if found else f"Nothing has these words. The library holds: {titles}.")
