"""The gateway: finds the route, asks the authorizer, invokes the function in a slot, maps its answer.

What an HTTP API answers when a function does not (its errors look different from a REST API's):

- raised, crashed, ended at its timeout, or no valid response: 500 `Internal Server Error`
- still running at the integration's timeout: 503 `Service Unavailable`, while the function runs on
- no route: 404 `Not Found`; the authorizer refuses: 401 `Unauthorized`
"""

import concurrent.futures
import re
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from local.json_values import Json
from local.payload import BadPayload, Request, Response, event_of, response_of
from local.slots import InvocationError, Pool, Slot, TooLarge
from local.template import Function, Route, Template
from local.token import Unauthorized, read_claims


@dataclass(frozen=True, slots=True)
class Match:
    """A route that fits a request, with the path's variables."""

    route: Route
    parameters: Mapping[str, str]


class Gateway:
    """Answers requests. As many invocations as there are slots run at once, of all functions; the others wait.

    The wait is not counted in the timeouts: in the cloud there would be another slot.
    """

    def __init__(self, template: Template, slots: int, slot: Callable[[Function], Slot]) -> None:
        self._routes = template.routes
        self._pools = {name: Pool(function, slots, slot) for name, function in _routed(template).items()}
        self._turns = threading.Semaphore(slots)
        self._stopped = False

    def start(self) -> None:
        """Waits until every function can take a request.

        Raises:
            InitError: one cannot be loaded.
        """
        for pool in self._pools.values():
            pool.start()

    def stop(self) -> None:
        """Ends everything at once."""
        self._stopped = True
        for pool in self._pools.values():
            pool.stop()

    def answer(self, request: Request) -> Response:
        """Answers a request, whatever the function does."""
        match = find_route(self._routes, request.method, request.path)
        if match is None:
            return Response.message(404, "Not Found")
        try:
            claims = read_claims(request.header("authorization")) if match.route.protected else None
        except Unauthorized:
            return Response.message(401, "Unauthorized", [("www-authenticate", "Bearer")])
        event = event_of(request, match.route.key, match.parameters, claims)
        return self._integrate(match.route, event)

    def _integrate(self, route: Route, event: Json) -> Response:
        try:
            return response_of(self._invoke(route, event))
        except TooLarge:
            return Response.message(413, "Request Entity Too Large")
        except TimeoutError:
            _log(f"{route.key}: no answer within {route.timeout:.2f} s")
            return Response.message(503, "Service Unavailable")
        except (InvocationError, BadPayload) as error:
            if not self._stopped:
                _log(f"{route.key}: {error}")
            return Response.message(500, "Internal Server Error")

    def _invoke(self, route: Route, event: Json) -> Any:
        """Waits for a turn, then for the payload; at the route's timeout the function keeps its slot and runs on."""
        result: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._turns.acquire()  # given back by the thread below, when the function is done
        threading.Thread(target=self._run, args=(route, event, result), name="invocation", daemon=True).start()
        return result.result(route.timeout)

    def _run(self, route: Route, event: Json, result: "concurrent.futures.Future[Any]") -> None:
        try:
            result.set_result(self._pools[route.function].invoke(event))
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits
            result.set_exception(error)
        finally:
            self._turns.release()


def find_route(routes: tuple[Route, ...], method: str, path: str) -> Match | None:
    """Returns the most specific route: one of the very method before `ANY`, a fixed path before variables."""
    matches = [Match(route, found) for route in routes if (found := _fit(route, method, path)) is not None]
    return min(matches, key=lambda match: _rank(match.route), default=None)


def _rank(route: Route) -> tuple[bool, int, bool]:
    return "+}" in route.path, route.path.count("{"), route.method == "ANY"


def _fit(route: Route, method: str, path: str) -> dict[str, str] | None:
    if route.method not in ("ANY", method):
        return None
    pattern = re.sub(r"\\{(\w+)(\\\+)?\\}", _variable, re.escape(route.path))
    found = re.fullmatch(pattern, path)
    return {name: unquote(value) for name, value in found.groupdict().items()} if found else None


def _variable(found: re.Match[str]) -> str:
    return f"(?P<{found[1]}>{'.+' if found[2] else '[^/]+'})"


def _routed(template: Template) -> dict[str, Function]:
    names = {route.function for route in template.routes}
    return {name: function for name, function in template.functions.items() if name in names}


def _log(line: str) -> None:
    print(f"{line}\n", end="", file=sys.stderr, flush=True)  # one write, which no other line comes between
