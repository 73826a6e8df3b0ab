"""AWS's own engine for the tests that need real processes, and the programs that those processes come from."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from engine.dynamodb_local import CREDENTIALS

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
PROGRAMS = ("sweep", "hand_over", "overtake", "race")
IN_SECONDS = 300
"""Many times what it takes: a program that hangs must not hold the tests."""

type Result = Callable[[str], str]


@pytest.fixture(scope="session")
def result(dynamodb_local: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Result]:
    """Starts all programs, each of which mostly waits; `result(name)` waits for one and gives what it says.

    They are programs and not functions because they fork, which is safe only where no other thread runs.
    """
    programs = {name: _start(name, dynamodb_local, tmp_path_factory.mktemp(name)) for name in PROGRAMS}

    def result(name: str) -> str:
        output, _ = programs[name].communicate(timeout=IN_SECONDS)
        assert programs[name].returncode == 0, output
        return output.strip()

    yield result
    for program in programs.values():
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)  # with all its children, the sleeping ones too
        program.communicate()


def _start(name: str, url: str, folder: Path) -> "subprocess.Popen[str]":
    path = os.pathsep.join(map(str, (ROOT / "layers" / "rondas", ROOT / "events", ROOT / "tests")))
    return subprocess.Popen(
        [sys.executable, "-W", "error", str(HERE / f"{name}.py"), url, str(folder)],
        env=os.environ | CREDENTIALS | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
