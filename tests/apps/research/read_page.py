"""The tool that reads a page of the library."""

from pydantic import BaseModel, Field

from rondas.tools import Arguments, ToolMistake, tool

from .library import pages


class ReadArguments(Arguments):
    """Which page."""

    page: str = Field(max_length=100, description="The page's name, as search gives it.")


class PageText(BaseModel):
    """What the page says."""

    title: str
    text: str


@tool
def read_page(arguments: ReadArguments) -> PageText:
    """Reads a page of the library. Use it with the name of a page that search has found."""
    page = pages().get(arguments.page)
    if page is None:
        raise ToolMistake(f"There is no page {arguments.page!r}. Search for one.")
    return PageText(title=page.title, text=page.text)
