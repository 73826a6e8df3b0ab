"""Forked children: ended by a point, or put to sleep at one and woken by their parent, by events and not by time."""

import os
import selectors
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from points import Deed, Fate

type End = Literal["killed", "ended"]

PATIENCE_SECONDS = 60

_ASLEEP = b"z"
_AWAKE = b"!"


class ChildFailed(Exception):  # noqa: N818 - names what happened
    """A child ended by an exception that nobody foresaw; its traceback is on stderr."""


@dataclass
class Child:
    """A forked child and the two pipes to it: one tells that it sleeps or has ended, the other wakes it."""

    name: str
    pid: int
    status: int
    wake_up: int
    end: End | None = None

    def wake(self) -> bool:
        """Wakes it, and waits until it has ended, or sleeps again; says whether it sleeps."""
        os.write(self.wake_up, _AWAKE)
        return bool(until_quiet([self]))

    def wait(self) -> End:
        """Waits for its end."""
        if self.end:
            return self.end
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.status)
        os.close(self.wake_up)
        if code not in (0, -signal.SIGKILL):
            raise ChildFailed(f"{self.name} ended with {code}")
        self.end = "ended" if code == 0 else "killed"
        return self.end


def fork(name: str, work: Callable[[Fate], None]) -> Child:
    """Starts a child, which must be forked where no thread runs.

    Args:
        name: for messages.
        work: what it does. It is given the fate by which it can be put to sleep.
    """
    status, tell = os.pipe()
    asleep, wake_up = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        os.close(tell)
        os.close(asleep)
        return Child(name, pid, status, wake_up)

    def sleep(_deed: Deed | None) -> None:
        os.write(tell, _ASLEEP)
        os.read(asleep, 1)

    code = 1
    try:
        os.close(wake_up)
        work(sleep)
        code = 0
    except BaseException:  # noqa: BLE001 - nothing may run on as a second parent
        traceback.print_exc()
    finally:
        os._exit(code)


def in_child(name: str, work: Callable[[], None]) -> End:
    """Does something in a child and waits for its end."""
    return fork(name, lambda _sleep: work()).wait()


def until_quiet(children: Iterable[Child]) -> list[Child]:
    """Waits until each child sleeps or has ended; returns the sleeping ones."""
    asleep: list[Child] = []
    with selectors.DefaultSelector() as selector:
        for child in children:
            selector.register(child.status, selectors.EVENT_READ, child)
        while selector.get_map():
            ready = selector.select(PATIENCE_SECONDS)
            if not ready:
                raise ChildFailed("the children neither ended nor fell asleep")
            for key, _ in ready:
                child: Child = key.data
                selector.unregister(child.status)
                if os.read(child.status, 1) == _ASLEEP:
                    asleep.append(child)
                else:
                    child.wait()
    return asleep
