"""What is said of a message that is handed on to a worker: who it is, and nothing that is in it."""

from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict


class HandedOn(BaseModel):
    """A message on its way to the worker. What it says is in the table, where an erase finds it.

    Attributes:
        person: whose it is, the `sub` of the identity provider.
        conversation_id: where it belongs.
        message_id: its request key.
        accept_language: the language of the fixed sentences, as two letters; may be empty.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    person: str
    conversation_id: str
    message_id: str
    accept_language: str = ""


class Handover(Protocol):
    """The way to the worker."""

    def send(self, message: HandedOn, fence: int) -> None:
        """Puts a message on its way: once for each fence, however often it is sent.

        Raises:
            HandoverFailed: it is not known to have arrived.
        """
        ...


class HandoverFailed(Exception):  # noqa: N818 - a state of the world
    """The queue did not take a message. The text says what it said, in a word for the operator."""


@dataclass(frozen=True, slots=True)
class Nowhere:
    """Where there is no worker."""

    def send(self, message: HandedOn, fence: int) -> None:  # noqa: ARG002 - the port's signature
        """Refuses."""
        raise HandoverFailed("there is no queue")
