"""A slot that is Lambda's own Python runtime behind AWS's runtime interface emulator, which SAM's CLI brings along.

As in the cloud, the process is killed at the function's timeout without notice, whatever a handler raises leaves it
alive, and a response that is too large is refused.
"""

import http.client
import json
import math
import os
import platform
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from local.environment import of_slot
from local.json_values import object_in
from local.lifeline import Lifeline
from local.slots import INIT_SECONDS, InvocationError
from local.start_errors import InitError
from local.template import Function

FUNCTION = "RONDAS_LOCAL_FUNCTION"
LIFELINE = "RONDAS_LOCAL_LIFELINE"
"""The variables that tell the function's process what to load, and where its lifeline is."""

WARM_UP = {"local": "warm-up"}
"""An event that asks whether the function is loaded; before the first event the emulator starts nothing."""

LOADING, READY = "loading", "ready"
"""The answers to it."""

WARM_UP_SECONDS = 0.5
"""How long the answer may wait for the function: shorter than any timeout."""

INVOCATIONS = "/2015-03-31/functions/function/invocations"
BACKSTOP_SECONDS = 5.0
"""Beyond the function's timeout, which the emulator keeps: after that it is itself taken for dead."""

PORTS = (10_000, 32_000)
START_SECONDS = 10.0
START_ATTEMPTS = 3  # another program may take a free port before the emulator does
POLL_SECONDS = 0.01
GUARD = 'exec 3<&0; "$@" </dev/null & child=$!; { read -r _ <&3; kill -KILL $child; } & wait $child'
"""The shell command that runs the emulator, and ends it when the other end of the pipe that it reads from is gone."""

LONGEST_LINE = 64 * 1024

PLATFORM_LINE = re.compile(
    rb"(START|END|REPORT) RequestId: |\[ERROR\] InitError: |\[WARNING\]\t\S+\t\tLAMBDA_WARNING: Unhandled exception\."
)
"""What the platform logs around each invocation. An error of the init is told in a better place."""


def emulator() -> Path | None:
    """Returns AWS's emulator for this machine; None where there is none, as on anything but Linux."""
    machine = {"x86_64": "x86_64", "aarch64": "arm64"}.get(platform.machine())
    spec = find_spec("samcli") if sys.platform == "linux" and machine and find_spec("awslambdaric") else None
    if spec is None or spec.origin is None:
        return None
    found = Path(spec.origin).parent / "local" / "rapid" / f"aws-lambda-rie-{machine}"
    return found if found.exists() else None


class EmulatedSlot:
    """Runs the function in Lambda's runtime. Needs `emulator()`."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._emulator = str(emulator())
        self._process: subprocess.Popen[bytes] | None = None
        self._lifeline: Lifeline | None = None
        self._port = 0
        self._killing = threading.Lock()

    @property
    def ready(self) -> bool:
        """Whether the function is loaded and its process alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Starts the emulator and has it load the function; see `Slot.start`."""
        self.kill()
        try:
            self._start_emulator()
            self._load()
        except InvocationError as error:
            self.kill()
            raise InitError(str(error).removeprefix("InitError: ")) from None

    def invoke(self, event: bytes) -> Any:
        """Returns the function's payload for an event; see `Slot.invoke`."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, self._function.timeout + BACKSTOP_SECONDS)
        try:
            connection.request("POST", INVOCATIONS, event)
            response = connection.getresponse()
            return _payload(response.status, response.read())
        except _ProcessEndedError:
            self.kill()
            raise
        except (OSError, http.client.HTTPException) as error:
            self.kill()
            raise InvocationError(f"Lambda's runtime emulator does not answer: {type(error).__name__}") from None
        finally:
            connection.close()

    def kill(self) -> None:
        """Ends the emulator and the function's process, at once."""
        with self._killing:  # the server may end its slots while an invocation finds its own gone
            if self._lifeline:  # first: a runtime whose emulator is gone would complain
                self._lifeline.cut()
                self._lifeline = None
            if self._process:
                with suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()
                assert self._process.stdin
                self._process.stdin.close()
                self._process = None

    def _start_emulator(self) -> None:
        for _ in range(START_ATTEMPTS):
            self._lifeline = Lifeline()
            self._port, runtime_api = _free_port(), _free_port()
            self._process = subprocess.Popen(
                [
                    *("sh", "-c", GUARD, "guard"),
                    self._emulator,
                    *("--runtime-interface-emulator-address", f"127.0.0.1:{self._port}"),
                    *("--runtime-api-address", f"127.0.0.1:{runtime_api}"),
                    *(sys.executable, "-m", "awslambdaric", "local.emulated_main.handler"),
                ],
                cwd=self._function.code,  # as in Lambda, the function's folder is the working directory
                env=self._environment(self._lifeline.port),
                stdin=subprocess.PIPE,  # ours as long as we live
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # the emulator's own log; the function's is on standard output
                start_new_session=True,  # Ctrl-C is for the server, which ends its slots
            )
            assert self._process.stdout
            threading.Thread(target=_forward, args=(self._process.stdout,), name="log", daemon=True).start()
            if self._accepts():
                return
            self.kill()
        raise InvocationError("Lambda's runtime emulator does not start")

    def _load(self) -> None:
        deadline = time.monotonic() + INIT_SECONDS
        while self.invoke(json.dumps(WARM_UP).encode()) != READY:
            if time.monotonic() > deadline:
                raise InvocationError(f"the function was not loaded within {INIT_SECONDS:.0f} s")

    def _accepts(self) -> bool:
        """Waits until the emulator takes connections; returns whether it does."""
        deadline = time.monotonic() + START_SECONDS
        while self.ready and time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self._port), START_SECONDS):
                return True
            time.sleep(POLL_SECONDS)
        return False

    def _environment(self, lifeline: int) -> dict[str, str]:
        return of_slot(self._function) | {
            FUNCTION: self._function.to_json(),
            LIFELINE: str(lifeline),
            "AWS_LAMBDA_FUNCTION_TIMEOUT": str(math.ceil(self._function.timeout)),
        }


class _ProcessEndedError(InvocationError):
    """The function's process is gone with the invocation."""


def _payload(status: int, body: bytes) -> Any:
    """Returns what the function gave; the emulator answers 200 also when it gave nothing.

    Raises:
        InvocationError: it gave nothing.
    """
    try:
        answer: Any = json.loads(body)
    except ValueError:  # "Task timed out after 28.00 seconds", or nothing at all
        raise _ProcessEndedError(body.decode("utf-8", "replace").strip() or "the function's process ended") from None
    known = object_in(answer)
    if "errorType" in known and "statusCode" not in known:
        message = f"{known['errorType']}: {known.get('errorMessage', '')}"
        raise InvocationError(message) if status == http.client.OK else _ProcessEndedError(message)
    return answer


def _forward(output: IO[bytes]) -> None:
    """Hands on what the function prints and logs, without the platform's own lines."""
    with output:
        for line in iter(lambda: output.readline(LONGEST_LINE), b""):
            if line.strip() and not PLATFORM_LINE.match(line):
                sys.stderr.buffer.write(line)
                sys.stderr.buffer.flush()


def _free_port() -> int:
    """Returns a port that is free, below those that the system gives to clients, who would take it meanwhile."""
    while True:
        port = random.randrange(*PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
