"""The process of a peer, in the hands of the bench."""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import IO, Any

SAID_BYTES = 2_000

type Json = dict[str, Any]
type Core = Callable[[], AbstractContextManager[None]]


class PeerError(Exception):
    """A peer did not do what it was asked; the text names it."""


@dataclass(frozen=True)
class Done:
    """What came of a command.

    Attributes:
        answer: what the adapter returned.
        error: what it raised, if it did.
        wall_ms: how long it took.
        cpu_ms: how much of the processor it took, all threads of the process together.
    """

    wall_ms: float
    cpu_ms: float
    answer: Any = None
    error: str = ""


class Worker:
    """The process of a peer, ready to be asked.

    Attributes:
        name: of the peer.
        pid: of the process.
        start: what it took until then: `ready_ms`, `ready_cpu_ms` and `rss_mb`.
    """

    def __init__(self, name: str, process: "subprocess.Popen[str]", start: Json, errors: IO[bytes]) -> None:
        self.name = name
        self.pid = process.pid
        self.start = start
        self._process = process
        self._errors = errors

    def ask(self, do: str, **arguments: Any) -> Done | None:
        """Has the adapter do something; None when its process has died of it."""
        self.begin(do, **arguments)
        return self.end()

    def begin(self, do: str, **arguments: Any) -> None:
        """Has the adapter begin with something."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self._process.stdin.flush()

    def end(self) -> Done | None:
        """Waits for what was begun."""
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            return None
        return Done(**json.loads(line))

    def turn(self, conversation: str, text: str) -> Done:
        """Sends a message that must be answered.

        Raises:
            PeerError: it was not.
        """
        return self.must("turn", conversation=conversation, text=text)

    def must(self, do: str, **arguments: Any) -> Done:
        """Has the adapter do something that must succeed.

        Raises:
            PeerError: it did not.
        """
        done = self.ask(do, **arguments)
        if done is None or done.error:
            raise PeerError(f"{self.name}: {done.error if done else 'died'}\n{_end_of(self._errors)}".strip())
        return done


@contextmanager
def running(name: str, command: Sequence[str], environment: Mapping[str, str], core: Core) -> Generator[Worker]:
    """Starts the process of a peer, for as long as the block lasts; without input it ends.

    Args:
        name: of the peer.
        command: what to run.
        environment: all of it.
        core: what binds it to a processor.

    Raises:
        PeerError: it does not start.
    """
    with tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        with core():
            process = subprocess.Popen(
                command, env=environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        with process:
            assert process.stdout
            ready = process.stdout.readline()
            milliseconds = 1000 * (time.perf_counter() - started)
            if ready != "ready\n":
                process.wait()
                raise PeerError(f"{name} does not start: {_end_of(errors)}")
            yield Worker(name, process, {"ready_ms": milliseconds, **json.loads(process.stdout.readline())}, errors)


def _end_of(errors: IO[bytes]) -> str:
    errors.seek(max(0, errors.seek(0, os.SEEK_END) - SAID_BYTES))
    return errors.read().decode(errors="replace")
