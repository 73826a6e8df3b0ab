import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from coach import TOOLS, clock
from rondas.history import ToolCall, ToolResult
from rondas.toolbox import Toolbox


@pytest.fixture(autouse=True)
def coach_table(dynamodb: object) -> None:
    """An empty table for every test here."""


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the coach's clock to noon of a day, or to a moment."""

    def set_to(moment: str) -> None:
        at = datetime.fromisoformat(moment if "T" in moment else f"{moment}T12:00").replace(tzinfo=UTC)
        monkeypatch.setattr(clock, "now", lambda: at)

    set_to("2026-11-30")
    return set_to


@pytest.fixture
def ask(set_clock: Callable[[str], None]) -> Callable[..., ToolResult]:
    """Calls a tool as the loop does, with arguments as a model writes them."""

    def call(name: str, *, user: str = "ana", key: str = "c1/7/call_1", **arguments: object) -> ToolResult:
        asked = ToolCall("call_1", name, json.dumps(arguments))
        return Toolbox(TOOLS).for_user(user).run(asked, key=key, seconds=5)

    return call
