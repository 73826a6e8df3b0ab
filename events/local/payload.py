"""HTTP to and from Lambda, as an HTTP API maps them (payload format 2.0)."""

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import parse_qsl, unquote

from local.event import request_context
from local.json_values import Json

type Headers = list[tuple[str, str]]

TEXT_TYPES = ("application/json", "application/javascript", "application/xml")
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "trailer", "upgrade", "proxy-connection"}
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
OWN_HEADERS = HOP_BY_HOP | {"content-length", "date", "server"}
STATUSES = range(200, 600)


class BadPayload(Exception):  # noqa: N818 - what the function gave
    """The function's payload is no response."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request; `path` and `query` are as they came, percent signs included."""

    method: str
    path: str
    query: str = ""
    headers: Headers = field(default_factory=list["tuple[str, str]"])
    body: bytes = b""
    source: str = "127.0.0.1"

    def header(self, name: str) -> str | None:
        """Returns a header, several of one name joined by commas; None where there is none."""
        found = [value for key, value in self.headers if key.lower() == name]
        return ",".join(found) if found else None


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response, without the headers that belong to the connection."""

    status: int
    headers: Headers
    body: bytes = b""

    @classmethod
    def message(cls, status: int, text: str, headers: Headers | None = None) -> "Response":
        """Returns an answer of the gateway's own."""
        body = json.dumps({"message": text}, separators=(",", ":")).encode()
        return cls(status, [("content-type", "application/json"), *(headers or [])], body)


def event_of(request: Request, route: str, parameters: Mapping[str, str], claims: dict[str, str] | None) -> Json:
    """Returns the event of a request.

    Args:
        request: what came in.
        route: the `routeKey` it matched.
        parameters: the path's variables, decoded.
        claims: what the authorizer read; None where no authorizer stands before the route.
    """
    # An HTTP API decodes the path (unlike a REST API) and leaves the query string as it is.
    path = unquote(request.path)
    context = request_context(request.method, path, route, claims)
    context["http"] |= {"sourceIp": request.source, "userAgent": request.header("user-agent") or ""}
    query = _joined(parse_qsl(request.query, keep_blank_values=True))
    cookies = [part.strip() for part in (request.header("cookie") or "").split(";") if part.strip()]
    return {
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": request.query,
        **({"cookies": cookies} if cookies else {}),
        "headers": _event_headers(request),
        **({"queryStringParameters": query} if query else {}),
        "requestContext": context,
        **({"pathParameters": dict(parameters)} if parameters else {}),
        **_event_body(request),
    }


def response_of(payload: Any) -> Response:
    """Returns the response for a payload; one without a status code is the body of a 200.

    Raises:
        BadPayload: it has a status code, and is no response all the same.
    """
    if not isinstance(payload, dict) or "statusCode" not in payload:
        text = payload if isinstance(payload, str) else json.dumps(payload)
        return Response(200, [("content-type", "application/json")], text.encode("utf-8", "replace"))
    known = cast("Json", payload)
    headers = list(_response_headers(known.get("headers"), known.get("cookies")))
    if not any(name == "content-type" for name, _ in headers):
        headers.append(("content-type", "text/plain;charset=UTF-8"))
    return Response(_status(known["statusCode"]), headers, _response_body(known))


def _event_headers(request: Request) -> dict[str, str]:
    """Names in lower case, values of one name joined; cookies are told apart, and the hops add their own."""
    pairs = [(name.lower(), value) for name, value in request.headers]
    kept = _joined((name, value) for name, value in pairs if name not in HOP_BY_HOP | {"cookie"})
    forwarded = {"x-forwarded-for": request.source, "x-forwarded-port": "443", "x-forwarded-proto": "https"}
    return kept | {"content-length": str(len(request.body))} | forwarded


def _event_body(request: Request) -> Json:
    if not request.body:
        return {"isBase64Encoded": False}
    if _is_text(request.header("content-type")):
        try:
            return {"body": request.body.decode("utf-8"), "isBase64Encoded": False}
        except UnicodeDecodeError:
            pass
    return {"body": base64.b64encode(request.body).decode("ascii"), "isBase64Encoded": True}


def _is_text(content_type: str | None) -> bool:
    kind = (content_type or "text/plain").split(";")[0].strip().lower()
    return kind.startswith("text/") or kind in TEXT_TYPES or kind.endswith(("+json", "+xml"))


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _status(value: Any) -> int:
    try:
        status = int(value)
    except (TypeError, ValueError):
        raise BadPayload(f"statusCode is {value!r}") from None
    if status not in STATUSES:
        raise BadPayload(f"statusCode is {value!r}")
    return status


def _response_headers(headers: Any, cookies: Any) -> Iterable[tuple[str, str]]:
    if not isinstance(headers or {}, dict) or not isinstance(cookies or [], list):
        raise BadPayload("headers should be an object and cookies a list")
    pairs = [(str(name).lower(), value) for name, value in cast("Json", headers or {}).items()]
    for name, value in [*pairs, *(("set-cookie", cookie) for cookie in cast("list[Any]", cookies or []))]:
        if not isinstance(value, str | int | float):
            raise BadPayload(f"header {name} is {value!r}")
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if "\r" in text or "\n" in text or not HEADER_NAME.fullmatch(name):
            raise BadPayload(f"header {name} cannot be sent")
        if name not in OWN_HEADERS:
            yield name, text


def _response_body(payload: Json) -> bytes:
    body = payload.get("body")
    if body is None:
        return b""
    if not isinstance(body, str):
        raise BadPayload(f"body should be a string, not {type(body).__name__}")
    if not payload.get("isBase64Encoded"):
        return body.encode("utf-8", "replace")
    try:
        return base64.b64decode(body, validate=True)
    except ValueError:
        raise BadPayload("body is not base64") from None
