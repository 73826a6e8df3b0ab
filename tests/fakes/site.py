"""A site on loopback with a certificate of its own authority, and a network that leads its names there.

The guards are the real ones: to them every name has the addresses a test gives it. Only the connection to a checked
address ends here instead of there, and it is noted which address was asked for.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from ipaddress import ip_address

import trustme

from rondas.resolve import Address
from rondas.web.connection import Network, tls_context

PUBLIC = "93.184.215.14"

type Answer = bytes | Callable[[socket.socket], None]
"""What is sent back: bytes as they are, or a function that sends them."""

AUTHORITY = trustme.CA()


def page(body: bytes | str, content_type: str | None = "text/html; charset=utf-8", *headers: str) -> bytes:
    """Returns a whole answer with status 200."""
    content = body if isinstance(body, bytes) else body.encode()
    lines = ["HTTP/1.1 200 OK", f"Content-Length: {len(content)}", *headers]
    if content_type is not None:
        lines.append(f"Content-Type: {content_type}")
    return "\r\n".join([*lines, "", ""]).encode() + content


def redirect(location: str, status: int = 302) -> bytes:
    return f"HTTP/1.1 {status} Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n".encode()


@dataclass
class Site:
    """What the server has, by path, and what it saw."""

    answers: dict[str, Answer] = field(default_factory=dict[str, Answer])
    names: dict[str, list[str]] = field(default_factory=lambda: {"www.example.org": [PUBLIC]})
    requests: list[bytes] = field(default_factory=list[bytes])
    looked_up: list[str] = field(default_factory=list[str])
    connected: list[str] = field(default_factory=list[str])
    server_names: list[str] = field(default_factory=list[str])
    port: int = 0

    @property
    def paths(self) -> list[str]:
        return [request.split()[1].decode() for request in self.requests]

    def network(self, *, trusted: bool = True) -> Network:
        return Network(self._resolve, self._open_socket, _trusting if trusted else tls_context)

    def _resolve(self, host: str, _seconds: float) -> list[Address]:
        self.looked_up.append(host)
        if host not in self.names:
            raise OSError("no such name")
        return [ip_address(address) for address in self.names[host]]

    def _open_socket(self, address: Address, seconds: float) -> socket.socket:
        self.connected.append(str(address))
        return socket.create_connection(("127.0.0.1", self.port), timeout=seconds)


@cache
def _trusting() -> ssl.SSLContext:
    context = ssl.create_default_context()
    AUTHORITY.configure_trust(context)
    return context


@cache
def _certified(*names: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    AUTHORITY.issue_cert(*names).configure_cert(context)
    return context


@contextmanager
def served(site: Site, *certified: str) -> Generator[Site]:
    """Serves the site, with a certificate for some names."""
    context = _certified(*certified)
    context.sni_callback = lambda _socket, name, _context: site.server_names.append(name)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        site.port = listener.getsockname()[1]
        server = threading.Thread(target=_serve, args=(site, listener, context))
        server.start()
        try:
            yield site
        finally:
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            server.join()


def _serve(site: Site, listener: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            raw, _ = listener.accept()
        except OSError:
            return
        with raw, suppress(OSError), context.wrap_socket(raw, server_side=True) as connection:
            request = b""
            while b"\r\n\r\n" not in request and (data := connection.recv(65_536)):
                request += data
            site.requests.append(request)
            answer = site.answers.get(request.split()[1].decode(), page("Nothing here.", "text/html"))
            if isinstance(answer, bytes):
                connection.sendall(answer)
            else:
                answer(connection)
