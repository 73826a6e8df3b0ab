"""The one tool."""

from pydantic import BaseModel

from bench.peers.task import lookup_text
from rondas.tools import Arguments, tool


class Query(Arguments):
    """What the model asks."""

    query: str


class Fact(BaseModel):
    """What it is told."""

    fact: str


@tool
def lookup(arguments: Query) -> Fact:
    """Look up a fact."""
    return Fact(fact=lookup_text(arguments.query))
