"""The demo model server over HTTP, with the provider's own SDK and without."""

import http.client
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import anthropic
import pytest

from local.demo_model import DemoModel

KEY = {"authorization": "Bearer demo", "anthropic-version": "2026-10-21", "content-type": "application/json"}
REQUEST: dict[str, Any] = {"model": "demo", "max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]}
GOALS: Any = {"name": "read_goals", "description": "d", "input_schema": {"type": "object", "properties": {}}}


@pytest.fixture(scope="module")
def demo() -> Iterator[DemoModel]:
    demo = DemoModel()
    yield demo
    demo.stop()


@pytest.fixture
def connection(demo: DemoModel) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(urlsplit(demo.url).netloc, timeout=30)
    yield connection
    connection.close()


def post(
    connection: http.client.HTTPConnection,
    body: Any,
    headers: dict[str, str] | None = None,
    path: str = "/v1/messages",
) -> tuple[int, Any]:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", path, data, KEY if headers is None else headers)
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def test_the_providers_sdk_understands_it(demo: DemoModel) -> None:
    with anthropic.Anthropic(api_key="demo", base_url=demo.url, max_retries=0) as client:
        message = client.messages.create(
            model="demo", max_tokens=50, tools=[GOALS], messages=[{"role": "user", "content": "my goals?"}]
        )
    assert message.stop_reason == "tool_use"
    assert [block.type for block in message.content] == ["text", "tool_use"]
    assert message.usage.input_tokens > 0
    assert message.usage.output_tokens > 0


def test_a_kept_connection_serves_request_after_request(connection: http.client.HTTPConnection) -> None:
    for _ in range(3):
        status, message = post(connection, REQUEST)
        assert (status, message["stop_reason"]) == (200, "end_turn")


def test_what_was_sent_before_counts_as_cached_where_a_cache_is_asked_for(
    connection: http.client.HTTPConnection,
) -> None:
    messages = [*REQUEST["messages"], {"role": "assistant", "content": "hi"}, {"role": "user", "content": "hello"}]
    _, plain = post(connection, REQUEST | {"messages": messages})
    _, cached = post(connection, REQUEST | {"messages": messages, "cache_control": {"type": "ephemeral"}})
    assert plain["usage"]["cache_read_input_tokens"] == 0
    assert cached["usage"]["cache_read_input_tokens"] > 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (REQUEST | {"temperature": 1}, "temperature: Extra inputs are not permitted"),
        (b"{", "not of the API's shape"),
        (b'{"model": "m", "max_tokens": 1, "messages": [7]}', "not of the API's shape"),
        (b"[]", "should be an object"),
    ],
)
def test_a_wrong_request_is_refused_in_the_apis_form(
    connection: http.client.HTTPConnection, body: Any, message: str
) -> None:
    status, answer = post(connection, body)
    assert status == 400
    assert (answer["type"], answer["error"]["type"]) == ("error", "invalid_request_error")
    assert message in answer["error"]["message"]
    assert answer["request_id"]


@pytest.mark.parametrize(
    ("headers", "path", "status", "kind"),
    [
        ({"anthropic-version": "2026-10-21"}, "/v1/messages", 401, "authentication_error"),
        ({"x-api-key": "demo"}, "/v1/messages", 400, "invalid_request_error"),
        (KEY, "/v1/v1/messages", 404, "not_found_error"),
    ],
)
def test_key_version_and_path_are_checked(
    connection: http.client.HTTPConnection, headers: dict[str, str], path: str, status: int, kind: str
) -> None:
    found, answer = post(connection, REQUEST, headers, path)
    assert (found, answer["error"]["type"]) == (status, kind)
