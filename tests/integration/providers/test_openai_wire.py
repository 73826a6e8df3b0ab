"""How the adapter reaches OpenAI: one attempt, bounded in time, through the shared client, errors in plain words."""

import socket
import subprocess
import sys
import threading
import time
from typing import Any

import pytest
from fakes.openai import OpenAIServer, completed, error
from fakes.server import Reply, Request

from rondas.history import Entry, UserMessage, settle
from rondas.interrupt import OutOfTime
from rondas.providers import Provider, connect
from rondas.providers.attempt import shared_client
from rondas.providers.errors import ProviderError
from rondas.providers.openai import OpenAI
from rondas.tools import Tool

QUESTION = UserMessage("How much did I lift?")
LONG = 3000
"""So many drips that a call which waits for their end ends with another error than the one that is due."""


def test_key_comes_when_it_is_needed_and_is_a_bearer(openai_service: OpenAIServer) -> None:
    # given
    openai_service.add(completed("A."))
    fetched: list[str] = []
    model = connect("openai:m", lambda variable: fetched.append(variable) or "key", "p", [], 99)
    assert not fetched
    # when
    model.turn([QUESTION], seconds=5)
    # then
    assert fetched == ["OPENAI_API_KEY"]
    assert openai_service.requests[0].headers["authorization"] == "Bearer key"
    assert openai_service.requests[0].path == "/v1/responses"


def test_missing_key_names_its_variable(tools: list[Tool]) -> None:
    # given
    def no_key(_: str) -> str:
        raise LookupError("arn:aws:…")

    # when, then
    with pytest.raises(ProviderError, match="OPENAI_API_KEY") as failure:
        connect("openai:m", no_key, "p", tools, 99).turn([QUESTION], seconds=5)
    assert not failure.value.retryable


@pytest.mark.parametrize(
    ("reply", "retryable", "retry_after", "cause"),
    [
        (error(400, "model_not_found"), False, None, "400 BadRequestError model_not_found"),
        (
            error(401, "invalid_api_key", "Incorrect API key provided: sk-secret"),
            False,
            None,
            "401 AuthenticationError",
        ),
        (error(403, "unsupported_country_region_territory"), False, None, "403 PermissionDeniedError"),
        (error(404, None), False, None, "404 NotFoundError"),
        (error(429, "rate_limit_exceeded", retry_after="7"), True, 7, "429 RateLimitError"),
        (error(429, "rate_limit_exceeded", retry_after_ms="250"), True, 0.25, "429 RateLimitError"),
        (error(429, "insufficient_quota"), False, None, "429 RateLimitError insufficient_quota"),
        (error(400, "sk-secret KEY"), False, None, "400 BadRequestError"),
        (error(500, "server_error"), True, None, "500 InternalServerError"),
        (error(503, None), True, None, "503 InternalServerError"),
        (Reply(b"<html>Bad gateway</html>", 502, content_type="text/html"), True, None, "502 InternalServerError"),
        (Reply(b"", 302, {"location": "/v1/elsewhere"}), False, None, "302"),
    ],
)
def test_one_attempt_and_the_error_in_plain_words(
    openai_service: OpenAIServer,
    openai_model: Provider,
    reply: Reply,
    *,
    retryable: bool,
    retry_after: float | None,
    cause: str,
) -> None:
    # given
    openai_service.add(reply)
    # when
    with pytest.raises(ProviderError) as failure:
        openai_model.turn([QUESTION], seconds=5)
    # then
    assert len(openai_service.requests) == 1
    assert (failure.value.retryable, failure.value.retry_after) == (retryable, retry_after)
    assert failure.value.model == "openai:gpt-6.2-sol"
    assert failure.value.cause.startswith(cause)
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize("spoken", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n"])
def test_trap_23_server_that_holds_the_line_is_left_in_time(
    monkeypatch: pytest.MonkeyPatch, openai_service: OpenAIServer, openai_model: Provider, spoken: bytes
) -> None:
    # given an SDK that has loaded all it needs for a call
    openai_service.add(completed("A."))
    openai_model.turn([QUESTION], seconds=5)
    # and a server that accepts, says this much, and drips a byte every now and then
    over = threading.Event()
    reached = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(5)

        def drip() -> None:
            connection, _ = listener.accept()
            reached.set()
            with connection:
                connection.sendall(spoken)
                for _ in range(LONG):
                    if over.wait(0.02):
                        break
                    if spoken:
                        connection.sendall(b"x")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{listener.getsockname()[1]}/v1")
        held = connect("openai:m", lambda _: "key", "p", [], 99)
        # when, then: the call comes back although the server would go on for very long
        with pytest.raises(OutOfTime):
            held.turn([QUESTION], seconds=0.5)
        assert reached.is_set()
        over.set()
        thread.join()


def test_trap_23_full_request_has_only_what_the_first_one_left(
    openai_service: OpenAIServer, openai_model: Provider, read_timeouts: list[float]
) -> None:
    # given a service that takes its time to say that it forgot
    openai_service.add(completed("", [("call_1", "look", {})]))
    history: list[Entry] = [QUESTION, settle(openai_model.turn([QUESTION], seconds=5), "A", "done")]

    def forget(_: Request) -> Reply:
        time.sleep(0.8)
        return error(400, "previous_response_not_found")

    openai_service.add(forget, completed("A."))
    # when
    openai_model.turn(history, seconds=9)
    # then
    _, first, second = read_timeouts
    assert second <= first - 0.8


def test_server_that_is_not_there_may_be_tried_again(monkeypatch: pytest.MonkeyPatch, openai_model: Provider) -> None:
    # given a port that is taken, so that nobody else listens there, and not listened at
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
        # when, then
        with pytest.raises(ProviderError) as failure:
            openai_model.turn([QUESTION], seconds=5)
    assert failure.value.retryable


def test_trap_27_sdk_uses_the_shared_client_and_does_not_retry(openai_model: Provider) -> None:
    assert isinstance(openai_model, OpenAI)
    client: Any = openai_model._client  # pyright: ignore[reportPrivateUsage]
    assert client._client is shared_client()
    assert client.max_retries == 0


def test_trap_28_history_that_cannot_be_encoded_is_an_error_not_a_crash(openai_model: Provider) -> None:
    with pytest.raises(ProviderError):
        openai_model.turn([UserMessage("half \ud83d")], seconds=5)


def test_trap_29_proxy_of_the_environment_is_not_asked_for_loopback(
    openai_service: OpenAIServer, openai_model: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    # given a proxy that is not there
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    openai_service.add(completed("A."))
    shared_client.cache_clear()
    # when, then
    try:
        assert openai_model.turn([QUESTION], seconds=5).text == "A."
    finally:
        shared_client().close()
        shared_client.cache_clear()


def test_import_brings_one_sdk_only() -> None:
    # given
    foreign = "[name for name in ('anthropic', 'google.genai', 'boto3') if name in sys.modules]"
    program = f"import sys, rondas.providers.openai; print({foreign}, 'openai' in sys.modules)"
    # when
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}; {program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    # then
    assert done.stdout.strip() == "[] True"
