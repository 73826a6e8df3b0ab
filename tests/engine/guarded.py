"""A process that ends with the tests, however they end."""

import socket
import subprocess
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

END_SECONDS = 60

# The shell holds one end of a pipe whose other end dies with the tests: then it ends the process.
_GUARD = """
exec 3<&0
"$@" </dev/null & process=$!
{ read -r _ <&3; kill -9 $process 2>/dev/null; } &
exec 3<&-
wait $process
"""


@contextmanager
def guarded(
    command: Sequence[str], *, folder: Path, said: IO[bytes], environment: Mapping[str, str] | None = None
) -> Generator[subprocess.Popen[bytes]]:
    """Runs a command for as long as the block lasts; gives the guard, which ends when the command does.

    Args:
        command: what to run.
        folder: where.
        said: takes both streams.
        environment: all of it; this process's own unless given.
    """
    guard = subprocess.Popen(
        ["sh", "-c", _GUARD, "sh", *command],
        cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=said, stderr=said,
    )  # fmt: skip
    try:
        yield guard
    finally:
        if guard.stdin:
            guard.stdin.close()
        guard.wait(END_SECONDS)


def free_port() -> int:
    """Returns a port of the loopback address that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
