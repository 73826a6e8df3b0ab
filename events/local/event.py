"""Events as API Gateway's HTTP API makes them (payload format 2.0), for runners without a gateway."""

import json
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from local.context import ACCOUNT
from local.json_values import Json, object_in

API = "local"
POST_MESSAGE = "POST /conversations/{conversation_id}/messages"
DOMAIN = f"{API}.execute-api.localhost"


class EventError(Exception):
    """The event file cannot be used; the message says why."""


def read_events(path: Path) -> list[Json]:
    """Reads a file with one event or a list of them.

    Raises:
        EventError: there is no such file, or it holds no events.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EventError(f"cannot read the event file {path}: {error.strerror}") from None
    except ValueError as error:
        raise EventError(f"the event file {path} is not valid JSON: {error}") from None
    events = cast("list[Any]", content if isinstance(content, list) else [content])
    if not events or not all(isinstance(event, dict) for event in events):
        raise EventError(f"the event file {path} holds no event: expected an object or a list of objects")
    for event in cast("list[Json]", events):
        if missing := _missing(event):
            raise EventError(
                f"the event file {path} holds no event of an HTTP API (payload format 2.0): {missing} is missing; "
                "events/ask.json shows one"
            )
    return cast("list[Json]", events)


def arriving(event: Json) -> Json:
    """Returns an event as if its request came in now, where it does not say itself when it did."""
    context = object_in(event.get("requestContext"))
    return event | {"requestContext": _now() | {"requestId": uuid.uuid4().hex[:16]} | context}


def message_event(conversation: str, text: str, person: str) -> Json:
    """Returns the event of `POST /conversations/{id}/messages` with a text of a person."""
    path = f"/conversations/{conversation}/messages"
    context = request_context("POST", path, POST_MESSAGE, {"sub": person})
    return {
        "version": "2.0",
        "routeKey": context["routeKey"],
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"content-type": "application/json", "host": DOMAIN},
        "requestContext": context,
        "pathParameters": {"conversation_id": conversation},
        "body": json.dumps({"text": text}),
        "isBase64Encoded": False,
    }


def route_key(event: Json) -> str:
    """Returns the route of an event, such as `GET /conversations`."""
    return str(event["requestContext"]["routeKey"])


def request_context(method: str, path: str, route: str, claims: dict[str, str] | None) -> Json:
    """Returns what API Gateway tells about a request; without claims, no authorizer stood before the route."""
    authorizer = {} if claims is None else {"authorizer": {"jwt": {"claims": claims, "scopes": None}}}
    return {
        "accountId": ACCOUNT,
        "apiId": API,
        **authorizer,
        "domainName": DOMAIN,
        "domainPrefix": API,
        "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": ""},
        "requestId": uuid.uuid4().hex[:16],
        "routeKey": route,
        "stage": "$default",
        **_now(),
    }


def _missing(event: Json) -> str:
    """Returns the first part that is missing of what every function behind a route looks at; empty if all is there."""
    context = object_in(event.get("requestContext"))
    http = object_in(context.get("http"))
    parts = {
        "requestContext": context,
        "requestContext.http.method": http.get("method"),
        "requestContext.routeKey": context.get("routeKey"),
        "rawPath": event.get("rawPath"),
    }
    return next((name for name, value in parts.items() if not value), "")


def _now() -> Json:
    moment = datetime.now(UTC)
    return {"time": moment.strftime("%d/%b/%Y:%H:%M:%S +0000"), "timeEpoch": int(1000 * time.time())}
