"""A message in a process that has answered some: processor and wall time, by the rounds of tools it takes."""

from collections.abc import Mapping
from contextlib import ExitStack
from statistics import median

from bench.lineup import Peer
from bench.stage import Stage, question
from bench.worker import Json

ROUNDS = (0, 1, 5, 10)
WARM_UP = 2
REPEATS = 32
QUICK_REPEATS = 3


def measure(stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
    """Returns for each peer and number of rounds the medians of `cpu_ms` and `wall_ms`.

    Each message continues a conversation that holds one message and its answer. The peers take turns.
    """
    repeats = QUICK_REPEATS if quick else REPEATS
    taken: dict[str, dict[int, list[tuple[float, float]]]] = {name: {n: [] for n in ROUNDS} for name in peers}
    stage.clear()
    with ExitStack() as started:
        workers = stage.workers(peers, started)
        for repeat in range(WARM_UP + repeats):
            for rounds in ROUNDS:
                for name, worker in workers.items():
                    conversation = f"{name}-{repeat}-{rounds}"
                    worker.turn(conversation, question(0))
                    done = worker.turn(conversation, question(rounds))
                    if repeat >= WARM_UP:
                        taken[name][rounds].append((done.cpu_ms, done.wall_ms))
    return {
        name: {str(rounds): _medians(times) for rounds, times in by_rounds.items()} for name, by_rounds in taken.items()
    }


def _medians(times: list[tuple[float, float]]) -> Json:
    return {"cpu_ms": median(cpu for cpu, _ in times), "wall_ms": median(wall for _, wall in times)}
