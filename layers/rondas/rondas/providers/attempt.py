"""One attempt to ask a model: bounded in time whatever the server does, every failure in the same words (rule B2)."""

import functools
from collections.abc import Callable
from math import inf

import httpx2

from rondas.interrupt import OutOfTime, out_of_time_after
from rondas.providers.errors import ProviderError, from_exception, malformed
from rondas.providers.wire import Json, read_object

CONNECT_SECONDS = 3.0
"""A server that is up accepts a connection in far less; one that is not should leave time for another."""

_CLEAN_STOP_SECONDS = 0.05


@functools.cache
def shared_client() -> httpx2.Client:
    """Returns the HTTP client of all SDKs: building TLS contexts costs more than a warm request.

    Redirects are not followed: an API has no reason to send any. Connecting is bounded here for every SDK, for not
    each of them can be told.
    """
    return httpx2.Client(follow_redirects=False, event_hooks={"request": [_connect_soon]})


def _connect_soon(request: httpx2.Request) -> None:
    timeout = request.extensions.get("timeout", {})
    request.extensions["timeout"] = {**timeout, "connect": min(timeout.get("connect") or inf, CONNECT_SECONDS)}


def attempt(name: str, call: Callable[[float], bytes], seconds: float) -> Json:
    """Makes a call and returns the JSON object it brings.

    The call's own timeout bounds one socket operation, not the whole, so a server that drips is interrupted. The
    timeout is a little shorter than the time left, so that a silent server ends in the SDK's clean error instead.

    Args:
        name: `provider:model`, for the error.
        call: sends the request with the given timeout, in seconds, and returns the body of the answer.
        seconds: the time there is.

    Raises:
        OutOfTime: nothing came in time.
        ProviderError: the call failed, or brought something else.
    """
    try:
        with out_of_time_after(seconds):
            body = read_object(call(max(_CLEAN_STOP_SECONDS, seconds - _CLEAN_STOP_SECONDS)))
    except ProviderError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever an SDK raises, the attempt has failed
        if _timed_out(error):
            raise OutOfTime from None
        raise from_exception(name, error) from None
    if not body:
        raise malformed(name, "an answer that is no JSON object")
    return body


def socket_timeout(seconds: float) -> httpx2.Timeout:
    """Returns the timeouts of a call's socket operations."""
    return httpx2.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


def _timed_out(error: BaseException | None) -> bool:
    """Whether the server was silent for as long as it had; a connection that never came about is another matter."""
    while error is not None:
        if isinstance(error, httpx2.TimeoutException):
            return not isinstance(error, httpx2.ConnectTimeout)
        error = error.__cause__
    return False
