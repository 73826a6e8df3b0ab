"""Gymnasia's coach, the app that Rondas ships with: its prompt and its tools.

A new tool is one function in one file of this folder, marked with `@tool`; it is found here by itself, and left out
where the file names a `SETTING` that is not `on`. Another app replaces this folder and exports the same three names.
"""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from rondas.settings import is_on
from rondas.tools import Tool

__all__ = ["PROMPT", "SETTINGS", "TOOLS"]


def _tools() -> list[Tool]:
    """Returns every tool of this folder, by file and as written: the same order each time, for the prompt cache."""
    found: dict[int, Tool] = {}  # by identity: a file may import another one's tool
    for name in (module.name for module in iter_modules(__path__)):
        module = import_module(f"{__name__}.{name}")
        if _is_offered(module):
            found |= {id(member): member for member in vars(module).values() if isinstance(member, Tool)}
    return list(found.values())


def _is_offered(module: ModuleType) -> bool:
    setting: str | None = getattr(module, "SETTING", None)
    return setting is None or is_on(setting)


SETTINGS: tuple[str, ...] = ("COACH_TABLE_NAME",)
"""The environment variables without which the coach cannot work; they are checked at start."""

PROMPT: str = Path(__file__).with_name("prompt.md").read_text(encoding="utf-8")
TOOLS: list[Tool] = _tools()
