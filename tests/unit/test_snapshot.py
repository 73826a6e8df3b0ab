"""What must not be born in a snapshot is born in each copy that comes out of it."""

import json
import random
import socket
from typing import Any, cast

import pytest
import snapshot_restore_py  # pyright: ignore[reportMissingTypeStubs]
from aws_lambda_powertools.utilities.parameters import BaseProvider, base

from rondas import assembly
from rondas.keys import key_source
from rondas.settings import Settings
from rondas.snapshot import start_afresh

SETTINGS = Settings(
    table_name="conversations",
    models="openai:gpt-6.2-sol",
    api_keys_secret_arn="arn:aws:secretsmanager:eu-west-1:123456789012:secret:keys-AbCdEf",
)


@pytest.fixture
def assembled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The objects of a function, put together where nobody may connect or look anything up."""

    def nobody(*_: object) -> None:
        raise AssertionError("connected at start")

    for name in ("AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "eu-west-1")
    monkeypatch.setattr(socket.socket, "connect", nobody)
    monkeypatch.setattr(socket, "getaddrinfo", nobody)
    monkeypatch.setattr(random, "random", nobody)
    assembly.assemble(SETTINGS, prompt="Be brief.", tools=())


@pytest.mark.usefixtures("assembled")
def test_the_start_opens_nothing_and_has_the_copies_start_afresh() -> None:
    hooks = [function for function, _, _ in cast("Any", snapshot_restore_py).get_after_restore()]

    assert start_afresh in hooks


def test_two_copies_of_one_process_do_not_wait_for_the_same_moments() -> None:
    # Given two copies
    state, waits = random.getstate(), list[float]()
    for _ in range(2):
        random.setstate(state)
        # When each starts afresh
        start_afresh()
        waits.append(random.random())
    # Then they go ways of their own
    assert waits[0] != waits[1]


class Secrets(BaseProvider):
    """A secret that is rotated each time it is fetched."""

    fetched = 0

    def _get(self, name: str, **_: object) -> str:
        Secrets.fetched += 1
        return json.dumps({"KEY": f"{name} {Secrets.fetched}"})

    def _get_multiple(self, path: str, **_: object) -> dict[str, str]:
        raise NotImplementedError


def test_a_key_of_before_the_snapshot_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a key that was fetched before
    providers = cast("dict[str, BaseProvider]", vars(base)["DEFAULT_PROVIDERS"])
    monkeypatch.setitem(providers, "secrets", Secrets())
    key = key_source("secret")
    assert [key("KEY"), key("KEY")] == ["secret 1", "secret 1"]
    # When the process comes out of a snapshot
    start_afresh()
    # Then it is fetched again
    providers.setdefault("secrets", Secrets())
    assert key("KEY") == "secret 2"
