"""Every command of the README does what it says there."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from fakes.server import serving
from fakes.services import ANTHROPIC, OPENAI, SERVICES, Service

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
GUIDE = README.partition("## Add a tool")[2].partition("\n## ")[0]

# Commands that no test here runs, and who does.
ELSEWHERE = {
    "make test": "continuous integration",
    "make build": "test_build.py",
    "make bench": "test_bench.py, as far as it can without the peers' packages",
    "make deploy": "nobody: it needs an AWS account",
}
IN_SECONDS = 120


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def environment(**more: str) -> dict[str, str]:
    """This environment without any key, address or setting of ours, as a newcomer's is."""
    ours = re.compile(r"(ANTHROPIC|OPENAI|GEMINI|GOOGLE|AWS)_|MODELS$|TABLE_NAME$|COACH_TABLE_NAME$|PYTHONPATH$")
    return {name: value for name, value in os.environ.items() if not ours.match(name)} | more


def run_in(folder: Path, command: str, *, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment(**more),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=IN_SECONDS,
        check=False,
    )


run = partial(run_in, ROOT)


def documented(command: str) -> str:
    """The command, which must stand in the README."""
    assert command in README
    return command


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The local API, started as the README says, on a free port."""
    command = documented("make serve PORT=3000 SLOTS=4").replace("3000", "0")
    with subprocess.Popen(
        shlex.split(command),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as server:
        assert server.stdout is not None
        ready = next((line for line in server.stdout if line.startswith("ready ")), None)
        assert ready, "make serve ended before it was ready"
        yield ready.removeprefix("ready ").strip()
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(IN_SECONDS)


def test_every_command_is_run_by_somebody() -> None:
    # Given the commands of the README; when they are looked up, then each is in a test, or in the list of exceptions
    tested = Path(__file__).read_text(encoding="utf-8")
    for line in "".join(blocks("sh")).replace("\\\n", " ").splitlines():
        known = line in ELSEWHERE or line in tested or "=…" in line
        known = known or line.startswith(("TOKEN=", "curl ", "API=", "pide", "ask")) or "functions/chat/coach" in line
        assert known, f"no test runs: {line}"


def test_make_run_answers_the_question_in_rounds_of_real_tools() -> None:
    # Given a newcomer without a key; when the first command of the README is run
    ran = run(documented("make run"))
    # Then the first line says who answers, the rounds are shown, and the answer has a number in it
    assert ran.returncode == 0, ran.stderr
    assert "demo model" in ran.stdout.splitlines()[0]
    assert len(re.findall(r"^round \d+ +→", ran.stdout, re.MULTILINE)) >= 2
    assert "search_exercises" in ran.stdout
    assert "training_history" in ran.stdout
    assert re.search(r"\+\d+(\.\d+)? kg", ran.stdout)
    assert "200 · answered" in ran.stdout


def test_the_step_limit_is_shown_with_its_honest_close() -> None:
    ran = run(documented("make run EVENT=events/step_limit.json"))
    assert ran.returncode == 0, ran.stderr
    assert len(re.findall(r"^round \d+ +→", ran.stdout, re.MULTILINE)) == 10
    assert ran.stdout.count("not executed") == 1
    assert "200 · step_limit · 10 rounds" in ran.stdout


def test_a_yes_goes_on_after_the_limit() -> None:
    ran = run(documented("make run EVENT=events/continue.json"))
    assert ran.returncode == 0, ran.stderr
    assert "step_limit · 10 rounds" in ran.stdout
    assert "answered · 4 rounds" in ran.stdout


def test_an_erased_conversation_is_looked_for_in_vain() -> None:
    ran = run(documented("make run EVENT=events/delete.json"))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.index("200 · answered") < ran.stdout.index("\n204") < ran.stdout.index("\n404 · not_found")


def test_a_message_is_handed_on_taken_up_and_looked_for() -> None:
    ran = run(documented("make run EVENT=events/worker.json"))
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.index("202 · running") < ran.stdout.index("delivered to") < ran.stdout.index("200 · answered")


def test_a_conversation_in_the_terminal() -> None:
    ran = run(documented("make chat"), stdin="What are my goals?\nSave a goal of 100 kg on bench press\nexit\n")
    assert ran.returncode == 0, ran.stderr
    assert "read_goals" in ran.stdout
    assert "save_goal" in ran.stdout


def test_the_curl_of_the_readme_and_a_second_message(address: str) -> None:
    # Given the local API
    block = next(block for block in blocks("sh") if block.startswith("TOKEN="))
    command = block.replace("http://127.0.0.1:3000", address)
    # When the block of the README is pasted, and then again with another text
    first = run(command)
    again = run(command.replace("How much did I progress on bench press this month?", "And what did I just ask?"))
    # Then both are answered, in one conversation
    assert json.loads(first.stdout)["status"] == "answered", first.stdout + first.stderr
    assert json.loads(first.stdout)["rounds"] >= 2
    assert json.loads(again.stdout)["conversation_id"] == "my-first"


def test_an_app_in_spanish_as_the_readme_walks_through_it(address: str) -> None:
    # Given the local API; when the Spanish block of the README is pasted
    block = next(block for block in blocks("sh") if block.startswith("API="))
    ran = run(block.replace("http://127.0.0.1:3000", address))
    # Then the answer comes, is listed and read, and is gone after the erase
    answer, listed, history, erased, gone = ran.stdout.splitlines()
    assert json.loads(answer)["reply"].startswith("Tu repetición máxima"), ran.stdout + ran.stderr
    assert json.loads(listed)["conversations"][0]["title"] == "¿Cuánto he progresado en press de banca este mes?"
    assert json.loads(history)["messages"][-1]["text"] == json.loads(answer)["reply"]
    assert erased == "204"
    assert json.loads(gone)["detail"] == "No tienes ninguna conversación así."
    assert json.loads(gone)["detail"] in README


def test_an_answer_that_takes_minutes_as_the_readme_asks_for_it(address: str) -> None:
    # Given the local API; when the block of the README is pasted
    block = next(block for block in blocks("sh") if "respond-async" in block)
    ran = run(block.replace("http://127.0.0.1:3000", address))
    # Then the app is let go, may look, and may ask to stop
    statuses = re.findall(r"^HTTP/1.1 (\d+)", ran.stdout, re.MULTILINE)
    assert statuses == ["202", "200", "200"], ran.stdout + ran.stderr
    (location,) = re.findall(r"^location: (\S+)", ran.stdout, re.MULTILINE | re.IGNORECASE)
    # And the message ends, one way or the other
    look = f'curl -s {address}{location} -H "Authorization: Bearer $(make -s token)"'
    state = json.loads(run(look).stdout)
    while state["status"] in ("running", "interrupted"):
        state = json.loads(run(f"sleep 1; {look}").stdout)
    assert state["status"] in ("answered", "stopped")
    assert state["reply"]


def test_a_conversation_is_listed_read_and_erased(address: str) -> None:
    # Given a conversation
    token = run("make -s token").stdout.strip()

    def ask(method: str, path: str, body: bytes | None = None) -> tuple[int, str]:
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        request = urllib.request.Request(f"{address}/conversations{path}", body, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    assert ask("POST", "/to-erase/messages", b'{"text": "What are my goals?"}')[0] == 200
    # When it is listed, read and erased, then the local API serves the function that does so
    assert json.loads(ask("GET", "?limit=1")[1])["conversations"][0]["id"] == "to-erase"
    history = json.loads(ask("GET", "/to-erase/messages?after=0")[1])["messages"]
    assert history[0]["tool_calls"][0]["name"] == "read_goals"
    assert history[-1]["status"] == "answered"
    assert ask("DELETE", "/to-erase") == (204, "")
    assert ask("GET", "/to-erase/messages")[0] == 404


def test_a_request_without_a_token_is_refused(address: str) -> None:
    request = urllib.request.Request(
        f"{address}/conversations/c/messages", b'{"text": "hi"}', {"content-type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 401
    refused.value.close()


@pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.model)
def test_a_key_and_a_model_of_ones_own_reach_the_real_wire(service: Service) -> None:
    # Given a service as strict as the real one, in its place
    (command,) = [line for line in README.splitlines() if re.fullmatch(rf"{service.key}=[^,]* make run", line)]
    variable, path = service.base_url
    with serving(service.start()) as server:
        server.add(
            service.turn("I look.", [("call_1", "training_history", {"exercise": "bench press"})]),
            service.turn("You gained 4 kg.", []),
        )
        # When the command of the README is run against it
        ran = run(command.replace("=… ", "=key "), **{variable: server.url + path})
        # Then every request was accepted, and the answer is the model's
        server.check_used_up()
    assert "You gained 4 kg." in ran.stdout, ran.stderr
    assert "round 1  → training_history" in ran.stdout


def test_the_second_model_answers_where_the_first_dies() -> None:
    # Given a first service that dies in round three, and a second one
    (command,) = [line for line in README.splitlines() if "…" in line and "," in line and line.endswith(" make run")]
    with serving(ANTHROPIC.start()) as first, serving(OPENAI.start()) as second:
        rounds = [[(f"call_{n}", "search_exercises", {"query": query})] for n, query in enumerate(("row", "curl"))]
        first.add(*(ANTHROPIC.turn("I look.", calls) for calls in rounds), ANTHROPIC.down(), ANTHROPIC.down())
        second.add(OPENAI.turn("Here it is.", []))
        # When the command of the README is run against them
        ran = run(command.replace("=… ", "=key "), ANTHROPIC_BASE_URL=first.url, OPENAI_BASE_URL=f"{second.url}/v1")
        first.check_used_up()
        second.check_used_up()
    # Then the second has answered
    assert "Here it is." in ran.stdout, ran.stderr
    assert "200 · answered · 2 rounds · openai:gpt-6.2-sol" in ran.stdout


def test_a_wrong_setting_is_named_at_start() -> None:
    ran = run("make run", MAX_TOOL_ROUNDS="many")
    assert ran.returncode != 0
    assert "MAX_TOOL_ROUNDS" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A copy of the repository that a test may change, over the packages that are set up already."""
    copy = tmp_path / "rondas"
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", ".uv", ".rondas", ".*_cache", ".aws-sam")
    )
    for folder in (".venv", ".uv"):
        if (ROOT / folder).exists():
            (copy / folder).symlink_to(ROOT / folder)
    return copy


def test_the_tool_of_the_readme_goes_from_nothing_to_a_passing_test(clone: Path) -> None:
    # Given the two files that the README shows, where it says that they go
    files = dict(zip(re.findall(r"`(functions/\S+\.py|tests/\S+\.py)`", GUIDE), blocks("python"), strict=True))
    for name, source in files.items():
        (clone / name).write_text(source, encoding="utf-8")
    # When the command under them is run
    ran = run_in(clone, documented("make unit TESTS=tests/unit/coach/test_to_fahrenheit.py"))
    # Then the tests pass
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 passed" in ran.stdout
    # And the files are as tidy as everything else here
    for command in (["ruff", "check"], ["ruff", "format", "--check"], ["pyright"]):
        tidy = run_in(clone, shlex.join([f".venv/bin/{command[0]}", *command[1:], *files]))
        assert tidy.returncode == 0, tidy.stdout + tidy.stderr


def test_another_assistant_is_another_folder(clone: Path) -> None:
    # Given a copy of the repository in which the coach's folder was replaced as the README says
    *replacing, talking = next(block for block in blocks("sh") if "tests/apps/research" in block).splitlines()
    assert run_in(clone, " && ".join(replacing)).returncode == 0
    # When somebody talks with what stands there now, and its model searches and reads
    with serving(ANTHROPIC.start()) as server:
        server.add(
            ANTHROPIC.turn("I search.", [("call_1", "search", {"query": "tides"})]),
            ANTHROPIC.turn("I read.", [("call_2", "read_page", {"page": "tides"})]),
            ANTHROPIC.turn("Because of the Moon.", []),
        )
        asked = "Why are there tides?\nexit\n"
        ran = run_in(clone, talking.replace("=… ", "=key "), stdin=asked, ANTHROPIC_BASE_URL=server.url)
        server.check_used_up()
    # Then its own tools ran under its own prompt, and the answer came
    assert "round 2  → read_page" in ran.stdout, ran.stderr
    assert "Because of the Moon." in ran.stdout
    assert "small library" in json.dumps(ANTHROPIC.system(server.bodies[0]))
