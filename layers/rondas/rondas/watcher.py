"""The port for whoever looks on while a message is answered: telemetry in the cloud, a terminal on a laptop."""

from typing import Literal, Protocol

from rondas.history import Answer, ToolCall, ToolResult, Turn
from rondas.store.claim import Message

type Mishap = Literal["retry", "failover", "repair", "takeover"]
"""What went wrong and was made good: the model was asked again, another one was asked, a stored history was mended, a
run that had died was taken over."""


class Watcher(Protocol):
    """Is told what happens while it happens. Changes nothing and must not raise."""

    def on_message(self, message: Message) -> None:
        """A message has come in."""
        ...

    def on_turn(self, turn: Turn | None, seconds: float) -> None:
        """The model has given a turn, or none, in so many seconds."""
        ...

    def on_result(self, call: ToolCall, result: ToolResult, seconds: float) -> None:
        """A call of the turn has its result."""
        ...

    def on_store(self, seconds: float) -> None:
        """The table has answered a request, or not answered it."""
        ...

    def on_mishap(self, mishap: Mishap) -> None:
        """Something went wrong and was made good."""
        ...

    def on_handed_on(self, seconds: float) -> None:
        """The message was handed on to the worker, after so many seconds."""
        ...

    def on_answer(self, answer: Answer, seconds: float) -> None:
        """The message is answered; `seconds` is the whole run."""
        ...


class Watchers:
    """Several watchers as one; without any, nobody looks on."""

    def __init__(self, *watchers: Watcher) -> None:
        self._watchers = list(watchers)

    def add(self, watcher: Watcher) -> None:
        """Lets one more look on."""
        self._watchers.append(watcher)

    def on_message(self, message: Message) -> None:
        """Tells all."""
        for watcher in self._watchers:
            watcher.on_message(message)

    def on_turn(self, turn: Turn | None, seconds: float) -> None:
        """Tells all."""
        for watcher in self._watchers:
            watcher.on_turn(turn, seconds)

    def on_result(self, call: ToolCall, result: ToolResult, seconds: float) -> None:
        """Tells all."""
        for watcher in self._watchers:
            watcher.on_result(call, result, seconds)

    def on_store(self, seconds: float) -> None:
        """Tells all."""
        for watcher in self._watchers:
            watcher.on_store(seconds)

    def on_mishap(self, mishap: Mishap) -> None:
        """Tells all."""
        for watcher in self._watchers:
            watcher.on_mishap(mishap)

    def on_handed_on(self, seconds: float) -> None:
        """Tells all."""
        for watcher in self._watchers:
            watcher.on_handed_on(seconds)

    def on_answer(self, answer: Answer, seconds: float) -> None:
        """Tells all."""
        for watcher in self._watchers:
            watcher.on_answer(answer, seconds)
