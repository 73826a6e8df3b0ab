"""What no function can do without: boto3, pydantic and the SDKs that `SDK` names, imported, and their clients made."""

import os
from importlib import import_module
from typing import Any, cast

import boto3
import pydantic

CLIENTS = {"anthropic": "Anthropic", "openai": "OpenAI", "google.genai": "Client"}


class Ready(pydantic.BaseModel):
    """A model, for pydantic loads itself on first use."""

    clients: int


class Agent:
    """Clients that are asked nothing."""

    def __init__(self) -> None:
        self._clients: list[Any] = [cast("Any", boto3).client("dynamodb")]
        for module in filter(None, os.environ["SDK"].split()):
            self._clients.append(getattr(import_module(module), CLIENTS[module])(api_key="key"))
        self._ready = Ready(clients=len(self._clients))
