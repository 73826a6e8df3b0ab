"""Slots: the execution environments of a function, each a process that runs one invocation at a time."""

import json
import os
import queue
import threading
import time
from collections.abc import Callable
from typing import Any, Protocol

from local.json_values import Json
from local.start_errors import InitError
from local.template import Function

INIT_SECONDS = 60.0
"""Lambda gives an init 10 s; a laptop that starts several at once may need more."""

PATIENCE_SECONDS = 5.0
"""How long a start waits for the other slots once it could begin without them."""

# More starts at once than processors only wait for each other, and what waits too long is taken for dead.
_starting = threading.BoundedSemaphore(os.cpu_count() or 2)

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024
"""Lambda's limit of a synchronous request, and of its response."""


class InvocationError(Exception):
    """The function gave no payload: it raised, it crashed, or it was ended at its timeout. The message says which."""


class TooLarge(Exception):  # noqa: N818 - says what the event is
    """The event is larger than Lambda takes."""


class Slot(Protocol):
    """One execution environment, whatever runs the function in it."""

    @property
    def ready(self) -> bool:
        """Whether the function is loaded and its process alive."""
        ...

    def start(self) -> None:
        """Starts the process and waits until the function is loaded.

        Raises:
            InitError: the function cannot be loaded; the message says why.
        """
        ...

    def invoke(self, event: bytes) -> Any:
        """Returns the function's payload for an event, given as JSON.

        Raises:
            InvocationError: there is no payload. Where its process is of no more use, the slot is not ready.
        """
        ...

    def kill(self) -> None:
        """Ends the process and its group, at once."""
        ...


class Pool:
    """The slots of one function. Who finds none free waits; a slot that was killed is replaced before it is used.

    Args:
        function: what runs in them.
        size: how many there are.
        slot: makes one.
    """

    def __init__(self, function: Function, size: int, slot: Callable[[Function], Slot]) -> None:
        self._slots = [slot(function) for _ in range(size)]
        self._free: queue.SimpleQueue[Slot] = queue.SimpleQueue()
        self._stopped = False

    def start(self) -> None:
        """Starts all slots and waits for them; once one is ready, a while longer for the others.

        A server that is ready with all its slots answers the first requests as it answers the later ones.

        Raises:
            InitError: the function cannot be loaded.
        """
        outcomes: queue.SimpleQueue[InitError | None] = queue.SimpleQueue()
        for slot in self._slots:
            self._prepare(slot, outcomes)
        deadline = None
        for _ in self._slots:
            try:
                outcome = outcomes.get(timeout=deadline and max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return
            if outcome:
                raise outcome
            deadline = deadline or time.monotonic() + PATIENCE_SECONDS

    def start_later(self) -> None:
        """Starts each slot when it is first needed."""
        for slot in self._slots:
            self._free.put(slot)

    def invoke(self, event: Json) -> Any:
        """Invokes the function in a free slot and returns its payload.

        Raises:
            InvocationError: there is none; the message says why.
            TooLarge: the event is beyond Lambda's limit; nothing was invoked.
        """
        data = json.dumps(event, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if len(data) > MAX_PAYLOAD_BYTES:
            raise TooLarge
        slot = self._free.get()
        try:
            if not slot.ready:
                _start(slot)
            return slot.invoke(data)
        except InitError as error:
            raise InvocationError(f"init failed: {error}") from None
        finally:
            if slot.ready:
                self._free.put(slot)
            else:
                self._prepare(slot)

    def stop(self) -> None:
        """Ends all slots at once, invocations included."""
        self._stopped = True
        for slot in self._slots:
            slot.kill()

    def _prepare(self, slot: Slot, outcomes: "queue.SimpleQueue[InitError | None] | None" = None) -> None:
        """Starts a slot in the background; one that cannot be started tries again when it is used."""
        if self._stopped:
            return

        def start() -> None:
            outcome = None
            try:
                _start(slot)
            except InitError as error:
                outcome = error
            if self._stopped:
                slot.kill()
            self._free.put(slot)
            if outcomes:
                outcomes.put(outcome)

        threading.Thread(target=start, name="slot", daemon=True).start()


def _start(slot: Slot) -> None:
    """Starts a slot; a machine that has no more processes, files or ports to give is a reason like any other."""
    try:
        with _starting:
            slot.start()
    except OSError as error:
        slot.kill()
        raise InitError(f"no process can be started: {error.strerror or error}") from None
