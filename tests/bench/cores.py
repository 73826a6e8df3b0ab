"""Two processors, apart: peers run on one, as a small Lambda does; what they ask has the other."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache

_KNOWS_CORES = hasattr(os, "sched_setaffinity")  # not on macOS


@cache
def _cores() -> tuple[int, int]:
    mine = sorted(os.sched_getaffinity(0))
    return mine[0], mine[-1]


@contextmanager
def on_servers_core() -> Generator[None]:
    """Keeps this thread, and the processes and threads that it starts, on the servers' processor."""
    with _on(0):
        yield


@contextmanager
def on_peers_core() -> Generator[None]:
    """The same for the peers'."""
    with _on(1):
        yield


@contextmanager
def on_any_core() -> Generator[None]:
    """Takes the bound off, where nothing is timed."""
    with _on(0, 1):
        yield


@contextmanager
def _on(*which: int) -> Generator[None]:
    if not _KNOWS_CORES:
        yield
        return
    cores = {_cores()[each] for each in which}
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
