"""An app whose tools do not come back, each in a way of its own. Takes the coach's place in front of the harness."""

import os
import re
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pydantic import BaseModel

from rondas.tools import Arguments, Tool, ToolContext, tool

FOR_EVER = 3600
ticks = 0
"""Counts while a thread of a tool that was stopped runs on."""


class Nothing(Arguments):
    """No arguments."""


class Seen(BaseModel):
    """A number."""

    number: int = 0


@tool
def sleep(_arguments: Nothing) -> Seen:
    """Sleeps."""
    time.sleep(FOR_EVER)
    return Seen()


@tool
def compute(_arguments: Nothing) -> Seen:
    """Computes in Python."""
    number = 0
    while True:
        number += 1


@tool
def match(_arguments: Nothing) -> Seen:
    """Computes in C."""
    return Seen(number=int(bool(re.match(r"(a+)+$", "a" * 64 + "b"))))


@tool
def survive(_arguments: Nothing) -> Seen:
    """Survives every exception."""
    while True:
        try:
            time.sleep(FOR_EVER)
        except Exception:  # noqa: BLE001
            continue


@tool
def listen(_arguments: Nothing) -> Seen:
    """Waits for the network."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.accept()
    return Seen()


@tool
def threads(_arguments: Nothing) -> Seen:
    """Waits for threads that compute."""
    with ThreadPoolExecutor(2) as pool:
        return Seen(number=sum(pool.map(_tick, range(2))))


@tool
def witness(_arguments: Nothing) -> Seen:
    """Says how far the threads have counted."""
    return Seen(number=ticks)


@tool(effect=True)
def deaf_once(_arguments: Nothing, context: ToolContext) -> Seen:
    """Does not hear the alarm, the first time: only the runtime can end it."""
    been_here = Path(os.environ["BEEN_HERE"]) / context.key.replace("/", "-")
    if been_here.exists():
        return Seen(number=42)
    been_here.touch()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
    time.sleep(FOR_EVER)
    return Seen()


@tool
def note(_arguments: Nothing) -> Seen:
    """Comes back at once."""
    return Seen(number=1)


def _tick(_number: int) -> int:
    global ticks  # noqa: PLW0603
    while True:
        ticks += 1


PROMPT = "You are a test."
SETTINGS: tuple[str, ...] = ()
TOOLS: list[Tool] = [sleep, compute, match, survive, listen, threads, witness, deaf_once, note]
