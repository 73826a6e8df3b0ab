"""Every error of the document is answered by the functions, word for word as its example says."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from chat_function import Chat
from fakes.anthropic import error
from http_door import Door

import rondas.store.erase
from local.api_errors import DELETE, ERRORS, LIST, LOOK, POST, READ, STOP, ApiError
from rondas.agent import Agent
from rondas.store.claim import ConversationBusy, InProgress
from rondas.store.erase import EraseUnfinished
from rondas.store.run import ConversationErased
from rondas.store.table import Table

MESSAGES = "/conversations/c-1/messages"
ONE = f"{MESSAGES}/b6a5c1de-9f0a-4a42-8d1b-5d7a3f0c2e44"
HELLO = b'{"text": "hello"}'
ROUTES: dict[str, tuple[str, str, bytes]] = {
    POST: ("POST", MESSAGES, HELLO),
    LIST: ("GET", "/conversations", b""),
    READ: ("GET", MESSAGES, b""),
    DELETE: ("DELETE", "/conversations/c-1", b""),
    LOOK: ("GET", ONE, b""),
    STOP: ("DELETE", ONE, b""),
}

REQUESTS: dict[tuple[str, int], tuple[str, str, bytes, str]] = {
    (POST, 400): ("POST", MESSAGES, b"{", ""),
    (POST, 413): ("POST", MESSAGES, json.dumps({"text": "x" * 8001}).encode(), ""),
    (POST, 422): ("POST", MESSAGES, b"{}", ""),
    (LIST, 400): ("GET", "/conversations", b"", "cursor=x"),
    (LIST, 422): ("GET", "/conversations", b"", "limit=0"),
    (READ, 404): ("GET", MESSAGES, b"", ""),
    (READ, 422): ("GET", MESSAGES, b"", "limit=0"),
    (DELETE, 404): ("DELETE", "/conversations/a%2Fb", b"", ""),
    (DELETE, 422): ("DELETE", "/conversations/a%20b", b"", ""),
    (LOOK, 422): ("GET", f"{MESSAGES}/x", b"", ""),
    (STOP, 422): ("DELETE", f"{MESSAGES}/x", b"", ""),
}
"""Requests that are wrong by themselves."""

TROUBLE: dict[tuple[str, int, str], tuple[Any, str, Exception]] = {
    (POST, 404, "not_found"): (Agent, "answer", ConversationErased()),
    (POST, 409, "in_progress"): (Agent, "answer", InProgress(20)),
    (POST, 409, "conversation_busy"): (Agent, "answer", ConversationBusy(20)),
    (DELETE, 409, "in_progress"): (rondas.store.erase, "_check", EraseUnfinished()),
    (POST, 500, "internal"): (Agent, "answer", RuntimeError()),
    (LIST, 500, "internal"): (Table, "page", RuntimeError()),
    (READ, 500, "internal"): (Table, "page", RuntimeError()),
    (DELETE, 500, "internal"): (Table, "get", RuntimeError()),
    (LOOK, 500, "internal"): (Table, "get", RuntimeError()),
    (STOP, 500, "internal"): (Table, "get", RuntimeError()),
}
"""What goes wrong inside."""

OF_THE_ALLOWANCE = ("quota_exceeded", "too_many_runs")  # these have tests of their own, with accounts that are used up


def raises(problem: Exception) -> Callable[..., None]:
    def raising(*_: object, **__: object) -> None:
        raise problem

    return raising


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        pytest.param(operation, each, id=f"{operation} {each.status} {each.code}")
        for each in ERRORS
        for operation in each.operations
        if each.code not in OF_THE_ALLOWANCE
    ],
)
def test_the_example_of_an_error_is_what_is_answered(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, operation: str, expected: ApiError
) -> None:
    # Given what leads to the error
    door = Door.of(chat)
    method, path, body, query = REQUESTS.get((operation, expected.status), (*ROUTES[operation], ""))
    user = " " if expected.code == "unauthorized" else "ana"
    if expected.code == "model_unavailable":
        chat.model.add(error(401, "authentication_error", "no such key"))
    if trouble := TROUBLE.get((operation, expected.status, expected.code)):
        owner, name, problem = trouble
        monkeypatch.setattr(owner, name, raises(problem))
    # When an app asks
    answer = door.ask(method, path, body, query=query, user=user)
    # Then the answer is the example
    told = json.loads(answer.body)
    assert (answer.status, told["code"], told["detail"]) == (expected.status, expected.code, expected.detail)
    assert dict(answer.headers).get("retry-after") == (str(expected.retry_after) if expected.retry_after else None)
