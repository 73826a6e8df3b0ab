"""Tools that a model can be told about, and a way to bind a provider to a fake service."""

from collections.abc import Iterator

import httpx2
import pytest
from fakes.openai import OpenAIServer
from fakes.server import serving
from pydantic import BaseModel, Field

from rondas.providers import Provider, connect
from rondas.providers.attempt import shared_client
from rondas.tools import Arguments, Tool, tool


class Query(Arguments):
    query: str = Field(description="What to look for.")


class Found(BaseModel):
    text: str


@tool
def look(arguments: Query) -> Found:
    """Looks something up."""
    return Found(text=arguments.query)


@tool(effect=True)
def save(arguments: Query) -> Found:
    """Saves something."""
    return Found(text=arguments.query)


@pytest.fixture
def tools() -> list[Tool]:
    return [look, save]


@pytest.fixture
def read_timeouts() -> Iterator[list[float]]:
    """Gives, for each request to a model that leaves, the seconds that an answer to it may take."""
    seconds: list[float] = []

    def look(request: httpx2.Request) -> None:
        seconds.append(request.extensions["timeout"]["read"])

    hooks = shared_client().event_hooks["request"]
    hooks.append(look)
    yield seconds
    hooks.remove(look)


@pytest.fixture
def openai_service(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    """OpenAI's service on loopback; at the end its script must be used up."""
    service = OpenAIServer()
    with serving(service):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{service.url}/v1")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        yield service
        service.check_used_up()


@pytest.fixture
def openai_model(openai_service: OpenAIServer, tools: list[Tool]) -> Provider:
    """A model of OpenAI's that asks `openai_service`."""
    return connect("openai:gpt-6.2-sol", lambda _: "key", "You are a coach.", tools, 4096)
