"""What bounds an attempt to ask a model beside its alarm."""

import os
import subprocess
import sys

import pytest

SCRIPT = "import os, rondas.providers.attempt; print(os.environ['RES_OPTIONS'])"


@pytest.mark.parametrize(("given", "then"), [({}, "timeout:1 attempts:2"), ({"RES_OPTIONS": "timeout:3"}, "timeout:3")])
def test_b2_the_c_library_looks_for_a_host_for_two_seconds_unless_told_otherwise(
    given: dict[str, str], then: str
) -> None:
    # Given an environment; when a process is about to ask a model, then its C library knows: no alarm breaks into it
    environment = given | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == then
