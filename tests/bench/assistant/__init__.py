"""The app of the bench, which stands in the coach's place: one tool that the peers have as well."""

from bench.peers.task import SYSTEM
from rondas.tools import Tool

from .lookup import lookup

__all__ = ["PROMPT", "SETTINGS", "TOOLS"]

PROMPT = SYSTEM
TOOLS: list[Tool] = [lookup]
SETTINGS: tuple[str, ...] = ()
