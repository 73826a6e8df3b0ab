"""One monotonic deadline for everything a run does.

0 ── work: model calls, tools, retries ── work_until ── closing call ── until ── last write ── over ── way back
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

type Clock = Callable[[], float]
"""Seconds on a monotonic clock."""

GATEWAY_SECONDS = 29.0
"""API Gateway gives up on the function after this long, whatever the function's own timeout is."""

STORE_RESERVE_SECONDS = 2.0
"""Kept free at the end for the last write and the way back through the runtime."""

WAY_BACK_SECONDS = 0.5
"""The end of the store reserve, in which nothing is done but to hand the answer back."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The deadlines of a run, in seconds on `clock`.

    Attributes:
        work_until: when it stops to start work.
        until: when its closing call is over.
        over: when its last write is done, and nothing is left to do but to hand the answer back.
        clock: where the time comes from.
    """

    work_until: float
    until: float
    over: float
    clock: Clock = time.monotonic

    @classmethod
    def start(
        cls,
        seconds: float,
        closing_reserve: float,
        remaining: float | None = None,
        clock: Clock = time.monotonic,
        *,
        gateway: float = GATEWAY_SECONDS,
    ) -> "Budget":
        """Starts the clock of one run.

        Args:
            seconds: the time budget of a run.
            closing_reserve: the end of the budget in which nothing but the closing call starts; where it would be all
                of a budget, a third of it.
            remaining: seconds until the runtime ends the process; None where nothing does.
            clock: where the time comes from.
            gateway: seconds after which nobody waits for the answer any more, whatever the runtime allows.
        """
        most = min(seconds, gateway - STORE_RESERVE_SECONDS)
        if closing_reserve >= most:  # a run that may never work is of no use
            closing_reserve = most / 3
        limit = gateway if remaining is None else min(remaining, gateway)
        whole = max(0.0, min(seconds, limit - STORE_RESERVE_SECONDS))
        now = clock()
        over = now + min(whole + STORE_RESERVE_SECONDS, limit) - WAY_BACK_SECONDS
        return cls(now + whole - closing_reserve, now + whole, over, clock)

    def only(self, seconds: float) -> "Budget":
        """Returns the budget of somebody who works for so many seconds at most, and leaves the closing to others."""
        until = min(self.until, self.clock() + seconds)
        return replace(self, work_until=until, until=until)

    def work_left(self) -> float:
        """Returns the seconds in which work may still run; 0 when the closing reserve has begun."""
        return max(0.0, self.work_until - self.clock())

    def over_in(self) -> float:
        """Returns the seconds until the last write has to be done; never negative."""
        return max(0.0, self.over - self.clock())

    def left(self) -> float:
        """Returns the seconds until the run has to be over; never negative."""
        return max(0.0, self.until - self.clock())
