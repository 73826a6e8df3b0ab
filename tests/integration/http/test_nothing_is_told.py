"""Nothing of a person's words, of their token, of our keys or of what tools found is ever in a log or a metric."""

import io
import json
import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest
from chat_function import Chat
from fakes.anthropic import error, message
from fakes.site import Site, page, served
from http_door import Door

import rondas.web.page
from coach.read_web_page import WebPage, read_web_page
from local.token import bearer
from rondas.loop import Loop
from rondas.toolbox import Toolbox
from rondas.tools import Arguments, ToolMistake, tool
from rondas.web.page import Page

MARK = "planted"


class Nothing(Arguments):
    """No arguments."""


@tool
def breaks(_arguments: Nothing) -> WebPage:
    """Breaks."""
    raise RuntimeError(f"{MARK} by a tool that breaks")


@tool
def mistaken(_arguments: Nothing) -> WebPage:
    """Knows better."""
    raise ToolMistake(f"{MARK} by a tool that refuses")


class Told:
    """All that was logged and printed."""

    def __init__(self, printed: pytest.CaptureFixture[str]) -> None:
        self.logged = io.StringIO()
        self._printed = printed

    def text(self) -> str:
        printed = self._printed.readouterr()
        return self.logged.getvalue() + printed.out + printed.err


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    """Listens at every logger, at the level that is deployed."""
    told = Told(capsys)
    for name in list(logging.root.manager.loggerDict):
        for handler in logging.getLogger(name).handlers:
            monkeypatch.setattr(handler, "stream", told.logged, raising=False)
    everything = logging.StreamHandler(told.logged)
    logging.root.addHandler(everything)
    monkeypatch.setattr(logging.root, "level", logging.INFO)
    yield told
    logging.root.removeHandler(everything)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A site with one page, which the coach's tool reads."""
    read = rondas.web.page.read_page

    def read_page(url: str, seconds: float) -> Page:
        return read(url, seconds, site.network())

    with served(
        Site({f"/{MARK}": page(f"<title>{MARK} by a page</title><p>{MARK} by a page")}), "www.example.org"
    ) as site:
        monkeypatch.setattr(rondas.web.page, "read_page", read_page)
        yield site


def test_of_planted_words_token_key_and_results_nothing_is_told(
    chat: Chat, told: Told, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a token, a web page, tools and a model's service that all have something to hide
    toolbox = Toolbox([read_web_page, breaks, mistaken])
    vars(chat.app)["agent"] = replace(chat.app.agent, toolbox=toolbox)
    door = Door.of(chat)
    token = f"Bearer {bearer('ana')}{MARK}"
    words = json.dumps({"text": f"{MARK} in words"}).encode()

    def ask(method: str, path: str, body: bytes = b"", query: str = "", **headers: str) -> int:
        return door.ask(method, path, body, user=None, query=query, authorization=token, **headers).status

    # When everything happens: an answer over tools that work, refuse, break and do not exist
    chat.model.add(
        message(
            f"{MARK} by the model",
            [
                ("1", "read_web_page", {"url": f"https://www.example.org/{MARK}"}),
                ("2", "read_web_page", {"url": f"https://{MARK}.example.org/"}),
                ("5", "breaks", {}),
                ("3", "mistaken", {f"{MARK}": 1}),
                ("4", f"{MARK}-tool", {}),
            ],
        ),
        message(f"{MARK} in the answer"),
    )
    messages = "/conversations/c-1/messages"
    assert ask("POST", messages, words) == 200
    assert site.paths == [f"/{MARK}"]
    # a model that fails
    chat.model.add(error(401, "authentication_error", f"{MARK} by the service"))
    assert ask("POST", messages, words) == 503
    # requests that are refused
    assert ask("POST", messages, b'{"text": "' + MARK.encode()) == 400
    assert ask("POST", messages, json.dumps({"text": f"{MARK}" * 2000}).encode()) == 413
    assert ask("POST", messages, json.dumps({"text": "a", MARK: MARK}).encode()) == 422
    assert ask("POST", messages, words, idempotency_key=MARK) == 422
    assert ask("POST", messages, b"\xff" + MARK.encode()) == 400
    assert ask("GET", "/conversations", query=f"cursor={MARK}", accept_language=MARK) == 400
    assert ask("GET", messages, query=f"after={MARK}") == 422
    assert ask("DELETE", f"/conversations/{MARK}%20x") == 422
    assert door.ask("GET", messages, authorization=MARK, user=None).status == 401
    # what reads and erases
    assert ask("GET", "/conversations") == 200
    assert ask("GET", messages) == 200
    assert ask("DELETE", "/conversations/c-1") == 204
    # a mistake of ours, which knows the person's words
    with monkeypatch.context() as broken:
        broken.setattr(Loop, "run", _break)
        assert ask("POST", "/conversations/c-2/messages", words) == 500

    # Then it is told what happened, and nothing of what it was about
    everything = told.text()
    for expected in ("run ended", "model failed", "ModelFailures", "RunTime", "unexpected RuntimeError"):
        assert expected in everything
    assert MARK not in everything
    assert "secret-key" not in everything


def _break(*_: object) -> None:
    raise RuntimeError(f"{MARK} in a mistake of ours")
