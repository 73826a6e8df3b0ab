"""What an app is told when a person has used what they may, and when to come again after any refusal that passes."""

import importlib
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from chat_function import Answered, Chat
from fakes.anthropic import error, message

from rondas.agent import Agent
from rondas.store.claim import ConversationBusy, InProgress
from rondas.store.run import LeaseLost
from rondas.store.table import StoreUnavailable

KEY = "9a2f2c0a-6b1d-4d0e-9a57-3a2e3a5f0c11"
MIDDAY = 1_800_014_400.0
"""12:00 UTC."""

type Limited = Callable[..., Chat]


@pytest.fixture
def limited(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> Limited:
    """Imports the function anew, with limits."""

    def limited(**limits: int) -> Chat:
        for name, value in limits.items():
            monkeypatch.setenv(name, str(value))
        monkeypatch.delitem(sys.modules, "app")
        chat.app = importlib.import_module("app")
        monkeypatch.setattr(chat.app.agent.conversations, "_clock", lambda: MIDDAY)
        return chat

    return limited


@pytest.mark.parametrize(
    ("language", "detail"),
    [
        (
            "en-GB",
            "You have used up what you may ask in one day. It starts anew at midnight UTC, in 12 h 0 min.",
        ),
        (
            "es-ES",
            "Has agotado lo que puedes preguntar en un día. Vuelve a empezar a medianoche UTC, dentro de 12 h 0 min.",
        ),
    ],
)
def test_a_used_up_quota_is_a_calm_429_that_says_when_it_is_over(limited: Limited, language: str, detail: str) -> None:
    # Given a quota of 17 tokens, which is what the first message takes
    chat = limited(DAILY_TOKEN_QUOTA=17)
    chat.model.add(message("5 kg."))
    first = chat.post("Bench?", key=KEY)
    # When another one comes
    answer = chat.post("Squats?", headers={"accept-language": language})
    # Then the app is told until when, and the person in their language; no model is called
    assert (answer.status, answer.body["code"]) == (429, "quota_exceeded")
    assert answer.headers["Retry-After"] == str(12 * 3600)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.body["detail"] == detail
    assert len(chat.model.requests) == 1
    # And the answer that was given can still be had
    assert chat.post("Bench?", key=KEY) == first


def test_without_a_quota_nothing_is_counted(limited: Limited) -> None:
    chat = limited(DAILY_TOKEN_QUOTA=0, MAX_RUNS_PER_PERSON=0)
    chat.model.add(message("5 kg."))
    chat.post("Bench?")
    assert not [key for key in chat.stored() if key.startswith("Q#")]


@pytest.mark.parametrize(
    ("language", "detail"),
    [
        ("en", "Other messages of yours are still being answered. Send this one again afterwards."),
        ("es", "Todavía se están respondiendo otros mensajes tuyos. Vuelve a enviar este después."),
    ],
)
def test_a_message_too_many_at_once_is_told_to_come_again_soon(limited: Limited, language: str, detail: str) -> None:
    # Given a person who may have one run, and whose model call lasts while another conversation of theirs begins
    chat = limited(MAX_RUNS_PER_PERSON=1)
    second: list[Answered] = []

    def meanwhile(_: object) -> Any:
        second.append(chat.post("Squats?", conversation="c-2", headers={"accept-language": language}))
        return message("5 kg.")

    chat.model.add(meanwhile, message("10 kg."))
    # When both are through
    first = chat.post("Bench?")
    # Then one is answered and the other was told to wait
    assert first.status == 200
    assert (second[0].status, second[0].body["code"], second[0].body["detail"]) == (429, "too_many_runs", detail)
    assert second[0].headers["Retry-After"] == "3"
    # And is answered afterwards
    assert chat.post("Squats?", conversation="c-2").body["reply"] == "10 kg."


def test_the_operator_is_told_of_a_limit_that_was_reached(
    limited: Limited, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a used-up quota
    chat = limited(DAILY_TOKEN_QUOTA=1)
    chat.model.add(message("5 kg."))
    chat.post("Bench?")
    capsys.readouterr()
    # When a message is refused
    chat.post("Squats?", key=KEY)
    # Then one line names it and the limit, and one metric counts it, without the person's words
    (line,) = [vars(record) for record in caplog.records if record.message == "message refused"]
    (metric,) = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    assert line["limit"] == "tokens"
    assert metric["QuotaHits"] == [1.0]
    assert metric["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [[]]  # as the alarm looks for it
    assert "Squats" not in str(line)


# ── when to come again ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("raised", "status", "code"),
    [
        pytest.param(InProgress(0.2), 409, "in_progress", id="the same message"),
        pytest.param(LeaseLost(), 409, "in_progress", id="taken over"),
        pytest.param(ConversationBusy(20), 409, "conversation_busy", id="another message"),
        pytest.param(StoreUnavailable("throttled"), 500, "internal", id="no table"),
    ],
)
def test_a_refusal_that_passes_says_when(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, raised: Exception, status: int, code: str
) -> None:
    # Given whatever keeps a message from being taken now
    def refuse(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(Agent, "answer", refuse)
    # When one comes, then the app is told after how many seconds it makes sense to come again
    answer = chat.post()
    assert (answer.status, answer.body["code"]) == (status, code)
    assert 1 <= int(answer.headers["Retry-After"]) <= 3


def test_a_model_that_is_unavailable_says_when_to_come_again(chat: Chat) -> None:
    chat.model.add(error(401, "authentication_error", "no"))
    answer = chat.post()
    assert (answer.status, answer.headers["Retry-After"]) == (503, "5")


def test_a_mistake_of_ours_does_not_say_that_it_passes(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    def bug(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Agent, "answer", bug)
    answer = chat.post()
    assert (answer.status, "Retry-After" in answer.headers) == (500, False)
