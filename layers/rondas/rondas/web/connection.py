"""A connection to a page's server: over TLS, to an address that was checked, with an end to its time and its size."""

import socket
import ssl
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from math import inf
from typing import Any, cast, override

from rondas.resolve import Address, resolve
from rondas.tools import ToolMistake
from rondas.web.addresses import is_public

_ADDRESSES_TRIED = 3


def open_socket(address: Address, seconds: float) -> socket.socket:
    """Connects to the HTTPS port of an address; no name comes into it any more."""
    return socket.create_connection((str(address), 443), timeout=seconds)


@cache  # reading the certificates of the authorities takes 20 ms
def tls_context() -> ssl.SSLContext:
    """Returns how servers are checked: by the certificates the system trusts, for the name in the URL."""
    return ssl.create_default_context()


@dataclass(frozen=True, slots=True)
class Network:
    """How names become addresses, and addresses connections. A test brings a network of its own.

    Attributes:
        resolve: returns the addresses of a name within some seconds.
        open_socket: connects to an address within some seconds.
        tls_context: what the server's certificate is checked with.
    """

    resolve: Callable[[str, float], list[Address]] = resolve
    open_socket: Callable[[Address, float], socket.socket] = open_socket
    tls_context: Callable[[], ssl.SSLContext] = tls_context


INTERNET = Network()


def public_addresses(host: str, until: float, network: Network) -> list[Address]:
    """Returns the addresses of a host, all of them public.

    A name that has both public and other addresses is refused: somebody set it up to pass a check.

    Raises:
        ToolMistake: one of them is not public.
        OSError: there is none, or not in time.
    """
    addresses = network.resolve(host, seconds_left(until))
    if not addresses or not all(map(is_public, addresses)):
        raise ToolMistake("The site is not a public one: its name leads to an address that is not open to everybody.")
    return addresses


class TooLargeError(OSError):
    """The server sends more than was to be received."""


class PinnedConnection(HTTPConnection):
    """Speaks HTTP with one of the given addresses, and with nothing else.

    The name is looked up once, before: it cannot lead elsewhere between check and connection (DNS rebinding). It is
    still the name that the certificate is checked for. No proxy, cookie, password or redirect is known here.

    Args:
        host: the name of the server.
        addresses: its addresses, checked.
        until: when everything has to be over, on the monotonic clock.
        max_bytes: how much is received at most, headers included; `TooLargeError` is raised beyond it.
        network: how to connect.
    """

    def __init__(
        self, host: str, addresses: Iterable[Address], *, until: float, max_bytes: int, network: Network
    ) -> None:
        super().__init__(host)
        self._addresses = list(addresses)[:_ADDRESSES_TRIED]
        self._until = until
        self._max_bytes = max_bytes
        self._network = network

    @override
    def connect(self) -> None:
        context = self._network.tls_context()
        context.sslsocket_class = _BoundedSocket
        with self._open() as raw:  # once wrapped, it has nothing left to close
            raw.settimeout(seconds_left(self._until))
            self.sock = bounded = cast("_BoundedSocket", context.wrap_socket(raw, server_hostname=self.host))
        bounded.until, bounded.bytes_left = self._until, self._max_bytes

    def _open(self) -> socket.socket:
        problem = OSError("no address")
        for tried, address in enumerate(self._addresses):
            share = seconds_left(self._until) / (len(self._addresses) - tried)
            try:
                return self._network.open_socket(address, share)
            except OSError as error:
                problem = error
        raise problem


class _BoundedSocket(ssl.SSLSocket):
    """Ends at one moment and at one size, whatever is being read.

    A timeout alone would begin anew with each byte of a server that drips. And Python's HTTP library reads without end
    what it was asked to read a part of, where a chunk announces a negative size.
    """

    until: float = inf
    bytes_left: int = 0

    @override
    def recv_into(self, buffer: Any, nbytes: int | None = None, flags: int = 0) -> int:
        self.settimeout(seconds_left(self.until))
        received = super().recv_into(buffer, nbytes, flags)
        self.bytes_left -= received
        if self.bytes_left < 0:
            raise TooLargeError
        return received


def seconds_left(until: float) -> float:
    """Returns the seconds until a moment on the monotonic clock.

    Raises:
        TimeoutError: there are none.
    """
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time is over")
    return left
