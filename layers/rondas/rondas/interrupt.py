"""Stops code that does not come back: a tool that blocks, a model server that drips one byte a second.

Timeouts of sockets and libraries bound one operation each, not the whole. The timer signal of the operating system
bounds the whole: it breaks into whatever the main thread is doing, sleeping and waiting for the network included.
Python delivers signals to the main thread only, which is where the Lambda runtime calls the handler; in another
thread the block runs unguarded, bounded by its own timeouts alone.
"""

import signal
import threading
from types import FrameType
from typing import Self

_AGAIN_SECONDS = 0.1  # code that swallows the interruption is interrupted again


class OutOfTime(BaseException):
    """The time for this piece of work is over.

    Not an `Exception`, so that a tool's or an SDK's `except Exception` cannot swallow it.
    """


class out_of_time_after:  # noqa: N801 - reads as `with out_of_time_after(3): ...`
    """Raises `OutOfTime` in the block once `seconds` have passed; at once where none are left. Does not nest.

    The block should end with something other than a loop: CPython may deliver a signal at the jump that closes one,
    past the block's end and before its `__exit__`.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._guards = threading.current_thread() is threading.main_thread()
        self._armed = False

    def __enter__(self) -> Self:
        if self._seconds <= 0:
            raise OutOfTime
        if self._guards:
            self._armed = True
            signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, self._seconds, _AGAIN_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._armed = False
        stop_alarm()

    def _ring(self, _signal: int, frame: FrameType | None) -> None:
        # Raised within these two, it would leave the timer running; it rings again, or is stopped on the next line.
        within = frame is not None and frame.f_code in (type(self).__enter__.__code__, type(self).__exit__.__code__)
        if self._armed and not within:
            raise OutOfTime


def stop_alarm() -> None:
    """Stops whatever alarm is set: nothing of one message may ring in the next."""
    if threading.current_thread() is threading.main_thread():
        signal.setitimer(signal.ITIMER_REAL, 0)
