"""A slot that is a plain Python process: for machines on which Lambda's runtime does not run."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from local.environment import of_slot
from local.json_values import Json
from local.slots import INIT_SECONDS, MAX_PAYLOAD_BYTES, InvocationError
from local.start_errors import InitError
from local.template import Function

CHUNK_BYTES = 256 * 1024


class PlainSlot:
    """Runs the function in a process of its own, with Lambda's time and size limits kept from outside."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._received = b""
        self._killing = threading.Lock()

    @property
    def ready(self) -> bool:
        """Whether the function is loaded and its process alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the process and waits until the function is loaded; see `Slot.start`."""
        self.kill()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "local.plain_main", str(theirs.fileno()), self._function.to_json()],
                cwd=self._function.code,  # as in Lambda, the function's folder is the working directory
                env=of_slot(self._function),
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

    def invoke(self, event: bytes) -> Any:
        """Returns the function's payload for an event; see `Slot.invoke`."""
        try:
            answer = self._exchange(event)
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
        """Ends the process and its group, at once."""
        with self._killing:  # the server may end its slots while an invocation finds its own gone
            if self._connection:
                self._connection.close()
                self._connection = None
            if self._process:
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
                self._process = None
            self._received = b""

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
