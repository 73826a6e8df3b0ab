"""What `make build` makes, made once however many test files and processes want it."""

import fcntl
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree

import pytest

ROOT = Path(__file__).resolve().parents[1]

DEPLOYED = "arm64"
HERE = {"x86_64": "x86_64", "AMD64": "x86_64", "aarch64": "arm64"}.get(platform.machine(), "arm64")


@dataclass(frozen=True)
class Built:
    """A build, laid out as Lambda does it: the function in `task`, its layers merged in `opt`."""

    folder: Path
    task: Path
    opt: Path


def shared_build(session_folder: Path, architecture: str) -> Built:
    """Returns the build of an architecture; the first one to ask makes it, the others wait.

    Args:
        session_folder: the same one in all processes of the session.
        architecture: of the processor, in Lambda's words.
    """
    folder = session_folder / f"build-{architecture}"
    folder.mkdir(exist_ok=True)
    done = folder / "done"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make_build(folder, architecture)
            for layer in sorted((folder / ".aws-sam" / "build").glob("*Layer")):
                copytree(layer, folder / "opt", copy_function=_link, dirs_exist_ok=True)
            done.touch()
    made = folder / ".aws-sam" / "build"
    return Built(made, made / "ChatFunction", folder / "opt")


def session_folder(factory: pytest.TempPathFactory) -> Path:
    """Returns a folder that all processes of the session share."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def make_build(folder: Path, architecture: str) -> str:
    """Runs `make build` into a folder; returns what it said."""
    # A make inside a make must not take part in the outer one.
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    (ROOT / ".uv").mkdir(exist_ok=True)
    with (ROOT / ".uv" / "build.lock").open("w") as lock:  # two builds at once would both make what they need
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            ["make", ".uv/build/.ready"], cwd=ROOT, env=outside, capture_output=True, timeout=900, check=True
        )
    # A cache would be a third copy of thousands of files, for nobody.
    command = ["make", "build", f"BUILD_IN={folder}", f"ARCHITECTURE={architecture}", "BUILD_OPTIONS=--no-cached"]
    done = subprocess.run(command, cwd=ROOT, env=outside, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _link(source: str, target: str) -> None:
    Path(target).unlink(missing_ok=True)  # of two layers with the same file, the later one counts
    os.link(source, target)
