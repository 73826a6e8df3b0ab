"""What a message asks of DynamoDB, by what the conversation holds already: requests, bytes, units."""

from collections.abc import Mapping

from bench.account import Account, kept
from bench.lineup import Peer
from bench.stage import Stage, each, question
from bench.worker import Json, PeerError, Worker

ENTRIES = (0, 100, 1_000, 10_000)
QUICK_ENTRIES = ENTRIES[:2]
ROUNDS = 10
ERROR_CHARS = 200


def measure(stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
    """Returns for each peer and number of stored entries the account of a message with ten rounds of tools.

    An entry is what a person has said, or the answer to it. Beside the account stand `cpu_ms`, and `model_bytes`, the
    size of the last request to the model. A peer that cannot bear so many entries has an `error` in their place.
    """
    sizes = QUICK_ENTRIES if quick else ENTRIES

    def accounts(stage: Stage, name: str, peer: Peer) -> Json:
        with kept(stage.dynamodb_url) as account, stage.worker(name, peer, dynamodb_url=account.url) as worker:
            worker.turn(f"{name}-other", question(1))
            return {str(entries): _account(stage, worker, account, entries) for entries in sizes}

    return each(stage, peers, accounts)


def _account(stage: Stage, worker: Worker, account: Account, entries: int) -> Json:
    conversation = f"{worker.name}-{entries}"
    try:
        if entries:  # the last message before the measured one is answered, as those before it once were
            worker.must("seed", conversation=conversation, questions=[question(0)] * (entries // 2 - 1))
            worker.turn(conversation, question(0))
        account.take()
        stage.model.take()
        done = worker.turn(conversation, question(ROUNDS))
    except PeerError as error:
        return {"error": str(error).splitlines()[0][:ERROR_CHARS]}
    return {**account.take(), "cpu_ms": done.cpu_ms, "model_bytes": len(stage.model.take()[-1])}
