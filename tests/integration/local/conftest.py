"""A local API with a function of the tests' own behind it, in real processes."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from fakes.local_api import FUNCTION, PATIENCE, TEMPLATE, Api, MeetingPoint

from local.emulated_slot import emulator
from local.template import ROOT

type Serve = Callable[..., Api]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def meeting_point(stack: ExitStack) -> MeetingPoint:
    return MeetingPoint(stack)


@pytest.fixture
def environment(meeting_point: MeetingPoint) -> dict[str, str]:
    """The environment of a command: this process's, with the local runner on the path and no model to ask."""
    path = f"{ROOT / 'events'}{os.pathsep}{ROOT / 'layers' / 'rondas'}"
    return os.environ | {"PYTHONPATH": path, "MEETING_POINT": str(meeting_point.port), "ANTHROPIC_API_KEY": "none"}


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A template beside the code of its function."""
    code = tmp_path / "code"
    code.mkdir()
    (code / "app.py").write_text(FUNCTION, encoding="utf-8")
    path = tmp_path / "template.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


@pytest.fixture(params=[[], ["--plain"]], ids=["lambda runtime", "plain"])
def slot_options(request: pytest.FixtureRequest) -> list[str]:
    """What chooses the kind of slots; every test of the server is run with both."""
    if not request.param and emulator() is None:
        pytest.skip("Lambda's runtime emulator is there on Linux only")
    return request.param


@pytest.fixture
def launch(
    template: Path, environment: dict[str, str], stack: ExitStack, slot_options: list[str]
) -> Callable[..., subprocess.Popen[str]]:
    """Starts the server's process, without waiting for it."""

    def launch(slots: int = 1, grace: float = 3, **variables: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "local.serve", "--port", "0", "--slots", str(slots), "--grace", str(grace)]
        process = subprocess.Popen(
            [*command, *slot_options, "--template", str(template)],
            env=environment | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        stack.callback(_end, process)
        return process

    return launch


@pytest.fixture
def serve(launch: Callable[..., subprocess.Popen[str]]) -> Serve:
    """Starts the server and waits until it says that it is ready."""

    def serve(slots: int = 1, grace: float = 3, **variables: str) -> Api:
        process = launch(slots, grace, **variables)
        assert process.stdout
        line = process.stdout.readline()
        assert line.startswith("ready http://127.0.0.1:"), line
        return Api(process, int(line.rpartition(":")[2]))

    return serve


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=PATIENCE)
