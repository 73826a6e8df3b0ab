"""`make run` and `make chat`, as commands."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.local_api import PATIENCE

from local.template import ROOT

FAKE = """
import json
from types import SimpleNamespace
from rondas.watcher import Watchers

agent = SimpleNamespace(watchers=Watchers())

def handler(event, context):
    text = json.loads(event["body"])["text"]
    print("printed by the function")
    if text == "raise":
        raise RuntimeError("boom")
    status = int(text) if text.isdigit() else 200
    body = {"reply": text, "status": "answered", "rounds": 0} if status < 400 else {"code": "nope", "detail": text}
    return {"statusCode": status, "body": json.dumps(body)}
"""

type Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def command(environment: dict[str, str]) -> Command:
    def command(*arguments: str, words: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            env=environment | variables,
            input=words,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    return command


@pytest.fixture
def run(command: Command, template: Path, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a fake function with events of these texts."""
    (template.parent / "code" / "app.py").write_text(FAKE, encoding="utf-8")
    template.write_text(template.read_text(encoding="utf-8").replace("/do/{what}", "/messages"), encoding="utf-8")

    def run(*texts: str) -> subprocess.CompletedProcess[str]:
        path = tmp_path / "event.json"
        path.write_text(json.dumps([{"body": json.dumps({"text": text})} for text in texts]), encoding="utf-8")
        return command("local.run", str(path), "--template", str(template))

    return run


def test_the_reply_is_on_standard_output_and_what_the_function_prints_is_not(
    run: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run("hello")
    assert done.returncode == 0
    assert "\nhello\n" in done.stdout
    assert "printed by" not in done.stdout
    assert "printed by the function" in done.stderr


@pytest.mark.parametrize(("texts", "code"), [(("422",), 0), (("500",), 1), (("raise",), 1), (("503", "ok"), 1)])
def test_the_exit_code_says_whether_the_function_answered(
    run: Callable[..., subprocess.CompletedProcess[str]], texts: tuple[str, ...], code: int
) -> None:
    done = run(*texts)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_file_that_does_not_exist_is_named(command: Command) -> None:
    done = command("local.run", "events/none.json")
    assert done.returncode == 2
    assert done.stderr == "error: cannot read the event file events/none.json: No such file or directory\n"


def test_the_sample_event_is_answered_by_the_demo_model_with_real_tools(command: Command) -> None:
    done = command("local.run", str(ROOT / "events" / "ask.json"), ANTHROPIC_API_KEY="")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("No ANTHROPIC_API_KEY: answering with the demo model server at http://127.0.0.1:")
    assert "round 2" in done.stdout
    assert "your estimated one-rep max" in done.stdout.lower()
    assert "200 · answered · 2 rounds · anthropic:demo" in done.stdout


def test_a_run_that_reached_the_step_limit_goes_on_when_told_to(command: Command) -> None:
    done = command("local.run", str(ROOT / "events" / "continue.json"), ANTHROPIC_API_KEY="")
    assert done.returncode == 0, done.stderr
    assert "200 · step_limit · 10 rounds" in done.stdout
    assert "not executed" in done.stdout
    assert "200 · answered · 4 rounds" in done.stdout


def test_a_wrong_setting_is_named_without_a_traceback(command: Command) -> None:
    done = command("local.run", ANTHROPIC_API_KEY="", MAX_TOOL_ROUNDS="many")
    assert done.returncode == 1
    assert done.stderr.startswith("error: MAX_TOOL_ROUNDS: ")
    assert "Traceback" not in done.stderr


def test_a_conversation_goes_on_until_the_person_leaves(command: Command) -> None:
    words = "save a goal of 100 kg on bench press\n\nwhat are my goals?\nexit\nnot read\n"
    done = command("local.chat", words=words, ANTHROPIC_API_KEY="")
    assert done.returncode == 0, done.stderr
    assert "Saved: 100 kg on bench press." in done.stdout
    assert "Your goals: 100 kg on bench press." in done.stdout
    assert "not read" not in done.stdout


def test_a_token_is_printed_alone(command: Command) -> None:
    done = command("local.token", "ana", PYTHONPATH=os.pathsep.join([str(ROOT / "events")]))
    assert len(done.stdout.strip().split(".")) == 3
