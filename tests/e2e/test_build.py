"""What `make build` makes: it fits Lambda's limits, holds wheels of the right architecture, imports and answers."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from built import DEPLOYED, HERE, ROOT, Built, session_folder, shared_build

ELF_MACHINES = {"x86_64": 62, "arm64": 183}

UNZIPPED_LIMIT = 250_000_000
"""Bytes of a function and its layers together (a quota of Lambda)."""

PROBE = """
import json, sys

*folders, event = sys.argv[1:]
sys.path[:0] = folders
import anthropic, boto3, google.genai, openai, pydantic  # what a chosen provider would import
import app


class Context:
    function_name = "chat"
    function_version = "$LATEST"
    invoked_function_arn = "arn:aws:lambda:eu-west-1:123456789012:function:chat"
    memory_limit_in_mb = 1769
    aws_request_id = "0a0a0a0a-0000-4000-8000-000000000000"
    log_group_name = "chat"
    log_stream_name = "chat"

    def get_remaining_time_in_millis(self):
        return 28_000


with open(event, encoding="utf-8") as file:
    response = app.handler(json.load(file), Context())
files = [module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
print(json.dumps({"response": response, "files": files}))
"""


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    architectures = {DEPLOYED, HERE}
    build = partial(shared_build, session_folder(tmp_path_factory))
    with ThreadPoolExecutor() as pool:
        return dict(zip(architectures, pool.map(build, architectures), strict=True))


@pytest.fixture(scope="module")
def deployed(builds: dict[str, Built]) -> Built:
    return builds[DEPLOYED]


@pytest.fixture(scope="module")
def runnable(builds: dict[str, Built]) -> Built:
    if sys.platform != "linux":
        pytest.skip("the artefact holds Linux wheels")
    return builds[HERE]


def test_compiled_wheels_are_of_the_functions_architecture(builds: dict[str, Built]) -> None:
    for architecture, built in builds.items():
        # given
        libraries = list(built.opt.rglob("*.so"))

        # then
        assert any("pydantic_core" in library.name for library in libraries)
        for library in libraries:
            machine = int.from_bytes(library.read_bytes()[18:20], "little")  # e_machine of the ELF header
            assert machine == ELF_MACHINES[architecture], library


def test_function_and_layers_fit_the_limit(deployed: Built) -> None:
    # given
    artefacts = [deployed.folder / name for name in ("ChatFunction", "DependenciesLayer", "RondasLayer")]

    # when
    sizes = {artefact.name: _size(artefact) for artefact in artefacts}

    # then
    print(*(f"{name}: {size / 1e6:.1f} MB" for name, size in sizes.items()))  # noqa: T201 - shown with pytest -s
    assert sum(sizes.values()) < UNZIPPED_LIMIT


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_only_what_runs_is_shipped(deployed: Built) -> None:
    assert (deployed.opt / "python" / "rondas" / "loop.py").is_file()
    assert {item.name for item in deployed.task.iterdir()} <= {"app.py", "coach", "requirements.txt", "__pycache__"}


def test_bytecode_is_shipped_and_trusted(deployed: Built) -> None:
    compiled = deployed.opt / "python" / "rondas" / "__pycache__" / "loop.cpython-313.pyc"

    # flags of the header: bit 0, made for a hash of the source; bit 1, compare the hash at import (PEP 552)
    assert compiled.read_bytes()[4:8] == b"\x01\x00\x00\x00"


def test_the_artefact_answers_with_nothing_but_itself(runnable: Built) -> None:
    # given
    event = ROOT / "events" / "missing_claim.json"
    environment = {
        "AWS_REGION": "eu-west-1",
        "AWS_DEFAULT_REGION": "eu-west-1",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_LAMBDA_FUNCTION_NAME": "chat",
        "TABLE_NAME": "conversations",
        "COACH_TABLE_NAME": "coach",
        "MODELS": "anthropic:claude-sonnet-5-5",
        "API_KEYS_SECRET_ARN": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:keys-AbCdEf",
    }
    folders = [runnable.task, runnable.opt / "python"]

    # when
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", PROBE, *map(str, folders), str(event)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    # then
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert answer["response"]["statusCode"] == 401
    assert _content_type(answer["response"]) == "application/problem+json"
    assert json.loads(answer["response"]["body"])["code"] == "unauthorized"
    assert not [file for file in answer["files"] if "site-packages" in file]


def _content_type(response: dict[str, Any]) -> str:
    headers = {**response.get("headers", {}), **response.get("multiValueHeaders", {})}
    value = {name.lower(): value for name, value in headers.items()}["content-type"]
    return (value if isinstance(value, str) else value[0]).partition(";")[0]
