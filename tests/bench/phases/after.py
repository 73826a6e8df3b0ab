"""What a conversation is good for after something has happened in it."""

import re
import time
from collections.abc import Generator
from contextlib import contextmanager

from bench.stage import Stage, question
from bench.worker import Done, Json, PeerError, Worker

BUSY = "409"
PATIENCE_SECONDS = 60

_RESULT = re.compile(rb"RESULT<round (\d+)")
_QUESTION = re.compile(rb"Please tell me what the order status is[^\"]*rounds=[1-9]")


def next_message(stage: Stage, worker: Worker, conversation: str) -> Json:
    """Sends the next message to a model that refuses what the service refuses.

    Returns:
        Whether it was `answered`, why it was not (`error`), how many `results` of tools the model was still shown, and
        how many `questions` for which it had been asked to use tools.
    """
    with strict(stage):
        stage.model.take()
        done = patiently(worker, conversation, question(0))
    bodies = stage.model.take()
    shown = bodies[-1] if bodies else b""
    return {
        "answered": not done.error,
        "error": done.error,
        "results": len(set(_RESULT.findall(shown))),
        "questions": len(_QUESTION.findall(shown)),
    }


def patiently(worker: Worker, conversation: str, text: str, **key: str) -> Done:
    """Sends a message until it is taken, as an app does that is told to wait.

    Raises:
        PeerError: it is not, for a minute, or the process dies.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        done = worker.ask("turn", conversation=conversation, text=text, **key)
        if done is None:
            raise PeerError(f"{worker.name}: died")
        if BUSY not in done.error:
            return done
        time.sleep(1)
    raise PeerError(f"{worker.name}: busy for {PATIENCE_SECONDS} s")


@contextmanager
def strict(stage: Stage) -> Generator[None]:
    """Has the model refuse broken histories for as long as the block lasts."""
    stage.model.strict = True
    try:
        yield
    finally:
        stage.model.strict = False


@contextmanager
def thinking(stage: Stage, seconds: float) -> Generator[None]:
    """Lets the model take its time for as long as the block lasts."""
    stage.model.think_seconds = seconds
    try:
        yield
    finally:
        stage.model.think_seconds = 0
