"""A model that never stops asking for tools, where the limit is ten."""

from collections.abc import Mapping

from bench.lineup import Peer
from bench.phases.after import next_message
from bench.stage import Stage, each, question
from bench.worker import Json

LIMIT = 10


def measure(stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
    """Returns for each peer how many `model_calls` were made, what the caller `gets`, and what the next message finds.

    The limit is one of rounds with Rondas, and of model calls with the others.
    """
    return each(stage, peers, _limit)


def _limit(stage: Stage, name: str, peer: Peer) -> Json:
    with stage.worker(name, peer, MAX_TOOL_ROUNDS=str(LIMIT)) as worker:
        done = worker.ask("turn", conversation=name, text=question(1_000))
        calls = len(stage.model.take())
        gets = f"an error: {done.error}" if done and done.error else str(done.answer if done else "nothing: it died")
        return {"model_calls": calls, "gets": gets, "next": next_message(stage, worker, name)}
