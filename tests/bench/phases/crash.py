"""A process that is killed after five of ten rounds: the next message, and the same one sent again."""

from collections.abc import Mapping
from uuid import uuid4

from bench.lineup import Peer
from bench.phases.after import next_message, patiently, strict, thinking
from bench.stage import Stage, each, question
from bench.worker import Json, PeerError

ROUNDS = 10
KILLED_AFTER = 5
THINK_SECONDS = 0.1
"""Of the model for each answer: a store that writes behind has the time to."""

LEASE = {"TIME_BUDGET_SECONDS": "5", "CLOSING_RESERVE_SECONDS": "1"}
"""Rondas gives a message that was being answered to nobody else before its runner must have ended: here sooner."""


def measure(stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
    """Returns for each peer what the `next` message finds, and what the `same` message costs when it is sent again.

    Of the same message: whether it was `answered`, and how many `model_calls` it took; eleven are a whole new run, six
    go on after the fifth round. Both are sent to a new process.
    """
    return each(stage, peers, _crash)


def _crash(stage: Stage, name: str, peer: Peer) -> Json:
    key = {"key": str(uuid4())} if peer.resends else {}
    left, again = f"{name}-left", f"{name}-again"
    killed = [_kill(stage, name, peer, conversation, key) for conversation in (left, again)]
    with stage.worker(name, peer) as worker:
        following = next_message(stage, worker, left)
        with strict(stage):
            done = patiently(worker, again, question(ROUNDS), **key)
    same = {"answered": not done.error, "error": done.error, "model_calls": len(stage.model.take())}
    return {"killed_in_call": killed[0], "next": following, "same": same}


def _kill(stage: Stage, name: str, peer: Peer, conversation: str, key: Mapping[str, str]) -> int:
    """Has the process killed; returns in which of its model calls that was."""
    with thinking(stage, THINK_SECONDS), stage.worker(name, peer, **LEASE) as worker:
        stage.model.kill = (worker.pid, KILLED_AFTER)
        if worker.ask("turn", conversation=conversation, text=question(ROUNDS), **key):
            raise PeerError(f"{name}: was not killed")
    return len(stage.model.take())
