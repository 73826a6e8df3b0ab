"""A model service that misbehaves as the person's message says: `case: silent`, `case: drip`, …"""

import json
import re
import socket
import socketserver
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

from fakes.anthropic import message
from fakes.server import Reply

CLOSING_WORDS = "Here is how far I came."
HUGE = 6_000_000

_CASE = re.compile(r"case: (\w+) ?(\w*)")


class _Handler(socketserver.StreamRequestHandler):
    """Answers one request of a connection, and then whatever the case makes of it."""

    def handle(self) -> None:
        with suppress(OSError):
            while (body := self._request()) is not None:
                case, tool = _case(body)
                behave = BEHAVIOURS.get(case)
                if behave:
                    behave(self)
                    return
                self.send(_turn(body, case, tool))

    @property
    def over(self) -> threading.Event:
        """Set when the test is over."""
        assert isinstance(self.server, HostileModel)
        return self.server.over

    def send(self, reply: Reply) -> None:
        raw = reply.raw()
        head = f"HTTP/1.1 {reply.status} X\r\ncontent-type: application/json\r\ncontent-length: {len(raw)}\r\n\r\n"
        self.wfile.write(head.encode() + raw)

    def rest(self) -> None:
        """Says nothing more until the caller hangs up or the test is over."""
        self.connection.settimeout(0.05)
        while not self.over.is_set():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                continue

    def _request(self) -> Any:
        length = 0
        while line := self.rfile.readline().strip().lower():
            if line.startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        return json.loads(self.rfile.read(length)) if length else None


def _silent(handler: _Handler) -> None:
    handler.rest()


def _drip(handler: _Handler) -> None:
    """Sends a valid head, then one byte of the body at a time, so that no time-out of a socket is ever reached."""
    handler.wfile.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")
    while not handler.over.wait(0.05):
        handler.wfile.write(b" ")


def _drip_head(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 X\r\nx-slow: ")
    while not handler.over.wait(0.05):
        handler.wfile.write(b"y")


def _close(_handler: _Handler) -> None:
    """Hangs up without a word."""


def _redirect(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 307 X\r\nlocation: /v1/messages\r\ncontent-length: 0\r\n\r\n")


def _endless(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    while not handler.over.is_set():
        handler.wfile.write(chunk)


def _nonsense(handler: _Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 6\r\n\r\nhello\n")


def _huge(handler: _Handler) -> None:
    handler.send(message("x" * HUGE))


BEHAVIOURS: dict[str, Callable[[_Handler], None]] = {
    "silent": _silent,
    "drip": _drip,
    "drip_head": _drip_head,
    "close": _close,
    "redirect": _redirect,
    "endless": _endless,
    "nonsense": _nonsense,
    "huge": _huge,
}


def _turn(body: Any, case: str, tool: str) -> Reply:
    """Asks for the tool that the message names, twice in one turn; answers when it has results, or may ask no more."""
    if body.get("tool_choice", {}).get("type") == "none":
        return message(CLOSING_WORDS)
    if case == "tool" and "tool_result" not in json.dumps(body["messages"][-1]):
        return message(calls=[("toolu_1", tool, {}), ("toolu_2", "note", {})])
    return message("Done.")


def _case(body: Any) -> tuple[str, str]:
    found = _CASE.findall(json.dumps(body["messages"]))
    return found[-1] if found else ("", "")


class HostileModel(socketserver.ThreadingTCPServer):
    """The service, on a free loopback port."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def hostile_model() -> Generator[HostileModel]:
    """Runs the service."""
    with HostileModel() as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.over.set()
        server.shutdown()


@contextmanager
def silent(scheme: str) -> Generator[str]:
    """An address that accepts connections and never says a word, be it to shake hands; gives its URL."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"{scheme}://127.0.0.1:{listener.getsockname()[1]}"
