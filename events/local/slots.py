"""Slots: the execution environments of a function, each a process that runs one invocation at a time."""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from local.environment import of_function
from local.json_values import Json
from local.slot import describe
from local.start_errors import InitError
from local.template import ROOT, Function

INIT_SECONDS = 60.0
"""Lambda gives an init 10 s; a laptop that starts several at once may need more."""

PATIENCE_SECONDS = 5.0
"""How long a start waits for the other slots once it could begin without them."""

MAX_PAYLOAD_BYTES = 6 * 1024 * 1024  # Lambda's limit of a synchronous request, and of its response
CHUNK_BYTES = 256 * 1024


class InvocationError(Exception):
    """The function gave no payload: it raised, it crashed, or it was ended at its timeout. The message says which."""


class TooLarge(Exception):  # noqa: N818 - says what the event is
    """The event is larger than Lambda takes."""


class Slot:
    """One execution environment.

    The port between the server and whatever runs the function: `start`, `invoke`, `kill`, and whether it is `ready`.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._received = b""

    @property
    def ready(self) -> bool:
        """Whether the function is loaded and its process alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the process and waits until the function is loaded.

        Raises:
            InitError: the function cannot be loaded; the message says why.
        """
        self.kill()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "local.slot", str(theirs.fileno()), describe(self._function)],
                cwd=self._function.code,  # as in Lambda, the function's folder is the working directory
                env=self._environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=2,  # a function's prints are logs; the server's own output is for the person
                start_new_session=True,  # Ctrl-C is for the server, which ends its slots; also makes it a group to kill
            )
        self._connection = ours
        message = self._first_message()
        if "error" in message:
            self.kill()
            raise InitError(str(message["error"]))

    def invoke(self, event: Json) -> Any:
        """Returns the function's payload for an event; starts the process first if it is not ready.

        Raises:
            InvocationError: there is no payload. The process is as good as new for the next one, or will be started.
            TooLarge: the event is beyond Lambda's limit; nothing was invoked.
        """
        data = json.dumps(event, ensure_ascii=False).encode("utf-8", "surrogatepass")
        if len(data) > MAX_PAYLOAD_BYTES:
            raise TooLarge
        if not self.ready:
            self._start_again()
        try:
            answer = self._exchange(data)
        except TimeoutError:
            self.kill()
            raise InvocationError(f"Task timed out after {self._function.timeout:.2f} seconds") from None
        except OSError:
            self.kill()
            raise InvocationError("the function's process ended") from None
        if "error" in answer:
            raise InvocationError(str(answer["error"]))
        return answer["payload"]

    def kill(self) -> None:
        """Ends the process and all it started, at once."""
        if self._connection:
            self._connection.close()
            self._connection = None
        if self._process:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
        self._received = b""

    def _start_again(self) -> None:
        try:
            self.start()
        except InitError as error:
            raise InvocationError(f"init failed: {error}") from None

    def _first_message(self) -> Json:
        try:
            return self._receive(time.monotonic() + INIT_SECONDS)
        except TimeoutError:
            return {"error": f"the function was not loaded within {INIT_SECONDS:.0f} s"}
        except OSError:
            return {"error": "the function's process ended while it was loaded"}

    def _exchange(self, data: bytes) -> Json:
        deadline = time.monotonic() + self._function.timeout
        connection = self._connection
        if connection is None:
            raise ConnectionResetError
        connection.settimeout(self._function.timeout)
        connection.sendall(data + b"\n")
        return self._receive(deadline)

    def _receive(self, deadline: float) -> Json:
        """Returns the next line.

        Raises:
            TimeoutError: it is not complete by the deadline.
            ConnectionResetError: the process has closed its end.
        """
        while b"\n" not in self._received:
            left = deadline - time.monotonic()
            if left <= 0 or self._connection is None:
                raise TimeoutError
            self._connection.settimeout(left)
            chunk = self._connection.recv(CHUNK_BYTES)
            if not chunk:
                raise ConnectionResetError
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        if len(line) > MAX_PAYLOAD_BYTES:
            return {"error": f"the response is larger than {MAX_PAYLOAD_BYTES} bytes"}
        return json.loads(line)

    def _environment(self) -> dict[str, str]:
        """Returns the server's own environment, with what the template and Lambda add to it."""
        function = self._function
        path = [str(ROOT / "events"), str(ROOT / "layers" / "rondas"), os.environ.get("PYTHONPATH", "")]
        return {
            **os.environ,
            **of_function(function),
            "PYTHONPATH": os.pathsep.join(part for part in path if part),
            "PYTHONUNBUFFERED": "1",
            "AWS_LAMBDA_FUNCTION_NAME": function.name,
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory),
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        }


class Pool:
    """The slots of one function. Who finds none free waits; a slot that was killed is replaced before it is used."""

    def __init__(self, function: Function, size: int) -> None:
        self._slots = [Slot(function) for _ in range(size)]
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

    def invoke(self, event: Json) -> Any:
        """Invokes the function in a free slot; see `Slot.invoke`."""
        slot = self._free.get()
        try:
            return slot.invoke(event)
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
                slot.start()
            except InitError as error:
                outcome = error
            if self._stopped:
                slot.kill()
            self._free.put(slot)
            if outcomes:
                outcomes.put(outcome)

        threading.Thread(target=start, name="slot", daemon=True).start()
