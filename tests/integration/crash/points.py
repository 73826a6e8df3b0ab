"""The points of a run at which it may be killed or put to sleep: counted as they come, so that new ones are covered."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Collection

type Deed = Callable[[], None]
type Fate = Callable[[Deed | None], None]
"""What happens at the chosen point. It is given the deed of the point: the half of a step that is done before dying."""


class Points:
    """The points of one process, in the order in which it comes past them.

    Args:
        chosen: the points at which `fate` strikes, by number or by name.
        fate: what happens there.

    Attributes:
        passed: the names of the points so far.
        fate: as given; it may be set later.
    """

    def __init__(self, chosen: Collection[int | str] = (), fate: Fate | None = None) -> None:
        self.passed: list[str] = []
        self._chosen = chosen
        self.fate: Fate | None = fate or die
        self._times = Counter[str]()

    def reach(self, what: str, when: str, deed: Deed | None = None) -> None:
        """Comes past a point, or not."""
        if when == "before":
            self._times[what] += 1
        number, name = len(self.passed), f"{when} {what} {self._times[what]}"
        self.passed.append(name)
        if self.fate and (number in self._chosen or name in self._chosen):
            self.fate(deed)


def die(deed: Deed | None = None) -> None:
    """Ends the process as a crash does: no `finally`, no `except`, nothing flushed."""
    if deed:
        deed()
    os.kill(os.getpid(), signal.SIGKILL)
