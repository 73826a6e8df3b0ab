"""An emulator of AWS on loopback, for what no single engine shows: the stack as `sam deploy` makes it.

ministack runs the functions in its own Python with the layers on the path. Its environment is apart from the tests'
(`make emulator`), so that no package of theirs stands in for one that a layer forgot.
"""

import os
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError

from engine.dynamodb_local import REGION
from engine.guarded import free_port, guarded

ROOT = Path(__file__).parents[2]
READY_SECONDS = 90

_FOREIGN = ("AWS_", "MAKE", "MFLAGS", "PYTHON", "VIRTUAL_ENV")
"""What a process of the emulator must not inherit: an account of somebody's, an outer make, the tests' packages."""


def environment_of_a_stranger(**more: str) -> dict[str, str]:
    """Returns this process's environment without any account, and with more."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)} | more


@contextmanager
def running(folder: Path, variables: Mapping[str, str]) -> Generator[dict[str, str]]:
    """Runs the emulator for as long as the block lasts; gives the variables with which any AWS tool finds it.

    Args:
        folder: for all it writes.
        variables: for the emulator and for every function it runs.

    Raises:
        RuntimeError: it does not start; the text holds what it said.
    """
    subprocess.run(
        ["make", "emulator"], cwd=ROOT, env=environment_of_a_stranger(), check=True, capture_output=True, timeout=600
    )
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    account = {
        "AWS_ENDPOINT_URL": url, "AWS_DEFAULT_REGION": REGION, "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip
    environment = environment_of_a_stranger(
        BIND_HOST="127.0.0.1",  # its own choice would be every address
        GATEWAY_PORT=str(port),
        IOT_MTLS_ENABLED="0",  # or it listens at one more port, on every address
        MINISTACK_REGION=REGION,
        S3_DATA_DIR=str(folder / "s3"),
        HOME=str(folder),
        TMPDIR=str(folder),
        **account,
        **variables,
    )
    command = [str(ROOT / ".uv" / "emulator" / "bin" / "ministack")]
    with (
        tempfile.TemporaryFile() as said,
        guarded(command, folder=folder, said=said, environment=environment) as guard,
    ):
        if not _answers(url, guard):
            said.seek(0)
            raise RuntimeError(f"the emulator did not start: {said.read().decode(errors='replace')[-2000:]}")
        yield account


def _answers(url: str, guard: "subprocess.Popen[bytes]") -> bool:
    """Waits until it answers; False when it has ended, or takes longer than anybody waits."""
    deadline = time.monotonic() + READY_SECONDS
    while guard.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/_ministack/health", timeout=5):
                return True
        except (URLError, OSError):
            time.sleep(0.1)
    return False
