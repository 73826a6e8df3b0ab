import os
import socket

import pytest

from local import environment
from local.template import Template

NOTHING = Template({}, (), ())


@pytest.fixture
def variables(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment, empty, in place of the process's own."""
    known: dict[str, str] = {}
    monkeypatch.setattr(os, "environ", known)
    return known


def test_without_a_key_the_demo_model_answers_and_the_first_line_says_so(
    variables: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with environment.prepared(NOTHING):
        assert variables["MODELS"] == "anthropic:demo"
        assert variables["ANTHROPIC_API_KEY"] == "demo"
        url = variables["ANTHROPIC_BASE_URL"]
    first = capsys.readouterr().out.splitlines()[0]
    assert first == f"No ANTHROPIC_API_KEY: answering with the demo model server at {url} (no real model)."


def test_a_failover_model_without_a_key_is_named(variables: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    variables.update(MODELS="anthropic:a, openai:b", ANTHROPIC_API_KEY="k")
    with environment.prepared(NOTHING):
        assert variables["MODELS"] == "anthropic:demo"
    assert capsys.readouterr().out.startswith("No OPENAI_API_KEY:")


@pytest.mark.parametrize(
    "given",
    [
        {"ANTHROPIC_API_KEY": "real"},
        {"MODELS": "google:g", "GEMINI_API_KEY": "real"},
        {"API_KEYS_SECRET_ARN": "arn:aws:secretsmanager:x"},
        {"MODELS": "nonsense"},
    ],
)
def test_what_is_set_stays_as_it_is(
    variables: dict[str, str], given: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    variables.update(given)
    with environment.prepared(NOTHING):
        assert given.items() <= variables.items()
        assert "ANTHROPIC_BASE_URL" not in variables
    assert capsys.readouterr().out == ""


def test_a_model_server_of_ones_own_gets_a_key_to_please_the_sdk(
    variables: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    variables.update(ANTHROPIC_BASE_URL="http://127.0.0.1:1")
    with environment.prepared(NOTHING):
        assert variables["ANTHROPIC_API_KEY"]
        assert variables["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1"
        assert variables["MODELS"] == environment.DEFAULT_MODELS
    assert capsys.readouterr().out == ""


def test_an_empty_variable_counts_as_not_set(variables: dict[str, str]) -> None:
    variables.update(ANTHROPIC_API_KEY="", MODELS="", TABLE_NAME="", AWS_REGION="")
    with environment.prepared(NOTHING):
        assert variables["MODELS"] == "anthropic:demo"
        assert variables["TABLE_NAME"] == "rondas-conversations"
        assert variables["AWS_REGION"] == variables["AWS_DEFAULT_REGION"] == "eu-west-1"


def test_no_proxy_stands_before_the_local_servers(variables: dict[str, str]) -> None:
    variables.update(NO_PROXY="corp,localhost", ANTHROPIC_API_KEY="k")
    with environment.prepared(NOTHING):
        assert variables["NO_PROXY"] == "corp,localhost,127.0.0.1"
        assert variables["no_proxy"] == "127.0.0.1,localhost"


def test_the_demo_model_ends_with_the_run(variables: dict[str, str]) -> None:
    with environment.prepared(NOTHING):
        port = int(variables["ANTHROPIC_BASE_URL"].rpartition(":")[2])
        socket.create_connection(("127.0.0.1", port)).close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))
