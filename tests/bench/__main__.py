"""Rondas and its peers, side by side: `make bench` (QUICK=1, PEERS=rondas,raw_sdk, PHASES=warm,cold).

All of it is measured in one run, on the same model server and the same DynamoDB Local. A whole run writes
`tests/bench/results` and the README's table; any other writes to `.rondas/bench/results`.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from engine.dynamodb_local import running
from engine.package import EngineMissing, engine_folder

from bench.cores import on_servers_core
from bench.environments import Environments
from bench.lineup import PEERS, Peer
from bench.phases import cold, warm
from bench.stage import Json, PeerError, Stage, stage


class Measure(Protocol):
    """A phase."""

    def __call__(self, stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
        """Returns its figures."""
        ...


PHASES: dict[str, Measure] = {"warm": warm.measure, "cold": cold.measure}


def main() -> None:
    """Measures what the command line asks for."""
    options = _options()
    peers = {name: PEERS[name] for name in options.peers}
    environments = Environments()
    environments.make({peer.environment for peer in peers.values()} | {"rondas"})
    results: Json = {}
    with on_servers_core(), running(engine_folder()) as url, stage(environments, url) as scene:
        for phase in options.phases:
            started = time.monotonic()
            results[phase] = PHASES[phase](scene, peers, quick=options.quick)
            print(f"{phase}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    print(json.dumps(results, indent=1))


def _options() -> argparse.Namespace:
    def some_of(known: Mapping[str, object]) -> Callable[[str], list[str]]:
        def read(text: str) -> list[str]:
            names = [name for name in text.replace(",", " ").split() if name] or list(known)
            if unknown := [name for name in names if name not in known]:
                raise argparse.ArgumentTypeError(f"{unknown[0]}: there is {', '.join(known)}")
            return names

        return read

    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--peers", type=some_of(PEERS), default=list(PEERS))
    parser.add_argument("--phases", type=some_of(PHASES), default=list(PHASES))
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except (EngineMissing, PeerError) as error:
        sys.exit(str(error))
