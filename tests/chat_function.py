"""The chat function in the hands of a test: messages in, answers out, and what was stored."""

import json
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fakes.server import ModelServer

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

EVENTS = Path(__file__).parents[1] / "events"


@dataclass
class Context:
    """What the function asks of Lambda's context."""

    remaining: float = 28
    aws_request_id: str = "request-1"
    function_name: str = "chat"
    function_version: str = "$LATEST"
    memory_limit_in_mb: int = 1769
    invoked_function_arn: str = "arn:aws:lambda:eu-west-1:012345678912:function:chat"

    def get_remaining_time_in_millis(self) -> int:
        return int(self.remaining * 1000)


@dataclass
class Answered:
    """An answer of the function."""

    status: int
    headers: dict[str, str]
    body: dict[str, Any]


class Chat:
    """The function with its model and its tables."""

    def __init__(self, app: ModuleType, model: ModelServer, client: "DynamoDBClient") -> None:
        self.app = app
        self.model = model
        self.client = client

    def post(
        self,
        text: object = "hello",
        *,
        key: str | None = None,
        user: str | None = "ana",
        conversation: str = "c-1",
        body: str | None = None,
        remaining: float = 28,
        headers: dict[str, str] | None = None,
        **event: Any,
    ) -> Answered:
        """Posts a message; `body` is sent as it is, in place of the text."""
        path = f"/conversations/{conversation}/messages"
        sent = {"content-type": "application/json", **({"idempotency-key": key} if key else {}), **(headers or {})}
        authorizer = {"authorizer": {"jwt": {"claims": {"sub": user}, "scopes": None}}} if user else {}
        request = {
            "version": "2.0",
            "routeKey": "POST /conversations/{conversation_id}/messages",
            "rawPath": path,
            "rawQueryString": "",
            "headers": sent,
            "requestContext": {"http": {"method": "POST", "path": path}, "stage": "$default", **authorizer},
            "body": json.dumps({"text": text}) if body is None else body,
            "isBase64Encoded": False,
            **event,
        }
        return self.invoke(request, remaining=remaining)

    def invoke(self, event: dict[str, Any], *, remaining: float = 28) -> Answered:
        result = self.app.handler(event, Context(remaining))
        return Answered(result["statusCode"], result["headers"], json.loads(result["body"]))

    def stored(self) -> list[str]:
        """The sort keys of everything that is stored."""
        return sorted(item["sk"].get("S", "") for item in self.client.scan(TableName="conversations")["Items"])
