"""What a function of Rondas is called with."""

from typing import Any

from bench.peers.rondas_store import PERSON


class Context:
    """What a function asks of Lambda's context."""

    aws_request_id = "request-1"
    function_name = "chat"
    function_version = "$LATEST"
    memory_limit_in_mb = 1769
    invoked_function_arn = "arn:aws:lambda:eu-west-1:012345678912:function:chat"

    @staticmethod
    def get_remaining_time_in_millis() -> int:
        """As at the start of an invocation."""
        return 28_000


def event(method: str, route: str, conversation: str = "", **more: Any) -> dict[str, Any]:
    """Returns API Gateway's event (payload version 2.0) for a request of the bench's person."""
    path = route.replace("{conversation_id}", conversation)
    return {
        "version": "2.0",
        "routeKey": f"{method} {route}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {},
        "requestContext": {
            "http": {"method": method, "path": path},
            "stage": "$default",
            "authorizer": {"jwt": {"claims": {"sub": PERSON}, "scopes": None}},
        },
        "isBase64Encoded": False,
        **more,
    }
