"""A conversation that the three services answer, each from its script, through the loop and over HTTP."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from doubles import FakeClock, MemoryJournal, RecordingTools
from fakes.server import ModelServer, serving
from fakes.services import Service

from rondas.budget import Budget
from rondas.history import Entry, UserMessage
from rondas.loop import Ending, Loop, Tools
from rondas.providers import connect
from rondas.providers.failover import Failover
from rondas.tools import Tool
from rondas.window import for_model

PROMPT = "You are a coach."


def look(number: int, query: str = "x") -> tuple[str, str, Any]:
    return (f"call_{number}", "look", {"query": f"{query}{number}"})


class Runs:
    """A conversation whose messages are answered by services on loopback, one after the other or in failover.

    Its calls are run by `run_by`, and only recorded where nothing else is said.
    """

    def __init__(self, tools: list[Tool], *services: Service, run_by: Tools | None = None) -> None:
        self.history: list[Entry] = []
        self.journal = MemoryJournal()
        self.tools = RecordingTools(FakeClock())
        self._run_by = run_by or self.tools
        self._providers = {
            service.model: connect(service.model, lambda _: "key", prompt=PROMPT, tools=tools, max_output_tokens=4096)
            for service in services
        }

    def ask(self, text: str, *models: str, max_rounds: int = 10, sleeps: list[float] | None = None) -> Ending:
        waits = sleeps if sleeps is not None else []
        providers = {model: self._providers[model] for model in models or self._providers}
        self.history.append(UserMessage(text))
        loop = Loop(
            model=Failover(providers, sleep=waits.append),
            tools=self._run_by,
            history=for_model(self.history),
            budget=Budget.start(25, 7),
            journal=self.journal,
            max_rounds=max_rounds,
        )
        ending = loop.run()
        self.history = [*loop.history, ending.answer]
        return ending


@contextmanager
def started(monkeypatch: pytest.MonkeyPatch, *services: Service) -> Generator[dict[str, ModelServer]]:
    """Starts the services; at the end their scripts must be used up, and nothing refused."""
    with ExitStack() as stack:
        servers = {service.model: stack.enter_context(serving(service.start())) for service in services}
        for service in services:
            variable, path = service.base_url
            monkeypatch.setenv(variable, servers[service.model].url + path)
        yield servers
        for server in servers.values():
            server.check_used_up()
