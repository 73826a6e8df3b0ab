"""What `make build` makes: it fits Lambda's limits, holds wheels of the right architecture, imports and answers."""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from built import DEPLOYED, HERE, ROOT, Built, session_folder, shared_build
from fakes.server import serving
from fakes.services import SERVICES, Service

ELF_MACHINES = {"x86_64": 62, "arm64": 183}

UNZIPPED_LIMIT = 250_000_000
"""Bytes of a function and its layers together (a quota of Lambda)."""

UNZIPPED_GOAL = 100_000_000
"""What a function and its layers may come to here: the nearer the quota, the longer a cold start."""

START = """
import json, sys

*folders, argument = sys.argv[1:]
sys.path[:0] = folders
"""

PROBE = """
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


with open(argument, encoding="utf-8") as file:
    print(json.dumps(app.handler(json.load(file), Context())))
"""

ASK = """
from rondas.history import UserMessage
from rondas.providers import connect

provider = connect(argument, lambda variable: "key", prompt="Be brief.", tools=(), max_output_tokens=256)
print(json.dumps({"text": provider.turn([UserMessage("hello")], seconds=30).text}))
"""

FILES = """
files = [module.__file__ for module in list(sys.modules.values()) if getattr(module, "__file__", None)]
print(json.dumps(files))
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


def test_function_and_layers_are_far_below_the_limit(deployed: Built, say: Callable[[str], None]) -> None:
    # Given what is unzipped when the function starts
    artefacts = [
        deployed.folder / name for name in ("ChatFunction", "ConversationsFunction", "DependenciesLayer", "RondasLayer")
    ]
    # When it is measured
    sizes = {artefact.name: _size(artefact) for artefact in artefacts}
    # Then it is small
    whole = sum(sizes.values())
    say(" · ".join([f"{name}: {size / 1e6:.1f} MB" for name, size in sizes.items()] + [f"all: {whole / 1e6:.1f} MB"]))
    assert whole < UNZIPPED_GOAL < UNZIPPED_LIMIT


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def test_only_what_runs_is_shipped(deployed: Built) -> None:
    assert (deployed.opt / "python" / "rondas" / "loop.py").is_file()
    assert {item.name for item in deployed.task.iterdir()} <= {
        "app.py",
        "worker.py",
        "coach",
        "requirements.txt",
        "__pycache__",
    }


def test_bytecode_is_shipped_and_trusted(deployed: Built) -> None:
    compiled = deployed.opt / "python" / "rondas" / "__pycache__" / "loop.cpython-313.pyc"

    # flags of the header: bit 0, made for a hash of the source; bit 1, compare the hash at import (PEP 552)
    assert compiled.read_bytes()[4:8] == b"\x01\x00\x00\x00"


def test_no_package_and_no_service_is_shipped_that_nobody_calls(deployed: Built) -> None:
    # Given the packages of the layer
    layer = deployed.folder / "DependenciesLayer" / "python"
    # Then those for ways in that are not used are not there, and of AWS's services only those that are called
    assert not [name for name in ("cryptography", "cffi", "pyasn1", "requests", "pytest") if (layer / name).exists()]
    services = {item.name for item in (layer / "botocore" / "data").iterdir() if item.is_dir()}
    assert services == {"dynamodb", "secretsmanager", "sqs", "events"}


def test_no_file_has_a_time_of_its_own(deployed: Built) -> None:
    # The same files with the same times are the same archive: a build that changes nothing deploys nothing.
    times = {item.stat().st_mtime for item in deployed.folder.glob("*/**/*")}
    assert len(times) == 1


def test_the_artefact_answers_with_nothing_but_itself(runnable: Built) -> None:
    # Given an event that needs no table
    event = ROOT / "events" / "missing_claim.json"
    # When the artefact is asked, with nothing else to import from
    answer, files = run(runnable, PROBE, str(event))
    # Then it answers
    assert answer["statusCode"] == 401
    assert _content_type(answer) == "application/problem+json"
    assert json.loads(answer["body"])["code"] == "unauthorized"
    assert not [file for file in files if "site-packages" in file]


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.model)
def test_each_provider_is_asked_with_nothing_but_the_artefact(runnable: Built, service: Service) -> None:
    # Given a service as strict as the real one
    variable, path = service.base_url
    with serving(service.start()) as server:
        server.add(service.turn("Hello.", []))
        # When the artefact asks it
        answer, files = run(runnable, ASK, service.model, **{variable: server.url + path})
        # Then every module that this takes is in the layers
        server.check_used_up()
    assert answer == {"text": "Hello."}
    assert not [file for file in files if "site-packages" in file]


def run(built: Built, probe: str, argument: str, **variables: str) -> tuple[dict[str, Any], list[str]]:
    """Runs a probe in a Python that has the artefact and nothing else; returns its answer and the files imported."""
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
    done = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-B",
            "-c",
            START + probe + FILES,
            str(built.task),
            str(built.opt / "python"),
            argument,
        ],
        env=environment | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer, files = done.stdout.splitlines()[-2:]
    return json.loads(answer), json.loads(files)


def _content_type(response: dict[str, Any]) -> str:
    headers = {**response.get("headers", {}), **response.get("multiValueHeaders", {})}
    value = {name.lower(): value for name, value in headers.items()}["content-type"]
    return (value if isinstance(value, str) else value[0]).partition(";")[0]
