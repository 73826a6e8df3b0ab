"""`make run` and `make chat`, as commands."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fakes.anthropic import error as refusal
from fakes.anthropic import strict
from fakes.local_api import PATIENCE, MeetingPoint
from fakes.local_queue import TEMPLATE as QUEUE_TEMPLATE
from fakes.server import ModelServer, serving

from local.event import POST_MESSAGE, message_event, read_events
from local.template import ROOT
from local.token import read_claims

FAKE = """
import json, logging, os, socket
from types import SimpleNamespace
from rondas.watcher import Watchers

agent = SimpleNamespace(watchers=Watchers())

def handler(event, context):
    text = json.loads(event["body"])["text"]
    print("printed by the function")
    if text == "metrics":
        print('{"_aws":{}}')
    if text == "warn":
        logging.getLogger("rondas.toolbox").warning("tool %s raised", "x")
    if text == "hang":
        with socket.create_connection(("127.0.0.1", int(os.environ["MEETING_POINT"]))) as test:
            test.sendall(b"%d\\n" % os.getpid())
            test.recv(1)
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
    with_messages = template.read_text(encoding="utf-8").replace("/do/{what}", POST_MESSAGE.split()[1])
    template.write_text(with_messages, encoding="utf-8")

    def run(*texts: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return command("local.run", str(write_events(tmp_path, *texts)), "--template", str(template), **variables)

    return run


def write_events(folder: Path, *texts: str) -> Path:
    path = folder / "event.json"
    path.write_text(json.dumps([message_event("c", text, "ana") for text in texts]), encoding="utf-8")
    return path


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
    assert done.stderr == ""
    assert "round 2" in done.stdout
    assert "your estimated one-rep max" in done.stdout.lower()
    assert "200 · answered · 2 rounds · anthropic:demo" in done.stdout


def test_a_run_that_reached_the_step_limit_goes_on_when_told_to(command: Command) -> None:
    done = command("local.run", str(ROOT / "events" / "continue.json"), ANTHROPIC_API_KEY="")
    assert done.returncode == 0, done.stderr
    assert "200 · step_limit · 10 rounds" in done.stdout
    assert "not executed" in done.stdout
    assert "no sessions on record" not in done.stdout
    assert "failed" not in done.stdout
    assert "200 · answered · 4 rounds" in done.stdout


def test_a_file_may_hold_events_of_every_route(command: Command) -> None:
    # Given the sample of an erase: a message, the erase of its conversation, a look at its history
    done = command("local.run", str(ROOT / "events" / "delete.json"), ANTHROPIC_API_KEY="")
    # Then each goes to the function behind its route
    assert done.returncode == 0
    assert done.stdout.index("Your estimated one-rep max") < done.stdout.index("\n204") < done.stdout.index("\n404")


def test_a_message_is_handed_on_delivered_to_the_worker_and_looked_for(command: Command) -> None:
    # Given the sample of a message for which the app does not wait, its delivery, and a look at it
    done = command("local.run", str(ROOT / "events" / "worker.json"), ANTHROPIC_API_KEY="")
    # Then it is let go, the worker's rounds are shown as they happen, and the reply is found
    assert done.returncode == 0, done.stderr
    steps = [
        "202 · running",
        "delivered to WorkerFunction",
        "round 2",
        "done · ",
        "Your estimated one-rep max",
        "200 · ",
    ]
    assert [step for step in steps if step not in done.stdout] == []
    assert sorted(steps, key=done.stdout.index) == steps


def test_a_delivery_of_a_message_that_is_not_there_is_nothing_to_do(command: Command, tmp_path: Path) -> None:
    done = command("local.run", str(_delivery(tmp_path)), ANTHROPIC_API_KEY="")
    assert (done.returncode, done.stderr) == (0, "")
    assert "done · " in done.stdout
    assert "model" not in done.stdout.partition("delivered")[2]


def test_a_delivery_that_fails_is_told_without_a_traceback(command: Command, template: Path, tmp_path: Path) -> None:
    # given
    template.write_text(QUEUE_TEMPLATE, encoding="utf-8")
    (template.parent / "code" / "app.py").write_text("def handler(event, context): 1 / 0", encoding="utf-8")
    # when
    done = command("local.run", str(_delivery(tmp_path, "Letters")), "--template", str(template))
    # then
    assert (done.returncode, done.stderr) == (1, "")
    assert "delivered to Worker\n" in done.stdout
    assert done.stdout.endswith("ms\n  ZeroDivisionError: division by zero\n")
    assert "to be delivered again" in done.stdout


def test_a_queue_that_no_function_reads_is_named(command: Command, tmp_path: Path) -> None:
    done = command("local.run", str(_delivery(tmp_path, "Nowhere")))
    assert (done.returncode, done.stderr) == (1, "error: the template has no function that reads Nowhere\n")


def _delivery(folder: Path, queue: str = "HandedOnQueue") -> Path:
    """Writes the sample of a delivery alone: nobody has sent its message."""
    _, event, _ = read_events(ROOT / "events" / "worker.json")
    event["Records"][0]["eventSourceARN"] = f"arn:aws:sqs:eu-west-1:123456789012:{queue}"
    path = folder / "delivery.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    return path


@pytest.mark.parametrize(("name", "shown"), [("history", '"role":"assistant"'), ("list", '"title":"How much did I')])
def test_what_was_said_can_be_read(command: Command, name: str, shown: str) -> None:
    done = command("local.run", str(ROOT / "events" / f"{name}.json"), ANTHROPIC_API_KEY="")
    assert done.returncode == 0
    assert shown in done.stdout


def test_an_event_of_no_route_is_named(command: Command, tmp_path: Path) -> None:
    event = message_event("c", "hello", "ana")
    event["requestContext"]["routeKey"] = "PUT /nowhere"
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event), encoding="utf-8")
    done = command("local.run", str(path))
    assert (done.returncode, done.stderr) == (1, "error: the template has no route PUT /nowhere\n")


def test_a_wrong_setting_is_named_without_a_traceback(command: Command) -> None:
    done = command("local.run", ANTHROPIC_API_KEY="", MAX_TOOL_ROUNDS="many")
    assert done.returncode == 1
    assert done.stderr.startswith("error: MAX_TOOL_ROUNDS: ")
    assert "Traceback" not in done.stderr


def test_a_conversation_goes_on_until_the_person_leaves(command: Command) -> None:
    words = "save a goal of 100 kg on bench press\n\nwhat are my goals?\nexit\nnot read\n"
    done = command("local.chat", words=words, ANTHROPIC_API_KEY="")
    assert done.returncode == 0, done.stderr
    assert "\nyou> save a goal of 100 kg on bench press\n" in done.stdout  # as on a terminal
    assert "\nyou> exit\n" in done.stdout
    assert "Saved: 100 kg on bench press." in done.stdout
    assert "Your goals: 100 kg on bench press." in done.stdout
    assert "not read" not in done.stdout


def test_a_token_is_printed_alone(command: Command) -> None:
    done = command("local.token", "ana", PYTHONPATH=os.pathsep.join([str(ROOT / "events")]))
    assert len(done.stdout.strip().split(".")) == 3


def test_a_token_may_be_for_anybody(command: Command) -> None:
    done = command("local.token", SUB="a b\"c'")
    assert read_claims(done.stdout)["sub"] == "a b\"c'"


def test_warnings_are_lines_of_the_output_and_metrics_are_not_printed(
    run: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = run("warn", "metrics")
    assert "\n  ! tool x raised\n" in done.stdout
    assert done.stderr == "printed by the function\n" * 2


def test_who_asks_for_the_log_gets_it(run: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = run("warn", LOG_LEVEL="INFO")
    assert "tool x raised" in done.stderr
    assert "tool x raised" not in done.stdout


def test_a_key_that_is_refused_is_told_with_its_variable(command: Command) -> None:
    # given
    with serving(ModelServer([refusal(401, "authentication_error")], strict())) as server:
        # when
        done = command(
            "local.run",
            str(ROOT / "events" / "ask.json"),
            ANTHROPIC_BASE_URL=server.url,
            MODELS="anthropic:claude-haiku-5-5",
        )
    # then
    assert done.stdout.startswith("Models: anthropic:claude-haiku-5-5\n")
    assert "  ! model failed: anthropic:claude-haiku-5-5 · 401 AuthenticationError" in done.stdout
    assert "(check ANTHROPIC_API_KEY)\n" in done.stdout
    assert done.stderr == ""


def test_ctrl_c_ends_a_run_with_one_line(
    run: Callable[..., subprocess.CompletedProcess[str]],
    environment: dict[str, str],
    template: Path,
    tmp_path: Path,
    meeting_point: MeetingPoint,
) -> None:
    # given
    command = [sys.executable, "-m", "local.run", str(write_events(tmp_path, "hang")), "--template", str(template)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        meeting_point.wait()
        # when
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
    # then
    assert process.returncode == 130
    assert errors == "printed by the function\ninterrupted\n"


def test_an_address_of_dynamodb_that_is_no_url_is_named_in_one_line(command: Command) -> None:
    done = command("local.run", AWS_ENDPOINT_URL_DYNAMODB="nonsense")
    assert done.returncode == 1
    assert done.stderr == "error: AWS_ENDPOINT_URL_DYNAMODB: DynamoDB at nonsense: Invalid endpoint: nonsense\n"


def test_an_event_that_is_none_ends_with_code_2(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "event.json"
    path.write_text("{}", encoding="utf-8")
    done = command("local.run", str(path))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: the event file {path} holds no event of an HTTP API")


@pytest.mark.parametrize("models", ["anthropic:", "nonsense", "anthropic:a,nobody:b"])
def test_a_wrong_model_is_named_also_where_the_demo_model_could_answer(command: Command, models: str) -> None:
    done = command("local.run", ANTHROPIC_API_KEY="" if "," not in models else "k", MODELS=models)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: MODELS: ")


def test_a_missing_key_of_one_of_several_providers_is_named(command: Command) -> None:
    done = command("local.run", MODELS="anthropic:a,openai:b", ANTHROPIC_API_KEY="k", OPENAI_API_KEY="")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: OPENAI_API_KEY: ")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("\n1 + 'a'\n", ":2: TypeError: unsupported operand type(s) for +: 'int' and 'str'"),
        ("import json\njson.loads('')\n", ":2: JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        ("\n\nx = (\n", ":3: SyntaxError: '(' was never closed"),
    ],
)
def test_code_that_cannot_be_imported_is_named_with_its_line(
    command: Command, template: Path, code: str, error: str
) -> None:
    # given
    text = template.read_text(encoding="utf-8").replace("/do/{what}", "/conversations/{conversation_id}/messages")
    template.write_text(text, encoding="utf-8")
    oven = template.parent / "code" / "oven.py"
    oven.write_text(code, encoding="utf-8")
    (oven.parent / "app.py").write_text("import oven", encoding="utf-8")
    # when
    done = command("local.run", "--template", str(template))
    # then
    assert (done.returncode, done.stderr) == (1, f"error: {oven}{error}\n")


@pytest.mark.parametrize(
    ("workouts", "error"),
    [("x = (", "error: {path}:1: SyntaxError: '(' was never closed\n"), ("", "error: {app}:1: RuntimeError: here\n")],
)
def test_a_coach_that_cannot_be_imported_is_named_and_one_without_workouts_has_no_sample(
    command: Command, template: Path, workouts: str, error: str
) -> None:
    # given a template with the coach's table
    text = template.read_text(encoding="utf-8").replace("/do/{what}", "/conversations/{conversation_id}/messages")
    table = """  Coach: {Type: AWS::DynamoDB::Table, Properties: {
    AttributeDefinitions: [{AttributeName: pk, AttributeType: S}], KeySchema: [{AttributeName: pk, KeyType: HASH}]}}
"""
    text = text.replace("{FROM_TEMPLATE: ", "{COACH_TABLE_NAME: !Ref Coach, FROM_TEMPLATE: ")
    template.write_text(text + table, encoding="utf-8")
    # and a coach
    coach = template.parent / "code" / "coach"
    coach.mkdir()
    (coach / "__init__.py").write_text("", encoding="utf-8")
    if workouts:
        (coach / "workouts.py").write_text(workouts, encoding="utf-8")
    (coach.parent / "app.py").write_text("raise RuntimeError('here')", encoding="utf-8")
    # when
    done = command("local.run", "--template", str(template))
    # then
    expected = error.format(path=coach / "workouts.py", app=coach.parent / "app.py")
    assert (done.returncode, done.stderr) == (1, expected)
