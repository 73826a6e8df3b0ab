"""The port through which the loop speaks to a model, whoever makes it."""

from collections.abc import Sequence
from typing import Protocol

from rondas.history import Entry, Turn


class Model(Protocol):
    """A model with its system prompt and tools already told to it."""

    def reply(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Asks for the next turn.

        Args:
            history: the conversation so far, no round open; ends with a person's message or a round.
            seconds: the time this call has, retries and their waits included.
            closing: an instruction for this one call, at system level. With it the model may call no tool, though
                they stay declared (rule L4).

        Raises:
            OutOfTime: no turn came in time.
            ModelUnavailable: nobody can give the turn: down, overloaded, out of quota, or refusing the request.
        """
        ...


class ModelUnavailable(Exception):  # noqa: N818 - a state of the world, not a mistake of the caller
    """No model can answer now. The text is the last cause, for the operator's log, never for the person."""
