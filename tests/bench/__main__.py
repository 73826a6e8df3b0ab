"""Rondas and its peers, side by side: `make bench` (QUICK=1, PEERS=rondas,raw_sdk, PHASES=warm,cold).

All of it is measured in one run, on the same model server and the same DynamoDB Local. A whole run writes
`tests/bench/results` and the README's table; any other writes to `.rondas/bench/results`.
"""

import argparse
import sys
import time
from collections.abc import Collection, Mapping
from functools import partial
from typing import Protocol

from engine.dynamodb_local import running
from engine.package import EngineMissing, engine_folder

from bench.cores import on_servers_core
from bench.environments import Environments
from bench.lineup import PEERS, TIMED_ONLY, Peer
from bench.phases import cold, context, crash, double, limit, store, warm
from bench.report import report
from bench.results import about, write
from bench.stage import Stage, stage
from bench.worker import Json, PeerError


class Measure(Protocol):
    """A phase."""

    def __call__(self, stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
        """Returns its figures."""
        ...


PHASES: dict[str, Measure] = {
    "warm": warm.measure,
    "cold": cold.measure,
    "store": store.measure,
    "context": context.measure,
    "limit": limit.measure,
    "crash": crash.measure,
    "double": double.measure,
}

TIMED = ("warm", "cold")
QUICK = ("warm", "cold", "store", "context", "limit")
"""What a quick run measures unless told otherwise: the rest has to wait for leases to run out."""


def main() -> None:
    """Measures what the command line asks for."""
    options = _options()
    peers = {name: PEERS[name] for name in options.peers}
    environments = Environments()
    names = {peer.environment for peer in peers.values()} | {"rondas"}
    results: Json = {"about": about(environments, names, quick=options.quick)}
    environments.make(names)
    with on_servers_core(), running(engine_folder()) as url, stage(environments, url) as scene:
        for phase in options.phases:
            started = time.monotonic()
            taking_part = {name: peer for name, peer in peers.items() if phase in TIMED or name not in TIMED_ONLY}
            results[phase] = PHASES[phase](scene, taking_part, quick=options.quick)
            print(f"{phase}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    print(report(results))
    whole = not options.quick and list(peers) == list(PEERS) and options.phases == list(PHASES)
    print(f"written: {write(results, whole=whole)}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--peers", type=partial(_some_of, PEERS), default="", help=", ".join(PEERS))
    parser.add_argument("--phases", type=partial(_some_of, PHASES), default="", help=", ".join(PHASES))
    parser.add_argument("--quick", action="store_true", help="few repeats, short conversations")
    options = parser.parse_args()
    options.peers = options.peers or list(PEERS)
    options.phases = options.phases or list(QUICK if options.quick else PHASES)
    return options


def _some_of(known: Collection[str], text: str) -> list[str]:
    names = text.replace(",", " ").split()
    if unknown := [name for name in names if name not in known]:
        raise argparse.ArgumentTypeError(f"{unknown[0]}: there is {', '.join(known)}")
    return [name for name in known if name in names]


if __name__ == "__main__":
    try:
        main()
    except (EngineMissing, PeerError) as error:
        sys.exit(str(error))
