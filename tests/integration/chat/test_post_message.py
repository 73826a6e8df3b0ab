"""POST a message, as an app does."""

import base64
import importlib
import json
import logging
import sys
import time
from typing import Any

import pytest
from chat_function import EVENTS, Chat, Context
from fakes.anthropic import error, message

from rondas.agent import Agent
from rondas.interrupt import out_of_time_after
from rondas.loop import Loop
from rondas.settings import SettingsError

KEY = "9a2f2c0a-6b1d-4d0e-9a57-3a2e3a5f0c11"


def test_a_message_is_answered_with_everything_the_app_needs(chat: Chat) -> None:
    # Given a model that looks something up, then answers
    chat.model.add(
        message("I look.", [("t1", "search_exercises", {"query": "bench press"})]), message("Try the bench press.")
    )
    # When the app posts a message
    answer = chat.post("What should I do?", key=KEY)
    # Then it gets the reply and the facts
    assert answer.status == 200
    assert answer.body == {
        "status": "answered",
        "reply": "Try the bench press.",
        "rounds": 1,
        "model": "anthropic:claude-sonnet-5-5",
        "usage": {"input_tokens": 20, "cached_tokens": 0, "output_tokens": 14, "reasoning_tokens": 0},
        "message_id": KEY,
        "conversation_id": "c-1",
    }
    assert chat.stored() == ["C#c-1", "M#000000000", "M#000000001", "M#000000002", "Q#runs", f"R#{KEY}"]


def test_a_second_message_continues_the_conversation(chat: Chat) -> None:
    # Given an answered message
    chat.model.add(message("You gained 5 kg."), message("And 10 on squats."))
    chat.post("Bench?")
    # When another one follows
    chat.post("And squats?")
    # Then the model sees all of it
    assert [each["content"] for each in chat.model.bodies[1]["messages"]] == [
        "Bench?",
        "You gained 5 kg.",
        "And squats?",
    ]


def test_the_same_key_twice_is_one_message_one_answer_and_one_bill(chat: Chat) -> None:
    # Given an answered message (case 15)
    chat.model.add(message("You gained 5 kg."))
    first = chat.post("Bench?", key=KEY)
    # When the app sends it again; the script holds one answer only
    again = chat.post("Bench?", key=KEY.upper())
    # Then it gets the same
    assert again == first


def test_without_a_key_a_retry_is_a_new_message(chat: Chat) -> None:
    chat.model.add(message("One"), message("Two"))
    assert chat.post().body["message_id"] != chat.post().body["message_id"]


def test_the_same_key_with_another_text_is_refused(chat: Chat) -> None:
    chat.model.add(message("One"))
    chat.post("Bench?", key=KEY)
    answer = chat.post("Squats?", key=KEY)
    assert (answer.status, answer.body["code"]) == (422, "invalid_request")


def test_a_message_that_nobody_can_answer_is_a_calm_503_and_may_be_sent_again(
    chat: Chat, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a provider that refuses the key, and says so with it
    chat.model.add(error(401, "authentication_error", "invalid x-api-key: secret-key"))
    # When a message is posted
    answer = chat.post("¿Cuánto?", key=KEY)
    # Then the person is told calmly, in their language, and nothing of the provider is shown
    assert (answer.status, answer.body["code"]) == (503, "model_unavailable")
    assert answer.headers["Retry-After"] == "5"
    assert answer.body["detail"] == "Esta vez no he podido responder. Inténtalo de nuevo en un momento, por favor."
    # And the operator is told which provider and why, in a log line and a metric, without key or words
    failure = next(vars(record) for record in caplog.records if record.message == "model failed")
    metric = next(found for found in map(json.loads, capsys.readouterr().out.splitlines()) if "ModelFailures" in found)
    for told in (failure, metric):
        assert (told["model"], told["cause"]) == (
            "anthropic:claude-sonnet-5-5",
            "401 AuthenticationError authentication_error",
        )
    everything = str([vars(record) for record in caplog.records]) + str(metric)
    assert "secret-key" not in everything
    assert "Cuánto" not in everything
    # And the same message, sent again, is answered
    chat.model.add(message("5 kg."))
    assert chat.post("¿Cuánto?", key=KEY).body["reply"] == "5 kg."


def test_the_operator_is_told_where_the_time_of_a_message_went(
    chat: Chat, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    # Given a message that takes a round
    chat.model.add(message(calls=[("toolu_1", "read_goals", {})]), message("None yet."))
    # When it is answered
    assert chat.post("What are my goals?").status == 200
    # Then one line and one set of metrics give the whole and its parts, in seconds and in milliseconds
    (line,) = [vars(record) for record in caplog.records if record.message == "run ended"]
    (metrics,) = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    parts = [line[f"{part}_seconds"] for part in ("model", "tool", "store", "own")]
    assert sum(parts) == pytest.approx(line["seconds"], abs=0.005)
    assert all(part >= 0 for part in parts)
    assert line["store_seconds"] > 0
    assert metrics["status"] == "answered"
    assert metrics["Rounds"] == [1]
    whole = metrics["RunTime"][0]
    assert whole == pytest.approx(1000 * line["seconds"], abs=1)
    assert sum(metrics[f"{part}Time"][0] for part in ("Model", "Tools", "Store", "Own")) == pytest.approx(whole)


def test_two_messages_at_once_are_one_answer_and_one_refusal_before_any_model_call(chat: Chat) -> None:
    # Given a message whose model call lasts while another message comes (case 13)
    second: list[Any] = []

    def meanwhile(_: object) -> Any:
        second.append(chat.post("Squats?"))
        return message("5 kg.")

    chat.model.add(meanwhile)
    # When both are through
    first = chat.post("Bench?")
    # Then one was answered and the other told to wait
    assert first.status == 200
    assert (second[0].status, second[0].body["code"]) == (409, "conversation_busy")
    assert int(second[0].headers["Retry-After"]) > 0
    assert len(chat.model.requests) == 1


def test_the_same_message_meanwhile_is_in_progress(chat: Chat) -> None:
    # Given a message whose model call lasts while the app sends it again
    second: list[Any] = []

    def meanwhile(_: object) -> Any:
        second.append(chat.post("Bench?", key=KEY))
        return message("5 kg.")

    chat.model.add(meanwhile)
    chat.post("Bench?", key=KEY)
    # Then the app is told that it is being answered
    assert (second[0].status, second[0].body["code"]) == (409, "in_progress")


def test_with_little_time_left_there_is_an_answer_all_the_same(chat: Chat) -> None:
    # Given a Lambda that is about to end (rule B4)
    chat.model.add(message("I have little time."))
    # When a message comes
    answer = chat.post(remaining=8)
    # Then the only call is the closing one
    assert (answer.status, answer.body["status"]) == (200, "time_limit")
    assert chat.model.bodies[0]["tool_choice"] == {"type": "none"}


@pytest.mark.parametrize(
    ("event", "status", "code"),
    [
        pytest.param({"body": '{"text": "hel'}, 400, "invalid_request", id="cut-off JSON"),
        pytest.param({"body": "hello"}, 400, "invalid_request", id="no JSON"),
        pytest.param({"body": ""}, 422, "invalid_request", id="an empty body"),
        pytest.param({"body": "null"}, 422, "invalid_request", id="null"),
        pytest.param({"body": "[]"}, 422, "invalid_request", id="a list"),
        pytest.param({"body": "{}"}, 422, "invalid_request", id="no text"),
        pytest.param({"body": '{"text":"a","more":1}'}, 422, "invalid_request", id="an unknown field"),
        pytest.param({"body": '{"text":' + "9" * 5000 + "}"}, 400, "invalid_request", id="a number of 5000 digits"),
        pytest.param({"body": '{"text":' + "[" * 100_000}, 400, "invalid_request", id="a deep nest"),
        pytest.param({"text": 7}, 422, "invalid_request", id="a number"),
        pytest.param({"text": None}, 422, "invalid_request", id="no value"),
        pytest.param({"text": ["a"]}, 422, "invalid_request", id="a list of texts"),
        pytest.param({"text": ""}, 422, "invalid_request", id="an empty text"),
        pytest.param({"text": " \n\t "}, 422, "invalid_request", id="a blank text"),
        pytest.param({"text": "\u200b\u2060\ufeff"}, 422, "invalid_request", id="a text of which nothing is seen"),
        pytest.param({"text": "\x00"}, 422, "invalid_request", id="a text of nothing that can be stored"),
        pytest.param({"text": "x" * 8001}, 413, "too_large", id="a text over the limit"),
        pytest.param({"user": None}, 401, "unauthorized", id="no claim"),
        pytest.param({"user": " "}, 401, "unauthorized", id="a blank claim"),
        pytest.param({"conversation": "a b"}, 422, "invalid_request", id="a malformed conversation id"),
        pytest.param({"conversation": "x" * 65}, 422, "invalid_request", id="a long conversation id"),
        pytest.param({"conversation": "a#b"}, 404, "not_found", id="a conversation id with a separator"),
        pytest.param({"conversation": "ñ"}, 422, "invalid_request", id="a conversation id with an accent"),
        pytest.param({"key": "not-a-uuid"}, 422, "invalid_request", id="a malformed key"),
        pytest.param({"rawPath": "/nowhere"}, 404, "not_found", id="an unknown route"),
        pytest.param({"body": "abc", "isBase64Encoded": True}, 400, "invalid_request", id="broken base64"),
        pytest.param(
            {"body": base64.b64encode(b"\xff\xfe").decode(), "isBase64Encoded": True},
            400,
            "invalid_request",
            id="binary",
        ),
        pytest.param(
            {"body": "text=hello", "headers": {"content-type": "application/x-www-form-urlencoded"}},
            400,
            "invalid_request",
            id="a form",
        ),
    ],
)
def test_bad_input_is_a_clear_problem_and_leaves_no_trace(
    chat: Chat, event: dict[str, Any], status: int, code: str
) -> None:
    # Given a request that cannot be right; when it comes
    answer = chat.post(**event)
    # Then the answer says what is wrong in the same shape as always
    assert (answer.status, answer.body["code"]) == (status, code)
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.body["status"] == status
    assert answer.body["detail"]
    # And nothing was stored, and no model called
    assert chat.stored() == []
    assert chat.model.requests == []


def test_json_is_taken_whatever_the_header_says(chat: Chat) -> None:
    # Given curl without a header, which declares a form, as the gateway passes it on
    chat.model.add(message("Hi"))
    body = base64.b64encode(b'{"text": "hello"}').decode()
    form = {"content-type": "application/x-www-form-urlencoded"}
    # When it comes, then it is read as what it is
    assert chat.post(body=body, headers=form, isBase64Encoded=True).status == 200


def test_a_longest_text_in_base64_is_taken(chat: Chat) -> None:
    chat.model.add(message("Long."))
    body = base64.b64encode(json.dumps({"text": "ñ" * 8000}).encode()).decode()
    assert chat.post(body=body, isBase64Encoded=True).status == 200


def test_half_a_character_is_mended_on_the_way_in(chat: Chat) -> None:
    # Given an emoji that the app cut in half; when it comes, then it is answered
    chat.model.add(message("Hm?"))
    assert chat.post(body='{"text": "hi \\ud83d"}').status == 200


def test_names_stay_as_they_are_written(chat: Chat) -> None:
    # Given a Spanish reply; when it is sent, then its letters are not escaped
    chat.model.add(message("Más peso, ¡campeón!"))
    raw = chat.app.handler(json.loads((EVENTS / "ask.json").read_text(encoding="utf-8")), Context())
    assert "Más peso, ¡campeón!" in raw["body"]


def test_a_fault_of_ours_shows_nothing_of_the_inside(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # Given a bug
    def bug(*_: object, **__: object) -> None:
        raise ZeroDivisionError("the person's words")

    monkeypatch.setattr(Agent, "answer", bug)
    # When a message comes
    with caplog.at_level(logging.ERROR):
        answer = chat.post()
    # Then the app gets a stable problem, and the log says where, without the message of the error
    assert (answer.status, answer.body["code"]) == (500, "internal")
    assert "ZeroDivisionError" not in json.dumps(answer.body)
    assert "the person's words" not in caplog.text


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TABLE_NAME", ""),
        ("COACH_TABLE_NAME", ""),
        ("MODELS", ""),
        ("MODELS", "skynet:t-800"),
        ("ANTHROPIC_API_KEY", ""),
        ("MAX_TOOL_ROUNDS", "many"),
    ],
)
def test_a_missing_or_wrong_setting_stops_the_function_at_start(
    chat: Chat, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    # Given a setting that is missing or wrong
    monkeypatch.setenv(variable, value)
    monkeypatch.delitem(sys.modules, "app")
    # When the function starts, then it says which one
    with pytest.raises(SettingsError, match=f"^{variable}: "):
        importlib.import_module("app")


@pytest.mark.parametrize(
    ("name", "status"),
    [("malformed_body", 400), ("missing_claim", 401)],
)
def test_the_sample_events_of_bad_input(chat: Chat, name: str, status: int) -> None:
    event = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    assert chat.invoke(event).status == status


def test_the_time_that_the_gateway_has_waited_already_is_not_spent_again(chat: Chat) -> None:
    # Given a request that came in 20 s ago, while the function was starting: the gateway gives up in nine
    chat.model.add(message("I have little time."))
    arrived = {"timeEpoch": int((time.time() - 20) * 1000)}
    context = {"http": {"method": "POST", "path": "/conversations/c-1/messages"}, "stage": "$default", **arrived}
    authorizer = {"jwt": {"claims": {"sub": "ana"}, "scopes": None}}
    # When it is answered, then the closing call is the first
    answer = chat.post(requestContext={**context, "authorizer": authorizer})
    assert answer.body["status"] == "time_limit"
    assert chat.model.bodies[0]["tool_choice"] == {"type": "none"}


def test_the_cap_is_the_setting(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a cap of one round
    monkeypatch.setenv("MAX_TOOL_ROUNDS", "1")
    monkeypatch.delitem(sys.modules, "app")
    chat.app = importlib.import_module("app")
    calls = [("t1", "search_exercises", {"query": "row"})]
    chat.model.add(message("", calls), message("", [("t2", *calls[0][1:])]), message("Shall I continue?"))
    # When the model wants two, then it is closed after one
    assert chat.post().body["status"] == "step_limit"


def test_an_error_of_ours_frees_the_conversation_at_once(chat: Chat, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a bug in the middle of a run
    def bug(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as broken:
        broken.setattr(Loop, "run", bug)
        assert chat.post("Bench?", key=KEY).status == 500
    # When the same message comes again, then it need not wait for a lease
    chat.model.add(message("5 kg."))
    assert chat.post("Bench?", key=KEY).body["reply"] == "5 kg."


def test_a_language_is_taken_from_the_header(chat: Chat) -> None:
    # Given a model without words, and an app that asks for Spanish
    chat.model.add(message("  "), message(" "))
    answer = chat.post("hello", headers={"accept-language": "es-ES"})
    assert answer.body["reply"].startswith("Esta vez no he podido")


def test_an_alarm_that_a_message_left_behind_does_not_ring_in_the_next(chat: Chat) -> None:
    # Given a block of an earlier message that was never left
    left = out_of_time_after(60)
    left.__enter__()
    left.deadline = 0
    # When the next message comes, then it has its own time
    chat.model.add(message("Hello."))
    assert chat.post("Hello").status == 200
