"""`make fuzz`: schemathesis against the running local API: no 5xx, and every answer as the document says."""

import os
import subprocess
import sys
from collections.abc import Sequence

from local.openapi import DOCUMENT
from local.template import ROOT
from local.token import bearer

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)
PERSON = "fuzz"
LOG = ROOT / ".rondas" / "fuzz.log"
"""What the server says meanwhile: the cause of a 500 stands there."""

TOOL = ("run", "--quiet", "--isolated", "--frozen", "--no-default-groups", "--only-group", "api", "schemathesis")


def main(arguments: Sequence[str]) -> int:
    """Starts the local API, sends it so many requests of each kind, and returns schemathesis's exit code."""
    (examples,) = arguments
    serve = [sys.executable, "-m", "local.serve", "--port", "0"]
    LOG.parent.mkdir(exist_ok=True)
    with (
        LOG.open("w", encoding="utf-8") as log,
        subprocess.Popen(serve, cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True) as server,
    ):
        try:
            ready = next((line for line in server.stdout or () if line.startswith("ready ")), "")
            return _fuzz(ready.removeprefix("ready ").strip(), examples) if ready else 1
        finally:
            server.terminate()
            _tell_causes()


def _tell_causes() -> None:
    """Prints what the functions say of each 500. `StoreUnavailable`: the engine here was too slow, not the function."""
    for line in LOG.read_text(encoding="utf-8", errors="replace").splitlines():
        if "unexpected" in line:
            print(line, flush=True)
    print(f"the server's own log: {LOG.relative_to(ROOT)}", flush=True)


def _fuzz(address: str, examples: str) -> int:
    command = [os.environ.get("UV", "uv"), *TOOL, "run", str(DOCUMENT), "--url", address, "--max-examples", examples]
    command += ["--header", f"Authorization: Bearer {bearer(PERSON)}"]
    command += ["--phases", "examples,coverage,fuzzing", "--checks", ",".join(CHECKS)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
