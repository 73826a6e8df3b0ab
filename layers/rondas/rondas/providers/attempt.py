"""One attempt to ask a model: bounded in time whatever the server does, every failure in the same words (rule B2)."""

import functools
import os
from collections.abc import Callable, Iterator
from math import inf
from typing import cast

import httpx2

from rondas.history import Turn
from rondas.interrupt import OutOfTime, out_of_time_after
from rondas.providers.errors import ProviderError, from_exception

CONNECT_SECONDS = 3.0
"""A server that is up accepts a connection in far less; one that is not should leave time for another."""

MAX_RESPONSE_BYTES = 20_000_000
"""Many times the longest turn: a body beyond it is one that does not end, and memory does."""

RESOLVER = "timeout:1 attempts:2"
"""How long the C library looks for a host: as the last one of all waits, no signal breaks into it (rule B2)."""

_CLEAN_STOP_SECONDS = 0.05

os.environ.setdefault("RES_OPTIONS", RESOLVER)  # before the first look-up, where the C library reads it


@functools.cache
def shared_client() -> httpx2.Client:
    """Returns the HTTP client of all SDKs: building TLS contexts costs more than a warm request.

    Redirects are not followed: an API has no reason to send any.
    """
    return httpx2.Client(follow_redirects=False, event_hooks={"request": [_bound], "response": [_end_at_last]})


def _end_at_last(response: httpx2.Response) -> None:
    """Bounds the body of a response."""
    response.stream = _Bounded(cast("httpx2.SyncByteStream", response.stream))


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self._stream = stream

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._stream:
            size += len(chunk)
            if size > MAX_RESPONSE_BYTES:
                raise httpx2.RemoteProtocolError("the body does not end")
            yield chunk

    def close(self) -> None:
        self._stream.close()


def _bound(request: httpx2.Request) -> None:
    """Bounds a request where an SDK cannot be told to.

    Connecting has less time than the call. And Google's SDK makes a deadline for the service of its timeout, of which
    the service refuses any below ten seconds: every closing call's (trap 31, livekit/agents 3723).
    """
    timeout = request.extensions.get("timeout", {})
    request.extensions["timeout"] = {**timeout, "connect": min(timeout.get("connect") or inf, CONNECT_SECONDS)}
    request.headers.pop("x-server-timeout", None)


def attempt(model: str, ask: Callable[[float], Turn], seconds: float) -> Turn:
    """Asks for a turn, once.

    The timeout of an SDK bounds one socket operation, not the whole, so a server that drips is interrupted. It is a
    little shorter than the time left, so that a silent server ends in the SDK's clean error instead.

    Args:
        model: `provider:model`, for the error.
        ask: writes the request, sends it with the given timeout in seconds, and reads the answer.
        seconds: the time there is.

    Raises:
        OutOfTime: nothing came in time.
        ProviderError: the attempt failed, at whatever step.
    """
    try:
        with out_of_time_after(seconds):
            return ask(max(_CLEAN_STOP_SECONDS, seconds - _CLEAN_STOP_SECONDS))
    except ProviderError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever is raised, the attempt has failed and the run goes on
        if _timed_out(error):
            raise OutOfTime from None
        raise from_exception(model, error) from None


def _timed_out(error: BaseException | None) -> bool:
    """Whether the server was silent for as long as it had; a connection that never came about is another matter."""
    while error is not None:
        if isinstance(error, httpx2.TimeoutException):
            return not isinstance(error, httpx2.ConnectTimeout)
        error = error.__cause__
    return False
