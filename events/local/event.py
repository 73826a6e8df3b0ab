"""Events as API Gateway's HTTP API makes them (payload format 2.0) and as a queue's, for runners that have neither."""

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
        kind, sample, missing = _delivery_faults(event) if "Records" in event else _request_faults(event)
        if missing:
            raise EventError(
                f"the event file {path} holds no event of {kind}: {missing} is missing; events/{sample} shows one"
            )
    return cast("list[Json]", events)


def arriving(event: Json) -> Json:
    """Returns an event as if its request came in now, where it is one and does not say itself when it did."""
    if queue_of(event):
        return event
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


def queue_of(event: Json) -> str:
    """Returns the queue whose messages an event delivers, the last part of its ARN; empty for a request."""
    records: list[Json] = event.get("Records", [])
    return str(records[0]["eventSourceARN"]).rpartition(":")[2] if records else ""


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


def _request_faults(event: Json) -> tuple[str, str, str]:
    """Returns what the event should be, a sample, and the first part missing of what every function looks at."""
    context = object_in(event.get("requestContext"))
    http = object_in(context.get("http"))
    parts = {
        "requestContext": context,
        "requestContext.http.method": http.get("method"),
        "requestContext.routeKey": context.get("routeKey"),
        "rawPath": event.get("rawPath"),
    }
    return "an HTTP API (payload format 2.0)", "ask.json", _first_missing(parts)


def _delivery_faults(event: Json) -> tuple[str, str, str]:
    """Returns the same of a delivery; batches are of one message."""
    records = event["Records"]
    record = object_in(records[0]) if isinstance(records, list) and records else {}
    parts = {
        "Records[0]": record,
        "Records[0].eventSourceARN": record.get("eventSourceARN"),
        "Records[0].body": record.get("body"),
    }
    return "a queue", "worker.json", _first_missing(parts)


def _first_missing(parts: Json) -> str:
    return next((name for name, value in parts.items() if not value), "")


def _now() -> Json:
    moment = datetime.now(UTC)
    return {"time": moment.strftime("%d/%b/%Y:%H:%M:%S +0000"), "timeEpoch": int(1000 * time.time())}
