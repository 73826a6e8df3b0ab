"""The HTTP API without processes: gateway's mapping and the functions' own handlers in this one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat_function import Context

from local.gateway import find_route
from local.payload import Request, Response, event_of, response_of
from local.template import Route, Template
from local.token import Unauthorized, read_claims

type Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


@dataclass
class InProcess:
    """Answers requests; the handlers are given by the functions' logical ids."""

    handlers: Mapping[str, Handler]
    routes: tuple[Route, ...] = field(default_factory=lambda: Template.read().routes)

    def answer(self, request: Request) -> tuple[Route | None, Response]:
        """Returns the answer, and the route that it came by."""
        match = find_route(self.routes, request.method, request.path)
        if match is None:
            return None, Response.message(404, "Not Found")
        try:
            claims = read_claims(request.header("authorization"))
        except Unauthorized:
            return match.route, Response.message(401, "Unauthorized")
        event = event_of(request, match.route.key, match.parameters, claims)
        return match.route, response_of(self.handlers[match.route.function](event, Context()))
