"""Runs one adapter: `worker.py bench.peers.NAME`. One JSON command a line comes in, one JSON answer a line goes out.

Nothing is imported before the adapter that it would not need itself: its start is measured.
"""

import os
import sys

out = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # what a framework prints goes with the errors


def main(adapter: str) -> None:
    """Serves until the input ends."""
    agent = __import__(adapter, fromlist=["Agent"]).Agent()
    out.write("ready\n")  # the clock of the cold start stops here

    import json
    import resource
    import time

    usage = resource.getrusage(resource.RUSAGE_SELF)
    start = {"ready_cpu_ms": 1000 * (usage.ru_utime + usage.ru_stime), "rss_mb": usage.ru_maxrss / 1024}
    out.write(json.dumps(start) + "\n")
    for line in sys.stdin:
        command = json.loads(line)
        answer = {}
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            answer["answer"] = getattr(agent, command.pop("do"))(**command)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is an answer
            answer["error"] = f"{type(error).__name__}: {error}"
        answer["wall_ms"] = 1000 * (time.perf_counter() - wall)
        answer["cpu_ms"] = 1000 * (time.process_time() - cpu)
        out.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
