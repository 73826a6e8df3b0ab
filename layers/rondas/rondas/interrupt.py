"""Stops code that does not come back: a tool that blocks, a model server that drips one byte a second.

Timeouts of sockets and libraries bound one operation each, not the whole. The timer signal of the operating system
bounds the whole: it breaks into whatever the main thread is doing, sleeping and waiting for the network included.
Python delivers signals to the main thread only, which is where the Lambda runtime calls the handler; in another
thread the block runs unguarded, bounded by its own timeouts alone.
"""

import ctypes
import functools
import signal
import sys
import threading
import time
from types import FrameType
from typing import ClassVar, Self

_AGAIN_SECONDS = 0.1  # code that swallows the interruption is interrupted again
_SOON_SECONDS = 1e-6  # a timer of zero would be none
_THREADS_END_SECONDS = 0.2


class OutOfTime(BaseException):
    """The time for this piece of work is over.

    Not an `Exception`, so that a tool's or an SDK's `except Exception` cannot swallow it.
    """


class out_of_time_after:  # noqa: N801 - reads as `with out_of_time_after(3): ...`
    """Raises `OutOfTime` in the block once `seconds` have passed; at once where none are left.

    A block may stand in another: the inner one has at most the time of the outer one. Threads that a stopped block has
    started are stopped too, as far as Python can: where they compute, not while they wait in C. A pool of threads that
    is to outlive a block has to be started outside of any.

    The process's handler of SIGALRM is taken for good, and so is a hook that sees every thread start.

    The block should end with something other than a loop: CPython may deliver a signal at the jump that closes one,
    past the block's end and before its `__exit__`.

    Attributes:
        innermost: the block that an alarm ends; None also while the timer is being set.
        deadline: when this block is over, on the monotonic clock.
        threads: those that the block has started, and those that these have.
    """

    innermost: ClassVar["out_of_time_after | None"] = None

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._guards = threading.current_thread() is threading.main_thread()
        self._outer: out_of_time_after | None = None
        self.deadline = 0.0
        self.threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        if self._seconds <= 0:
            raise OutOfTime
        if self._guards:
            _watch_threads()
            self._outer = out_of_time_after.innermost
            self.deadline = time.monotonic() + self._seconds
            if self._outer:
                self.deadline = min(self.deadline, self._outer.deadline)
            out_of_time_after.innermost = None
            self.arm()
            out_of_time_after.innermost = self
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if not self._guards:
            return
        out_of_time_after.innermost = None  # here and now: in a function of its own it would be too late
        stop_alarm()
        if kind is OutOfTime:
            _end([thread for thread in self.threads if thread.is_alive()])
        if self._outer:
            self._outer.arm()
            out_of_time_after.innermost = self._outer

    def arm(self) -> None:
        """Sets the timer for this block."""
        signal.signal(signal.SIGALRM, _ring)
        signal.setitimer(signal.ITIMER_REAL, max(_SOON_SECONDS, self.deadline - time.monotonic()), _AGAIN_SECONDS)


_EDGES = (out_of_time_after.__enter__.__code__, out_of_time_after.__exit__.__code__)


def _ring(_signal: int, frame: FrameType | None) -> None:
    # Raised at the edges of a block, it would leave the timer running; it rings again, or is stopped a line later.
    if out_of_time_after.innermost and not (frame and frame.f_code in _EDGES):
        raise OutOfTime


def stop_alarm() -> None:
    """Stops whatever alarm is set: nothing of one message may ring in the next."""
    if threading.current_thread() is threading.main_thread():
        out_of_time_after.innermost = None
        signal.setitimer(signal.ITIMER_REAL, 0)


@functools.cache
def _watch_threads() -> None:
    """From now on, notes which block a thread comes from; a thread itself does not know who started it."""

    def note(event: str, arguments: tuple[object, ...]) -> None:
        block = out_of_time_after.innermost if event == "_thread.start_joinable_thread" else None
        thread = getattr(arguments[0], "__self__", None) if block else None
        if block and isinstance(thread, threading.Thread) and _belongs_to(block, threading.current_thread()):
            block.threads.append(thread)

    sys.addaudithook(note)


def _belongs_to(block: out_of_time_after, thread: threading.Thread) -> bool:
    return thread is threading.main_thread() or thread in block.threads


def _end(threads: list[threading.Thread]) -> None:
    """Has threads end at their next step of Python code, and waits a moment for it."""
    for thread in threads:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit))
    deadline = time.monotonic() + _THREADS_END_SECONDS
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
