"""A start: a new process until it can answer, and until it has answered; and which imports take the time."""

import re
import sys
from collections import Counter
from collections.abc import Mapping
from statistics import median

from bench.lineup import IMPORTS, RONDAS, STARTS, Peer
from bench.stage import Stage, question
from bench.worker import Json

REPEATS = 5
MOST_IMPORTS = 15
TREES = 3
"""Of which the cheapest is shown: what disturbs a start makes it only dearer."""

_IMPORT = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")


def measure(stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
    """Returns medians: `peers` until ready and until the first answer, `functions` beside their bare `imports`.

    Bytecode is there, and the files are in the system's cache: what is measured is Python's own work. The processes
    take turns, and the first start of each does not count; quick, it is the only one.
    """
    repeats = 1 if quick else 1 + REPEATS
    stage.clear()
    has_rondas = RONDAS in peers
    taken: dict[str, dict[str, list[Json]]] = {
        "peers": {name: [] for name in peers},
        "functions": {name: [] for name in STARTS if has_rondas},
        "imports": {name: [] for name in IMPORTS if has_rondas},
    }
    everybody = {"peers": peers, "functions": STARTS, "imports": IMPORTS}
    for repeat in range(repeats):
        for kind, runs in taken.items():
            for name, times in runs.items():
                times.append(_start(stage, name, everybody[kind][name], repeat, answers=kind == "peers"))
    found: Json = {
        kind: {name: _medians(times[1:] or times) for name, times in runs.items()} for kind, runs in taken.items()
    }
    return {**found, "import_tree": _cheapest_tree(stage) if has_rondas else {}}


def _cheapest_tree(stage: Stage) -> dict[str, float]:
    trees = [import_tree(stage.start_up_imports(STARTS["chat, anthropic"])) for _ in range(TREES)]
    return min(trees, key=lambda tree: sum(tree.values()))


def _start(stage: Stage, name: str, peer: Peer, repeat: int, *, answers: bool) -> Json:
    with stage.worker(name, peer) as worker:
        if not answers:
            return worker.start
        first = worker.turn(f"{name}-{repeat}", question(1))
        return {**worker.start, "answered_ms": worker.start["ready_ms"] + first.wall_ms}


def _medians(runs: list[Json]) -> Json:
    return {key: median(run[key] for run in runs) for key in runs[0]}


def import_tree(said: str) -> dict[str, float]:
    """Returns the dearest imports of a start in milliseconds, whole packages and of Rondas each module, dearest first.

    Args:
        said: what Python says with `-X importtime`.
    """
    costs: Counter[str] = Counter()
    for microseconds, module in _IMPORT.findall(said):
        costs[_group(module)] += int(microseconds)
    return {name: cost / 1000 for name, cost in costs.most_common(MOST_IMPORTS)}


def _group(module: str) -> str:
    top, _, rest = module.partition(".")
    if top in sys.stdlib_module_names or top in {"site", "encodings"}:
        return "(Python's own library)"
    return f"{top}.{rest.partition('.')[0]}" if rest and top in {"rondas", "google", "coach"} else top
