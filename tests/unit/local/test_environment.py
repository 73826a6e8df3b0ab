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


def test_the_demo_model_answers_only_where_none_of_the_providers_can(
    variables: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    variables.update(MODELS="anthropic:a, openai:b")
    with environment.prepared(NOTHING):
        assert variables["MODELS"] == "anthropic:demo"
    assert capsys.readouterr().out.startswith("No ANTHROPIC_API_KEY or OPENAI_API_KEY: answering with the demo")


@pytest.mark.parametrize(
    "given",
    [{"ANTHROPIC_API_KEY": "k"}, {"OPENAI_API_KEY": "k"}, {"OPENAI_BASE_URL": "http://127.0.0.1:1"}],
)
def test_where_one_provider_can_answer_a_missing_key_is_left_for_the_function_to_name(
    variables: dict[str, str], given: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    variables.update(MODELS="anthropic:a, openai:b", **given)
    with environment.prepared(NOTHING, names_models=True):
        assert variables["MODELS"] == "anthropic:a, openai:b"
        assert not ({"ANTHROPIC_API_KEY", "OPENAI_API_KEY"} <= variables.keys())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "given",
    [
        {"ANTHROPIC_API_KEY": "real"},
        {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1"},
        {"API_KEYS_SECRET_ARN": "arn:aws:secretsmanager:x"},
    ],
)
def test_real_models_are_named_where_that_is_wanted(
    variables: dict[str, str], given: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    variables.update(MODELS="anthropic:claude-haiku-5-5", **given)
    with environment.prepared(NOTHING, names_models=True):
        pass
    assert capsys.readouterr().out == "Models: anthropic:claude-haiku-5-5\n"


@pytest.mark.parametrize(
    "given",
    [
        {"ANTHROPIC_API_KEY": "real"},
        {"MODELS": "google:g", "GEMINI_API_KEY": "real"},
        {"API_KEYS_SECRET_ARN": "arn:aws:secretsmanager:x"},
        {"MODELS": "nonsense"},
        {"MODELS": "anthropic:"},
        {"MODELS": "anthropic:a,"},
        {"MODELS": " anthropic:a"},
        {"MODELS": "anthropic:a,nobody:b"},
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
