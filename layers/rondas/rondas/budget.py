"""One monotonic deadline for everything a run does.

0 ── work: model calls, tools, retries ── work_until ── closing call ── until ── last write ── over ── way back
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

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
    """When a run has to stop starting work, and when it has to be over, in seconds on `clock`."""

    work_until: float
    until: float
    clock: Clock = time.monotonic

    @classmethod
    def start(
        cls, seconds: float, closing_reserve: float, remaining: float | None = None, clock: Clock = time.monotonic
    ) -> "Budget":
        """Starts the clock of one run.

        Args:
            seconds: the time budget of a run.
            closing_reserve: the end of the budget in which nothing but the closing call starts.
            remaining: seconds until the runtime ends the process; None where nothing does.
            clock: where the time comes from.
        """
        limit = GATEWAY_SECONDS if remaining is None else min(remaining, GATEWAY_SECONDS)
        until = clock() + max(0.0, min(seconds, limit - STORE_RESERVE_SECONDS))
        return cls(until - closing_reserve, until, clock)

    def work_left(self) -> float:
        """Returns the seconds in which work may still run; 0 when the closing reserve has begun."""
        return max(0.0, self.work_until - self.clock())

    def over_in(self) -> float:
        """Returns the seconds until the last write has to be done; never negative."""
        return max(0.0, self.until + STORE_RESERVE_SECONDS - WAY_BACK_SECONDS - self.clock())

    def left(self) -> float:
        """Returns the seconds until the run has to be over; never negative."""
        return max(0.0, self.until - self.clock())
