"""The same message sent twice at the same time, as an app does whose first request seems lost."""

from collections.abc import Mapping
from uuid import uuid4

from bench.lineup import Peer
from bench.phases.after import BUSY, next_message, patiently, thinking
from bench.stage import Stage, each, question
from bench.worker import Json

ROUNDS = 2
THINK_SECONDS = 0.2


def measure(stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
    """Returns for each peer the `model_calls` of both together, where three answer the message, and what came of it.

    Who is told to wait (`told_to_wait`) asks again. `answered` counts who got an answer in the end; `errors` are those
    of the others. `next` is what the message after it finds.
    """
    return each(stage, peers, _double)


def _double(stage: Stage, name: str, peer: Peer) -> Json:
    key = {"key": str(uuid4())} if peer.resends else {}
    text = question(ROUNDS)
    with stage.worker(name, peer) as one, stage.worker(name, peer) as other:
        both = (one, other)
        one.turn(name, question(0))
        stage.model.take()
        with thinking(stage, THINK_SECONDS):
            for worker in both:
                worker.begin("turn", conversation=name, text=text, **key)
            done = [worker.end() for worker in both]
            waiting = [worker for worker, each in zip(both, done, strict=True) if each and BUSY in each.error]
            waited = [patiently(worker, name, text, **key) for worker in waiting]
        ends = [each for each in [*done, *waited] if each and BUSY not in each.error]
        return {
            "model_calls": len(stage.model.take()),
            "told_to_wait": len(waiting),
            "answered": sum(not each.error for each in ends),
            "errors": [each.error for each in ends if each.error],
            "next": next_message(stage, one, name),
        }
