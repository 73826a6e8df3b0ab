"""The sign of life of a run that may take minutes: given again and again while it works, gone when its process is."""

import logging
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

logger = logging.getLogger(__name__)

BEAT_SECONDS = 20.0
"""A run that takes no more than this never needs one."""

LIFE_SECONDS = 60
"""How long a sign of life holds. Two may be lost before anybody takes the run over."""


@contextmanager
def beating(beat: Callable[[], None], every: float = BEAT_SECONDS) -> Generator[None]:
    """Calls `beat` in a thread of its own every so many seconds for as long as the block lasts.

    One that fails is made good by the next one: whether the run may still write is for its writes to find out.
    """
    over = threading.Event()

    def run() -> None:
        while not over.wait(every):
            try:
                beat()
            except Exception as error:  # noqa: BLE001 - a beat that is lost must not end the others
                logger.warning("no sign of life: %s", type(error).__name__)

    thread = threading.Thread(target=run, name="pulse", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
