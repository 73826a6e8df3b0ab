import json
from hashlib import md5
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from local.deliveries import event_of
from local.environment import PERSON
from local.event import EventError, arriving, message_event, queue_of, read_events
from local.gateway import find_route
from local.template import ROOT, Template
from rondas.handover import HandedOn

FILES = sorted((ROOT / "events").glob("*.json"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_sample_event_is_one_that_the_api_would_make(path: Path) -> None:
    # given
    routes = Template.read().routes
    for event in read_events(path):
        if queue_of(event):
            continue
        # when
        match = find_route(routes, event["requestContext"]["http"]["method"], event["rawPath"])
        # then
        assert match is not None
        assert event["routeKey"] == event["requestContext"]["routeKey"] == match.route.key
        assert event.get("pathParameters", {}) == match.parameters
        assert event["version"] == "2.0"
        assert event["headers"].get("content-length", "0") == str(len(event.get("body", "").encode()))
        assert event["rawQueryString"] == urlencode(event.get("queryStringParameters", {}))
        assert _claims(event).get("sub", PERSON) == PERSON


def test_the_sample_of_a_delivery_is_what_the_queue_would_make_of_the_message_before_it() -> None:
    # given
    post, delivery, look = read_events(ROOT / "events" / "worker.json")
    (record,) = delivery["Records"]
    message = HandedOn.model_validate_json(record["body"])
    # Then it is of that message, and of the queue that a function reads
    assert message.person == _claims(post)["sub"]
    assert message.message_id == post["headers"]["idempotency-key"] == look["pathParameters"]["message_id"]
    assert message.conversation_id == post["pathParameters"]["conversation_id"]
    assert queue_of(delivery) in {source.queue for source in Template.read().sources}
    assert post["headers"]["prefer"] == "respond-async"
    # And has the fields of one that is delivered by `make serve`
    letter: Any = {"Body": record["body"], "Attributes": record["attributes"]}
    assert record.keys() == event_of(letter, record["eventSourceARN"])["Records"][0].keys()
    assert record["md5OfBody"] == md5(record["body"].encode()).hexdigest()
    # And comes in as it is
    assert arriving(delivery) == delivery


def test_an_event_made_here_has_the_fields_of_the_samples() -> None:
    sample = arriving(*read_events(ROOT / "events" / "ask.json"))
    made = message_event("c1", "hi", "ana")
    assert made.keys() == sample.keys()
    assert made["requestContext"].keys() == sample["requestContext"].keys()
    assert json.loads(made["body"]) == {"text": "hi"}


def test_a_request_comes_in_when_it_is_sent_unless_it_says_otherwise() -> None:
    now = arriving({"requestContext": {"requestId": "mine"}})["requestContext"]
    assert now["requestId"] == "mine"
    assert now["timeEpoch"] > 0
    assert arriving({"requestContext": {"timeEpoch": 7}})["requestContext"]["timeEpoch"] == 7


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not valid JSON"),
        ("[]", "holds no event"),
        ("[1]", "holds no event"),
        ("{}", "requestContext is missing"),
        ('{"requestContext": []}', "requestContext is missing"),
        ('{"requestContext": {"stage": "x"}}', r"requestContext\.http\.method is missing"),
        ('{"requestContext": {"http": {"method": "GET"}}}', r"requestContext\.routeKey is missing"),
        ('{"requestContext": {"routeKey": "GET /", "http": {"method": "GET"}}}', "rawPath is missing"),
        ('{"Records": []}', r"no event of a queue: Records\[0\] is missing; events/worker\.json shows one"),
        ('{"Records": {}}', r"Records\[0\] is missing"),
        ('{"Records": [{"body": "x"}]}', r"Records\[0\]\.eventSourceARN is missing"),
        ('{"Records": [{"eventSourceARN": "a:b"}]}', r"Records\[0\]\.body is missing"),
    ],
)
def test_says_what_is_wrong_with_an_event_file(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "event.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EventError, match=complaint):
        read_events(path)


def test_says_that_there_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(EventError, match=r"cannot read the event file .*none\.json"):
        read_events(tmp_path / "none.json")


def _claims(event: dict[str, Any]) -> dict[str, str]:
    return event["requestContext"]["authorizer"]["jwt"]["claims"]
