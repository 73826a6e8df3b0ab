"""The points of every request to the table: before it, in the middle of it, sent and not read, and after it."""

import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from points import Points

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def watch(client: "DynamoDBClient", points: Points) -> None:
    """Makes the requests of a client points of its process."""

    def before_send(request: Any, **_: Any) -> None:
        what = request.headers["X-Amz-Target"].decode().partition(".")[2]
        message = _on_the_wire(request)
        points.reach(what, "before")
        points.reach(what, "in the middle of", lambda: _send(request.url, message[: -len(request.body) // 2]))
        points.reach(what, "unanswered", lambda: _send(request.url, message))

    def response_received(context: Any, **more: Any) -> None:
        points.reach(more["event_name"].rpartition(".")[2], "after")

    client.meta.events.register("before-send.dynamodb", before_send)
    client.meta.events.register("response-received.dynamodb", response_received)


def _on_the_wire(request: Any) -> bytes:
    address = urlsplit(str(request.url))
    lines = [f"{request.method} {address.path or '/'} HTTP/1.1", f"Host: {address.netloc}"]
    for name, value in request.headers.items():
        lines.append(f"{name}: {value.decode() if isinstance(value, bytes) else value}")
    return "\r\n".join([*lines, "", ""]).encode() + request.body


def _send(url: str, message: bytes) -> None:
    """Sends and does not read. The process dies next; what it sent arrives all the same, maybe after its successor."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port)) as connection:
        connection.sendall(message)
