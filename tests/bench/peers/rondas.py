"""Rondas as it is deployed: API Gateway's event for `POST /conversations/{id}/messages` into the function's handler."""

import json
from typing import Any
from uuid import uuid4

import app  # the chat function
from bench.peers.lambda_event import Context, event
from bench.peers.rondas_store import seed


class Agent:
    """The function."""

    seed = staticmethod(seed)

    def turn(self, conversation: str, text: str, key: str = "") -> str:
        """Answers a message; the same key is the same message."""
        asked = event(
            "POST",
            "/conversations/{conversation_id}/messages",
            conversation,
            headers={"idempotency-key": key or str(uuid4())},
            body=json.dumps({"text": text}),
        )
        response: dict[str, Any] = app.handler(asked, Context())  # pyright: ignore[reportArgumentType] - all it asks for
        body = json.loads(response["body"])
        if response["statusCode"] != 200:
            raise RuntimeError(f"{response['statusCode']} {body['code']}")
        return body["reply"]
