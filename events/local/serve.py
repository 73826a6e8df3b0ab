"""`make serve`: the HTTP API of `template.yaml` on the loopback address."""

import argparse
import re
import signal
import socketserver
import sys
import threading
import time
import uuid
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote

from local.api_page import page_of
from local.deliveries import Deliveries
from local.emulated_slot import EmulatedSlot, emulator
from local.engine import EngineError
from local.environment import prepared
from local.gateway import Gateway
from local.payload import Request, Response
from local.plain_slot import PlainSlot
from local.queues import create_queues
from local.start_errors import InitError
from local.template import TEMPLATE, Template, TemplateError

MOST_BYTES = 10 * 1024 * 1024  # an HTTP API's limit of a body
CHUNK_BYTES = 64 * 1024
WITHOUT_BODY = (204, 304)
LAST_PORT = 65_535
POLL_SECONDS = 0.05  # how soon the end is noticed
SIGNAL_SECONDS = 0.5
PATIENCE_SECONDS = 60.0
"""For the next bytes of a request; a client that stays away longer is gone."""

GRACE_SECONDS = 3.0
"""For the requests that are running when it is time to end."""


class PortError(Exception):
    """The port cannot be listened on; the message says why."""


class Running:
    """The requests that are being answered, each in a `with`."""

    def __init__(self) -> None:
        self._count = 0
        self._changed = threading.Condition()

    def __enter__(self) -> None:
        self._add(1)

    def __exit__(self, *_: object) -> None:
        self._add(-1)

    def wait_for_all(self, seconds: float) -> None:
        """Returns when none is left, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: not self._count, seconds)

    def _add(self, number: int) -> None:
        with self._changed:
            self._count += number
            self._changed.notify_all()


class Server(ThreadingHTTPServer):
    """A thread for each connection; requests wait for their turn in the gateway."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 512

    def __init__(self, port: int, gateway: Gateway) -> None:
        self.gateway = gateway
        self.running = Running()
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError as error:
            raise PortError(f"cannot listen on 127.0.0.1:{port}: {error.strerror}") from None

    def finish(self, seconds: float) -> None:
        """Takes no more connections; returns when the running requests are answered, or after so many seconds."""
        self.shutdown()
        self.server_close()
        self.running.wait_for_all(seconds)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keeps quiet about clients that hang up."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Reads requests from a connection and writes their answers."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = PATIENCE_SECONDS
    wbufsize = CHUNK_BYTES  # header and body in one packet
    server: socketserver.BaseServer
    started = 0.0

    def parse_request(self) -> bool:
        """Starts the clock of a request: its first line has come."""
        self.started = time.monotonic()
        return super().parse_request()

    def __getattr__(self, name: str) -> Any:
        """Takes every method, also ones nobody has heard of: what exists is for the routes to say."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answers a request that is no HTTP in the gateway's own form."""
        del message, explain
        self.close_connection = True
        self._send(Response.message(code, HTTPStatus(code).phrase))

    def handle_expect_100(self) -> bool:
        """Asks for the body, unless it is announced to be too large."""
        if self._length() <= MOST_BYTES:
            super().handle_expect_100()
            self.wfile.flush()
        return True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Logs nothing: a line with the time it took is written with the answer."""

    def _answer(self) -> None:
        body = self._chunked() if self.headers.get("transfer-encoding") else self._sized()
        if body is None:
            return
        assert isinstance(self.server, Server)
        path, query = _target(self.path)
        headers = [(name, _FOLD.sub(" ", value)) for name, value in self.headers.items()]
        request = Request(self.command, path, query, headers, body, str(self.client_address[0]))
        with self.server.running:
            self._send(page_of(request) or self.server.gateway.answer(request))

    def _length(self) -> int:
        text = self.headers.get("content-length", "0")
        return int(text) if text.isascii() and text.isdigit() else -1

    def _sized(self) -> bytes | None:
        length = self._length()
        if length < 0:
            self.send_error(HTTPStatus.BAD_REQUEST)
            return None
        if length > MOST_BYTES:
            return self._too_large(length)
        return self._whole(self.rfile.read(length), length)

    def _whole(self, data: bytes, length: int) -> bytes | None:
        """Returns what was read if it is all; a client that hung up in the middle gets no answer."""
        if len(data) == length:
            return data
        self.close_connection = True
        return None

    def _chunked(self) -> bytes | None:
        body = b""
        while True:
            size = self.rfile.readline(CHUNK_BYTES).split(b";")[0].strip()
            try:
                length = int(size, 16)
            except ValueError:
                self.send_error(HTTPStatus.BAD_REQUEST)
                return None
            if length < 0 or len(body) + length > MOST_BYTES:
                return self._too_large(0)
            chunk = self._whole(self.rfile.read(length), length)
            if chunk is None:
                return None
            body += chunk
            if length == 0:
                return self._after_trailers(body)
            self.rfile.readline(CHUNK_BYTES)

    def _after_trailers(self, body: bytes) -> bytes:
        while self.rfile.readline(CHUNK_BYTES).strip():
            pass
        return body

    def _too_large(self, length: int) -> None:
        """Answers at once, then reads what is on its way: a client that is still sending would miss the answer."""
        self._refuse_too_large()
        self.connection.settimeout(2)
        while length > 0 and (data := self.rfile.read(min(length, CHUNK_BYTES))):
            length -= len(data)

    def _refuse_too_large(self) -> None:
        self.close_connection = True
        self._send(Response.message(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "Request Entity Too Large"))

    def _log(self, status: int) -> None:
        """Writes a request's line: no query, no header, no body, which may hold a token or a person's words."""
        method = quote(self.command or "-", safe="")
        path = _target(self.path)[0] if self.command else "-"
        line = f"{method} {path} {status} {1000 * (time.monotonic() - self.started):.0f} ms\n"
        print(line, end="", file=sys.stderr, flush=True)  # one write, which no other line comes between

    def _send(self, response: Response) -> None:
        self._log(response.status)
        self.send_response_only(response.status)
        self.send_header("date", self.date_time_string())
        for name, value in response.headers:
            self.send_header(name, value.encode("latin-1", "replace").decode("latin-1"))
        has_body = response.status not in WITHOUT_BODY
        if has_body:
            self.send_header("content-length", str(len(response.body)))
        self.send_header("apigw-requestid", uuid.uuid4().hex[:16])
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if has_body and self.command != "HEAD":
            self.wfile.write(response.body)
        self.wfile.flush()


_FOLD = re.compile(r"\r?\n\s*")
_ORIGIN = re.compile(r"^https?://[^/?#]*", re.IGNORECASE)


def _target(target: str) -> tuple[str, str]:
    """Returns path and query of a request's target, percent-encoded throughout, whatever the client left as it was."""
    encoded = quote(_ORIGIN.sub("", target).encode("latin-1"), safe="/?#[]@!$&'()*+,;=:%-._~")
    path, _, query = encoded.partition("#")[0].partition("?")
    return path or "/", query


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line until SIGTERM or Ctrl-C; returns the exit code."""
    parser = argparse.ArgumentParser(prog="serve", description=__doc__)
    parser.add_argument("--port", type=int, default=3000, help="0 for a free one")
    parser.add_argument("--slots", type=int, default=4, help="invocations at once")
    parser.add_argument("--grace", type=float, default=GRACE_SECONDS, help="seconds for running requests at the end")
    parser.add_argument("--plain", action="store_true", help="plain processes, also where Lambda's runtime could run")
    parser.add_argument("--template", type=Path, default=TEMPLATE)
    options = parser.parse_args(arguments)
    if options.slots < 1:
        parser.error("--slots: at least 1")
    if not 0 <= options.port <= LAST_PORT:
        parser.error(f"--port: 0 to {LAST_PORT}")
    try:
        with _until_told_to_stop():
            _serve(Template.read(options.template), options)
    except (EngineError, InitError, PortError, TemplateError) as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        return 1
    return 0


def _serve(template: Template, options: argparse.Namespace) -> None:
    slot = PlainSlot if options.plain else EmulatedSlot
    if not (options.plain or emulator()):
        print("Lambda's runtime runs on Linux only: plain processes stand in for it.", file=sys.stderr, flush=True)
        slot = PlainSlot
    with ExitStack() as stack:
        stack.enter_context(prepared(template))
        gateway = Gateway(template, options.slots, slot)
        server = stack.enter_context(Server(options.port, gateway))
        stack.callback(gateway.stop)
        if template.sources:
            deliveries = Deliveries(template, create_queues(template.queues), options.slots, slot)
            stack.callback(deliveries.stop)
            deliveries.start()
        gateway.start()
        threading.Thread(target=server.serve_forever, args=(POLL_SECONDS,), name="http", daemon=True).start()
        stack.callback(server.finish, options.grace)
        print(f"ready http://127.0.0.1:{server.server_port}", flush=True)
        while True:  # a signal that comes just before the wait does not end it
            threading.Event().wait(SIGNAL_SECONDS)


class _Stop(BaseException):
    """It is time to end."""


@contextmanager
def _until_told_to_stop() -> Generator[None]:
    """Turns the signals into an orderly end, wherever the main thread is."""

    def stop(_number: int, _frame: Any) -> None:
        _handle_signals(signal.SIG_IGN)  # the end itself is not interrupted
        raise _Stop

    _handle_signals(stop)
    with suppress(_Stop):
        yield


def _handle_signals(handler: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
