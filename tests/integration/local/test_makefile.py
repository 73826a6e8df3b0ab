"""What the Makefile itself does: the set-up of a fresh clone, and how it hands on what a person gives."""

import os
import subprocess
from pathlib import Path
from shutil import copy

import pytest
from fakes.local_api import PATIENCE

from local.template import ROOT
from local.token import read_claims

UV = """#!/bin/sh
echo "on standard output" "$@"
echo "on standard error" >&2
mkdir -p .venv
"""


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # A make inside a make must not take part in the outer one.
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", "-s", *arguments],
        cwd=folder,
        env=outside,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone, with a uv that does nothing."""
    for name in ("Makefile", "pyproject.toml", "uv.lock", ".python-version"):
        copy(ROOT / name, tmp_path)
    uv = tmp_path / "uv"
    uv.write_text(UV, encoding="utf-8")
    uv.chmod(0o755)
    return tmp_path


def test_the_first_set_up_says_what_it_does_on_standard_error_alone(clone: Path) -> None:
    # when
    first = make(clone, "setup", "UV=./uv")
    # then
    assert (first.returncode, first.stdout) == (0, "")
    assert first.stderr.splitlines()[0] == "Setting up .venv (once; about 600 MB)…"
    assert "sync --frozen --quiet" in first.stderr  # this is no terminal
    # and when
    (clone / ".venv" / ".ready").unlink()
    again = make(clone, "setup", "UV=./uv")
    # then
    assert "Setting up" not in again.stderr


@pytest.mark.parametrize("person", ["ana", 'a b"c', "it's; exit 3", "`id`"])
def test_a_token_is_for_whom_it_was_asked_for(person: str) -> None:
    made = make(ROOT, "token", f"SUB={person}")
    assert made.returncode == 0, made.stderr
    assert read_claims(made.stdout)["sub"] == person


def test_an_event_file_may_have_any_name() -> None:
    ran = make(ROOT, "run", 'EVENT=no "such" file')
    assert 'cannot read the event file no "such" file' in ran.stderr


@pytest.mark.parametrize(("target", "says_so"), [("build", True), ("deploy", False)])
def test_after_a_build_the_next_step_is_named(target: str, says_so: bool) -> None:
    planned = make(ROOT, "--dry-run", target).stdout
    assert ("echo 'next: make deploy'" in planned) is says_so
