"""Asking for a turn until somebody gives it: one retry policy, then the next model, all under the deadline."""

import logging
import random
import time
from collections.abc import Callable, Sequence

from rondas.history import Entry, Turn
from rondas.interrupt import OutOfTime
from rondas.model import ModelUnavailable
from rondas.providers import Provider
from rondas.providers.errors import ProviderError

logger = logging.getLogger(__name__)

ATTEMPTS = 3
"""For one model and one turn; beyond that the next model has the better chance."""

FIRST_WAIT_SECONDS = 0.5

WORTH_STARTING_SECONDS = 1.0
"""A model call that has less than this cannot end in time, so it is not paid for."""


class Failover:
    """The models of an app in their order, as the one `rondas.model.Model` the loop asks."""

    def __init__(
        self,
        providers: Sequence[Provider],
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._providers = providers
        self._clock = clock
        self._sleep = sleep

    def reply(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Asks the models one after the other; see `rondas.model.Model.reply`."""
        until = self._clock() + seconds
        cause = ""
        for provider in self._providers:
            try:
                return self._ask(provider, history, until, closing)
            except ProviderError as error:
                cause = error.cause
                logger.warning("model failed: %s", cause)
        raise ModelUnavailable(cause)

    def _ask(self, provider: Provider, history: Sequence[Entry], until: float, closing: str | None) -> Turn:
        for attempt in range(ATTEMPTS):
            try:
                return provider.turn(history, seconds=until - self._clock(), closing=closing)
            except ProviderError as error:
                wait = _wait(error, attempt)
                if not error.retryable or attempt + 1 == ATTEMPTS or not self._fits(wait, until):
                    raise
                self._sleep(wait)
        raise OutOfTime  # not reached: the last attempt returns or raises

    def _fits(self, wait: float, until: float) -> bool:
        return self._clock() + wait + WORTH_STARTING_SECONDS <= until


def _wait(error: ProviderError, attempt: int) -> float:
    """Returns the seconds before the next attempt: what the provider asked for, else doubling with jitter."""
    if error.retry_after is not None:
        return error.retry_after
    return FIRST_WAIT_SECONDS * 2**attempt * random.uniform(0.75, 1.0)
