"""What can go wrong with Gemini, over HTTP."""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from urllib.request import getproxies

import httpx2
import pytest
from fakes.google import MODEL, PROMPT, REFUSED_KEY, content, error, serving_gemini
from fakes.server import Reply

from rondas.history import UserMessage
from rondas.interrupt import OutOfTime
from rondas.providers import Provider, attempt, connect
from rondas.providers.attempt import shared_client
from rondas.providers.errors import ProviderError
from rondas.tools import Tool

HELLO = UserMessage("How am I doing?")

RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.074824224s"}
QUOTA = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": "PerDay"}]}


@contextmanager
def raw_server(serve: Callable[[socket.socket], None]) -> Generator[str]:
    """Runs a server that does to its one connection what no HTTP server would; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept() -> None:
            with listening.accept()[0] as connection:
                serve(connection)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join(5)


def silent(connection: socket.socket) -> None:
    connection.settimeout(60)
    while connection.recv(65_536):
        pass


def dripping(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99999\r\n\r\n")
    with suppress(OSError):  # which is raised when nobody listens any more
        for _ in range(600):
            connection.sendall(b" ")
            time.sleep(0.1)


def resetting(connection: socket.socket) -> None:
    connection.recv(1)


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch, tools: list[Tool]) -> Callable[[str], Provider]:
    """Binds a model to whatever stands at an address."""

    def bind(url: str) -> Provider:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        return connect(MODEL, lambda _: "test-key", prompt=PROMPT, tools=tools, max_output_tokens=500)

    return bind


def failure(reply: Reply, tools: list[Tool], key: str = "test-key") -> ProviderError:
    """Returns the error of the one request that is made."""
    with serving_gemini(tools, reply, key=key) as (server, gemini):
        with pytest.raises(ProviderError) as caught:
            gemini.turn([HELLO], seconds=5)
        assert len(server.requests) == 1
    return caught.value


@pytest.mark.parametrize("serve", [silent, dripping], ids=["trap 16 silent", "trap 23 dripping"])
def test_a_server_cannot_hold_the_turn_past_its_time(
    bound: Callable[[str], Provider], serve: Callable[[socket.socket], None]
) -> None:
    # given
    with raw_server(serve) as url:
        gemini = bound(url)
        # when, then: the call comes back although the server would go on for very long
        with pytest.raises(OutOfTime):
            gemini.turn([HELLO], seconds=0.6)


def test_trap_16_the_timeout_is_told_in_milliseconds(tools: list[Tool], read_timeouts: list[float]) -> None:
    # when
    with serving_gemini(tools, content("Fine.")) as (_, gemini):
        gemini.turn([HELLO], seconds=7.5)
    # then: the request has seconds, as it should
    assert read_timeouts == [pytest.approx(7.45, abs=0.01)]


def test_trap_31_the_service_is_told_no_deadline_of_its_own(tools: list[Tool]) -> None:
    """The SDK makes one of its timeout; the service refuses any below ten seconds, as every closing call's is."""
    with serving_gemini(tools, content("Fine."), content("Bye.")) as (server, gemini):
        gemini.turn([HELLO], seconds=18)
        gemini.turn([HELLO], seconds=7, closing="Close.")
        server.check_used_up()
    assert not any("x-server-timeout" in request.headers for request in server.requests)


def test_a_botched_closing_call_is_not_tried_again(tools: list[Tool]) -> None:
    with serving_gemini(tools, content("", (), "UNEXPECTED_TOOL_CALL")) as (_, gemini):
        turn = gemini.turn([HELLO], seconds=5, closing="Close.")
    assert (turn.stop, turn.text, turn.calls) == ("unknown", "", ())


def test_trap_16_connecting_has_less_time_than_the_turn(
    bound: Callable[[str], Provider], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that does not even answer must leave time for another."""
    # given: a server whose queue of connections is full
    monkeypatch.setattr(attempt, "CONNECT_SECONDS", 0.3)
    with socket.socket() as full, socket.socket() as first, socket.socket() as second:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        gemini = bound(f"http://127.0.0.1:{full.getsockname()[1]}")
        # when
        with pytest.raises(ProviderError) as caught:
            gemini.turn([HELLO], seconds=30)
    # then: the time to connect ran out, not the turn's
    assert str(caught.value) == f"{MODEL}: ConnectTimeout"
    assert caught.value.retryable


def test_trap_16_transport_errors_are_translated(bound: Callable[[str], Provider]) -> None:
    # given
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    # when
    with pytest.raises(ProviderError) as refused:
        bound(f"http://127.0.0.1:{port}").turn([HELLO], seconds=5)
    with raw_server(resetting) as url, pytest.raises(ProviderError) as reset:
        bound(url).turn([HELLO], seconds=5)
    # then
    assert str(refused.value) == f"{MODEL}: ConnectError"
    assert refused.value.retryable
    assert reset.value.retryable


@pytest.mark.parametrize(
    ("status", "retryable"),
    [
        (400, False), (401, False), (403, False), (404, False), (413, False), (302, False),
        (408, True), (409, True), (429, True), (500, True), (502, True), (503, True), (504, True), (529, True),
    ],
)  # fmt: skip
def test_trap_16_one_turn_is_one_attempt(tools: list[Tool], status: int, *, retryable: bool) -> None:
    caught = failure(error(status, "secret words", "ANY"), tools)
    assert caught.retryable is retryable
    assert str(status) in str(caught)
    assert "secret" not in str(caught)


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (error(429, "Quota", "RESOURCE_EXHAUSTED", [QUOTA, RETRY_INFO]), 34.074824224),
        (error(429, "Quota", "RESOURCE_EXHAUSTED", [{"retryDelay": "2s"}]), 2),
        (error(429, "Quota", "RESOURCE_EXHAUSTED", [{"retryDelay": "soon"}, {"retryDelay": 3}]), None),
        (error(429, "Quota", "RESOURCE_EXHAUSTED", [QUOTA]), None),
        (Reply([error(429, "Quota", "RESOURCE_EXHAUSTED", [RETRY_INFO]).body], 429), 34.074824224),
        (Reply({"error": "none of the usual"}, 429), None),
        (Reply({"error": {}}, 429, {"retry-after": "4"}), 4),
    ],
)
def test_the_wait_that_google_asks_for_is_passed_on(tools: list[Tool], reply: Reply, seconds: float | None) -> None:
    assert failure(reply, tools).retry_after == seconds


def test_a_refused_key_is_not_tried_again(tools: list[Tool]) -> None:
    caught = failure(content("Never."), tools, key=REFUSED_KEY)
    assert not caught.retryable
    assert str(caught).startswith(f"{MODEL}: 400")
    assert REFUSED_KEY not in str(caught)


def test_a_key_that_cannot_be_had_is_not_tried_again(tools: list[Tool]) -> None:
    # given
    def no_key(_: str) -> str:
        raise LookupError

    gemini = connect(MODEL, no_key, prompt=PROMPT, tools=tools, max_output_tokens=500)
    # when
    with pytest.raises(ProviderError) as caught:
        gemini.turn([HELLO], seconds=5)
    # then
    assert not caught.value.retryable
    assert str(caught.value) == f"{MODEL}: no GEMINI_API_KEY: LookupError"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<html>Sign in to the Wi-Fi</html>", content_type="text/html"),
        Reply(b""),
        Reply(b"{"),
        Reply(b"[]"),
        Reply(b'"words"'),
        Reply(b"<html>Bad gateway</html>", 502, content_type="text/html"),
    ],
)
def test_trap_24_what_is_no_answer_is_asked_for_again(tools: list[Tool], reply: Reply) -> None:
    assert failure(reply, tools).retryable


def test_trap_29_no_proxy_is_obeyed_and_so_is_the_proxy(tools: list[Tool], monkeypatch: pytest.MonkeyPatch) -> None:
    # given: a proxy that nobody runs
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert getproxies()["http"]
    shared_client.cache_clear()
    try:
        # when
        with serving_gemini(tools, content("Fine.")) as (server, gemini):
            turn = gemini.turn([HELLO], seconds=5)
            server.check_used_up()
    finally:
        shared_client().close()
        shared_client.cache_clear()
    # then
    assert turn.text == "Fine."


def test_making_a_client_builds_no_certificates(tools: list[Tool], monkeypatch: pytest.MonkeyPatch) -> None:
    """Building a TLS context takes as long as ten warm requests; the one of the shared client is enough."""
    # given
    shared_client()

    def expensive(*_: object, **__: object) -> ssl.SSLContext:
        raise AssertionError

    monkeypatch.setattr(ssl, "create_default_context", expensive)
    monkeypatch.setattr(httpx2, "create_ssl_context", expensive)
    with serving_gemini(tools, content("Fine.")) as (server, gemini):
        # when
        gemini.turn([HELLO], seconds=5)
        # then
        server.check_used_up()
