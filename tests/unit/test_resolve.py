"""A name is looked up within a time, though the system's own look-up knows none (rule B2)."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from threading import Event
from typing import Any

import pytest

from rondas.interrupt import OutOfTime, out_of_time_after
from rondas.resolve import resolve

FOR_EVER = 5

# An alarm ends the thread of a resolver that is left behind with SystemExit, of which only pytest speaks.
pytestmark = pytest.mark.filterwarnings("ignore:Exception in thread resolve")


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A resolver that does not answer until the test is over."""
    over = Event()

    def wait(*_: Any, **__: Any) -> list[Any]:
        over.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", wait)
    yield
    over.set()


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Sets what the system answers: addresses, or an error."""

    def answer(found: Any) -> None:
        def look_up(*_: Any, **__: Any) -> list[Any]:
            if isinstance(found, Exception):
                raise found
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in found]

        monkeypatch.setattr(socket, "getaddrinfo", look_up)

    return answer


def test_addresses_come_in_the_systems_order_each_once(answering: Callable[[Any], None]) -> None:
    answering(["2606:4700::1111", "1.1.1.1", "2606:4700::1111"])
    assert resolve("one.example.org", 5) == [ip_address("2606:4700::1111"), ip_address("1.1.1.1")]


@pytest.mark.parametrize(
    "error", [socket.gaierror(-2, "unknown"), OSError("no network"), UnicodeError("label too long")]
)
def test_a_name_without_an_address_is_an_error_of_the_network(
    answering: Callable[[Any], None], error: Exception
) -> None:
    answering(error)
    with pytest.raises(OSError, match=r"unknown|no network|no name"):
        resolve("no.example.org", 5)


@pytest.mark.usefixtures("hanging")
@pytest.mark.parametrize("seconds", [0.02, 0, -1])
def test_a_resolver_that_does_not_answer_is_left_behind(seconds: float) -> None:
    with pytest.raises(TimeoutError), out_of_time_after(FOR_EVER):
        resolve("slow.example.org", seconds)


@pytest.mark.usefixtures("hanging")
def test_an_alarm_reaches_who_waits_for_a_resolver() -> None:
    with pytest.raises(OutOfTime), out_of_time_after(0.02):
        resolve("slow.example.org", FOR_EVER)


def test_a_resolver_that_was_left_behind_keeps_no_process_alive() -> None:
    script = """
import socket, threading
socket.getaddrinfo = lambda *_, **__: threading.Event().wait()
from rondas.resolve import resolve
try:
    resolve("slow.example.org", 0.02)
except TimeoutError:
    print("left")
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("left\n", 0)
