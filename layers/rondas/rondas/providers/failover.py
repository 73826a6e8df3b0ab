"""Asking for a turn until somebody gives it: one retry policy, then the next model, all under one deadline."""

import random
import time
import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from aws_lambda_powertools.utilities.circuit_breaker import CircuitBreakerOpenError

from rondas.history import Entry, Turn, current_rounds
from rondas.interrupt import OutOfTime
from rondas.model import ModelUnavailable
from rondas.providers import Provider
from rondas.providers.breaker import ProcessState, guarded
from rondas.providers.errors import ProviderError

ATTEMPTS = 3
"""For one model and one turn."""

ATTEMPTS_WITH_OTHERS = 2
"""Where another model can be asked: one failure may be a hiccup, after two the other has the better chance."""

FIRST_WAIT_SECONDS = 0.5

WORTH_STARTING_SECONDS = 1.0
"""A model call that has less than this cannot end in time, so it is not paid for."""

SHARE = 2 / 3
"""Of the time that is left, for a model that has others behind it: a silent one must not take it all."""


class Failover:
    """The models of an app in their order, as the one `rondas.model.Model` the loop asks.

    Args:
        providers: the models by name, the first one asked first.
        on_failure: is told of each model that could not give a turn, for the operator.
        clock: seconds on a monotonic clock.
        sleep: waits for seconds.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        *,
        on_failure: Callable[[ProviderError], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._providers = providers
        self._on_failure = on_failure
        self._clock = clock
        self._sleep = sleep
        circuits = ProcessState()
        self._guarded = {name: guarded(self._ask, f"{name} {uuid.uuid4()}", circuits) for name in providers}

    def reply(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Asks the models one after the other; see `rondas.model.Model.reply`.

        A model that keeps failing is skipped for a while; where no other answers, it gets its chance all the same.
        """
        until = self._clock() + seconds
        waiting = deque((name, self._guarded[name]) for name in self._order(history))
        cause = ""
        while waiting:
            name, ask = waiting.popleft()
            left = until - self._clock()
            try:
                return ask(name, history, left * SHARE if waiting else left, closing, alone=not waiting)
            except CircuitBreakerOpenError:
                waiting.append((name, self._ask))
            except ProviderError as error:
                cause = str(error)
                self._on_failure(error)
        raise ModelUnavailable(cause)

    def _order(self, history: Sequence[Entry]) -> list[str]:
        """Puts first the model that wrote the last round of this message: it is up, and its cache is warm."""
        writers = [done.turn.model for done in current_rounds(history) if done.turn.model in self._providers]
        return sorted(self._providers, key=lambda name: name != (writers or [""])[-1])

    def _ask(self, name: str, history: Sequence[Entry], seconds: float, closing: str | None, *, alone: bool) -> Turn:
        """Asks one model, again where that makes sense. Its silence is a failure where another can still be asked."""
        until = self._clock() + seconds
        try:
            attempts = ATTEMPTS if alone else ATTEMPTS_WITH_OTHERS
            return self._persist(self._providers[name], history, until, closing, attempts=attempts)
        except OutOfTime:
            silent = ProviderError(name, "no answer in its time", retryable=False)
            if alone:
                self._on_failure(silent)
                raise
            raise silent from None

    def _persist(
        self, provider: Provider, history: Sequence[Entry], until: float, closing: str | None, *, attempts: int
    ) -> Turn:
        attempt = 0
        while True:
            try:
                return provider.turn(history, seconds=until - self._clock(), closing=closing)
            except ProviderError as error:
                wait = _wait(error, attempt)
                attempt += 1
                fits = self._clock() + wait + WORTH_STARTING_SECONDS <= until
                if not (error.retryable and fits and attempt < attempts):
                    raise
            self._sleep(wait)


def _wait(error: ProviderError, attempt: int) -> float:
    """Returns the seconds before the next attempt: what the provider asked for, else doubling with jitter."""
    if error.retry_after is not None:
        return error.retry_after
    return FIRST_WAIT_SECONDS * 2**attempt * random.uniform(0.75, 1.0)
