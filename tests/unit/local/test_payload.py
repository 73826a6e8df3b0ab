import base64
import json
from typing import Any

import pytest

from local.payload import BadPayload, Request, event_of, response_of

ROUTE = "POST /conversations/{conversation_id}/messages"


def event(**fields: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {"method": "POST", "path": "/conversations/c1/messages"}
    return event_of(Request(**defaults | fields), ROUTE, {"conversation_id": "c1"}, {"sub": "ana"})


def test_an_event_has_the_shape_of_payload_format_2() -> None:
    made = event(body=b'{"text":"hi"}', headers=[("Content-Type", "application/json"), ("User-Agent", "app/1")])
    assert made["version"] == "2.0"
    assert made["routeKey"] == made["requestContext"]["routeKey"] == ROUTE
    assert made["rawPath"] == "/conversations/c1/messages"
    assert made["pathParameters"] == {"conversation_id": "c1"}
    assert (made["body"], made["isBase64Encoded"]) == ('{"text":"hi"}', False)
    context = made["requestContext"]
    assert context["authorizer"] == {"jwt": {"claims": {"sub": "ana"}, "scopes": None}}
    assert context["stage"] == "$default"
    assert context["http"]["method"] == "POST"
    assert context["http"]["userAgent"] == "app/1"
    assert context["requestId"]
    assert context["timeEpoch"] > 1_700_000_000_000
    assert context["time"].endswith("+0000")


def test_header_names_are_in_lower_case_and_repeated_ones_joined() -> None:
    made = event(headers=[("X-Thing", "a"), ("x-thing", "b"), ("Connection", "close")])
    assert made["headers"]["x-thing"] == "a,b"
    assert "connection" not in made["headers"]


def test_cookies_are_told_apart_from_the_headers() -> None:
    made = event(headers=[("Cookie", "a=1; b=2")])
    assert made["cookies"] == ["a=1", "b=2"]
    assert "cookie" not in made["headers"]


def test_the_path_is_decoded_and_the_raw_query_is_not() -> None:
    made = event(path="/conversations/a%20b/messages", query="q=a%20b&q=c&empty=")
    assert made["rawPath"] == "/conversations/a b/messages"
    assert made["rawQueryString"] == "q=a%20b&q=c&empty="
    assert made["queryStringParameters"] == {"q": "a b,c", "empty": ""}


def test_without_query_body_and_cookies_their_fields_are_absent() -> None:
    assert {"queryStringParameters", "body", "cookies"}.isdisjoint(event())


@pytest.mark.parametrize(
    ("kind", "body"),
    [("application/octet-stream", b"ab"), ("application/x-www-form-urlencoded", b"a=b"), ("text/plain", b"\xff\xfe")],
)
def test_a_body_that_is_no_text_travels_as_base64(kind: str, body: bytes) -> None:
    made = event(body=body, headers=[("content-type", kind)])
    assert made["isBase64Encoded"] is True
    assert base64.b64decode(made["body"]) == body


def test_a_route_without_authorizer_has_no_claims() -> None:
    made = event_of(Request("GET", "/health"), "GET /health", {}, None)
    assert "authorizer" not in made["requestContext"]
    assert "pathParameters" not in made


def test_a_response_is_mapped_with_its_headers_and_cookies() -> None:
    response = response_of(
        {"statusCode": 201, "headers": {"X-A": "1", "Content-Length": "99"}, "cookies": ["a=1", "b=2"], "body": "né"}
    )
    assert response.status == 201
    assert response.body == "né".encode()
    assert response.headers == [
        ("x-a", "1"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("content-type", "text/plain;charset=UTF-8"),
    ]


def test_a_binary_body_is_decoded() -> None:
    assert response_of({"statusCode": 200, "body": "/wA=", "isBase64Encoded": True}).body == b"\xff\x00"


@pytest.mark.parametrize(("payload", "body"), [({"a": 1}, b'{"a": 1}'), ("plain", b"plain"), (None, b"null")])
def test_a_payload_without_a_status_is_the_body_of_a_200(payload: Any, body: bytes) -> None:
    response = response_of(payload)
    assert (response.status, response.body) == (200, body)
    assert response.headers == [("content-type", "application/json")]


@pytest.mark.parametrize(
    "payload",
    [
        {"statusCode": "soon"},
        {"statusCode": 99},
        {"statusCode": None},
        {"statusCode": 200, "body": {"a": 1}},
        {"statusCode": 200, "headers": ["a"]},
        {"statusCode": 200, "headers": {"a": "b\r\nc: d"}},
        {"statusCode": 200, "headers": {"a b": "c"}},
        {"statusCode": 200, "headers": {"a": None}},
        {"statusCode": 200, "body": "?", "isBase64Encoded": True},
    ],
)
def test_a_payload_that_is_no_response_is_refused(payload: Any) -> None:
    with pytest.raises(BadPayload):
        response_of(payload)


def test_an_event_survives_json() -> None:
    made = event(body=b"{}", headers=[("x", "ñ")])
    assert json.loads(json.dumps(made)) == made
