"""A model service on loopback: answers from a script, remembers every request, refuses what the real one refuses."""

import json
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

type Json = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A request as it came over the wire; header names in lower case."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Json:
        return json.loads(self.raw)


@dataclass(frozen=True)
class Reply:
    """What the server sends back. `body` may be JSON, or bytes to be sent as they are."""

    body: Json | list[Any] | bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    content_type: str = "application/json"

    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


type Rule = Callable[[Request], Reply | None]
"""Looks at a request and returns the refusal the real service would give, or None where it would accept."""

type Step = Reply | Callable[[Request], Reply]


class ModelServer:
    """A scripted service. Every request is checked by `rule` first; a refused one does not use up the script."""

    def __init__(self, steps: Iterable[Step], rule: Rule) -> None:
        self.requests: list[Request] = []
        self.refusals: list[Json] = []
        self.unscripted = 0
        self._steps = list(steps)
        self.rule = rule
        self._lock = threading.Lock()
        self.url = ""

    def add(self, *steps: Step) -> None:
        """Appends to the script."""
        self._steps += steps

    @property
    def bodies(self) -> list[Json]:
        return [request.body for request in self.requests]

    def answer(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            refusal = self.rule(request)
            if refusal is not None:
                self.refusals.append(json.loads(refusal.raw()))
                return refusal
            if not self._steps:
                self.unscripted += 1
                return Reply({"error": {"message": "the script is used up"}}, 418)
            step = self._steps.pop(0)
        return step if isinstance(step, Reply) else step(request)

    def check_used_up(self) -> None:
        """Fails the test where the code asked less or more often than foreseen, or was refused."""
        assert not self.refusals, f"the service refused: {self.refusals}"
        assert not self.unscripted, f"{self.unscripted} requests beyond the script"
        assert not self._steps, f"{len(self._steps)} steps of the script were never asked for"


@contextmanager
def serving(server: ModelServer) -> Generator[ModelServer]:
    """Runs the server on a free loopback port for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length", "0")))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = server.answer(Request(self.path, headers, raw))
            body = reply.raw()
            lines = [
                f"HTTP/1.1 {reply.status} X",
                f"content-type: {reply.content_type}",
                f"content-length: {len(body)}",
            ]
            lines += [f"{name}: {value}" for name, value in reply.headers.items()]
            self.wfile.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)  # one packet: no delayed ACK

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Stays silent."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    http.block_on_close = False
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()
