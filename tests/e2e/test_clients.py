"""The running local API in the hands of its clients: one that was generated, the page's document, a crowd."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import UUID

import pytest
from conformity import document

from local.template import ROOT
from local.token import bearer

IN_SECONDS = 120
PEOPLE = 50
TRIES = 5  # an app sends the same again where the table was too slow, as the local one may be on a busy machine
UV = shutil.which("uv") or str(ROOT / ".uv" / "bin" / "uv")  # as the Makefile finds it


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The local API with the demo model."""
    path = os.pathsep.join(str(ROOT / folder) for folder in ("events", "layers/rondas", "functions/chat"))
    without_keys = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_BASE_URL"))}
    with subprocess.Popen(
        [sys.executable, "-m", "local.serve", "--port", "0", "--slots", "4"],
        env=without_keys | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        ready = next(line for line in server.stdout if line.startswith("ready "))
        yield ready.removeprefix("ready ").strip()
        server.send_signal(signal.SIGTERM)
        server.wait(IN_SECONDS)


def test_a_generated_client_compiles_and_talks_to_the_local_api(address: str, tmp_path: Path) -> None:
    # Given a client that a public generator makes from the document, in an environment of its own
    tool = [UV, "run", "--quiet", "--isolated", "--frozen", "--no-default-groups", "--only-group", "api"]
    generate = ["openapi-python-client", "generate", "--path", "functions/openapi.json", "--meta", "none"]
    client = tmp_path / "generated"
    made = _run([*tool, *generate, "--output-path", str(client), "--fail-on-warning"])
    assert made.returncode == 0, made.stdout + made.stderr
    # When it is compiled, and an app goes with it through every route and some refusals
    compiled = _run([sys.executable, "-m", "compileall", "-q", str(client)])
    assert compiled.returncode == 0, compiled.stdout
    walk = [*tool, "python", str(Path(__file__).with_name("client_walk.py")), address, bearer("demo")]
    walked = _run(walk, PYTHONPATH=str(tmp_path))
    # Then it understands every answer
    assert walked.stdout == "done\n", walked.stderr


def test_the_page_of_the_local_api_shows_the_checked_in_document(address: str) -> None:
    with urlopen(f"{address}/docs?format=json") as answer:
        assert json.load(answer) == document() | {"servers": [{"url": "/"}]}
    with urlopen(f"{address}/docs") as answer:
        assert b"SwaggerUIBundle(" in answer.read()


def test_fifty_people_at_once_each_get_their_own_answer(address: str) -> None:
    def talk(number: int) -> tuple[str, list[str]]:
        person = bearer(f"person-{number}")

        def ask(path: str, body: bytes | None = None) -> Any:
            headers = {"authorization": f"Bearer {person}", "idempotency-key": str(UUID(int=number))}
            request = Request(f"{address}/conversations{path}", body, headers)
            for _ in range(TRIES):
                try:
                    with urlopen(request, timeout=IN_SECONDS) as answer:
                        return json.load(answer)
                except HTTPError as error:
                    error.close()
            raise AssertionError(f"{path} has no answer")

        reply = ask("/mine/messages", json.dumps({"text": f"What are my goals? I am number {number}."}).encode())
        history = ask("/mine/messages")["messages"]
        assert [each["id"] for each in ask("")["conversations"]] == ["mine"]
        return reply["status"], [item["text"] for item in history if item["role"] == "user"]

    # Given fifty people; when they write at once, under the same id, and read and list what they have
    with ThreadPoolExecutor(PEOPLE) as people:
        answers = list(people.map(talk, range(PEOPLE)))
    # Then each is answered and sees their own words alone
    assert answers == [("answered", [f"What are my goals? I am number {number}."]) for number in range(PEOPLE)]


def _run(command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | more, capture_output=True, text=True, timeout=IN_SECONDS, check=False
    )
