"""A tiny research assistant: it searches a small library, reads, searches again with what it has learned, and answers.

Stands in the coach's place without any change elsewhere: an app is a folder with these three names.
"""

from pathlib import Path

from rondas.tools import Tool

from .read_page import read_page
from .search import search

__all__ = ["PROMPT", "SETTINGS", "TOOLS"]

PROMPT = Path(__file__).with_name("prompt.md").read_text(encoding="utf-8")
TOOLS: list[Tool] = [search, read_page]
SETTINGS: tuple[str, ...] = ()
