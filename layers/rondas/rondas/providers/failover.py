"""Asking for a turn until somebody gives it: one retry policy, then the next model, all under one deadline."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from math import inf

from rondas.history import Entry, Turn, current_rounds
from rondas.interrupt import OutOfTime
from rondas.model import ModelUnavailable
from rondas.providers import Provider
from rondas.providers.errors import ProviderError, RequestRejected
from rondas.watcher import Mishap

ATTEMPTS = 3
"""For one model and one turn."""

ATTEMPTS_WITH_OTHERS = 2
"""Where another model can be asked: one failure may be a hiccup, after two the other has the better chance."""

FIRST_WAIT_SECONDS = 0.5

PATIENCE_SECONDS = 2.0
"""The longest wait for a model where another one can be asked at once."""

ASKED_LAST_SECONDS = 30.0
"""How long a model that failed is asked after the others."""

WORTH_STARTING_SECONDS = 1.0
"""A model call that has less than this cannot end in time, so it is not paid for."""

SHARE = 2 / 3
"""Of the time that is left, for a model that has others behind it: a silent one must not take it all."""


class Failover:
    """The models of an app in their order, as the one `rondas.model.Model` the loop asks.

    Args:
        providers: the models by name, the first one asked first.
        on_failure: is told of each model that could not give a turn, for the operator.
        on_mishap: is told when a model is asked again, and when another one is.
        clock: seconds on a monotonic clock.
        sleep: waits for seconds.
    """

    def __init__(
        self,
        providers: Mapping[str, Provider],
        *,
        on_failure: Callable[[ProviderError], None] = lambda _: None,
        on_mishap: Callable[[Mishap], None] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._providers = providers
        self._on_failure = on_failure
        self._on_mishap = on_mishap
        self._clock = clock
        self._sleep = sleep
        self._failed_at: dict[str, float] = {}

    def reply(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Asks the models one after the other; see `rondas.model.Model.reply`.

        A model that has failed is asked last for a while: it costs nobody's time unless no other answers.
        """
        until = self._clock() + seconds
        waiting = self._order(history)
        cause = ""
        while waiting:
            name = waiting.pop(0)
            left = until - self._clock()
            if left <= 0:
                raise OutOfTime
            try:
                return self._ask(name, history, left * SHARE if waiting else left, closing, alone=not waiting)
            except ProviderError as error:
                cause = str(error)
                self._note(error, name)
                if waiting:
                    self._on_mishap("failover")
        raise ModelUnavailable(cause)

    def _order(self, history: Sequence[Entry]) -> list[str]:
        """Puts last what failed of late, and first the model of this message's last round, whose cache is warm."""
        writer = next((done.turn.model for done in reversed(current_rounds(history))), "")
        recent = self._clock() - ASKED_LAST_SECONDS
        failing = {name for name, failed_at in self._failed_at.items() if failed_at > recent}
        return sorted(self._providers, key=lambda name: (name in failing, name != writer))

    def _note(self, error: ProviderError, name: str) -> None:
        self._on_failure(error)
        if not isinstance(error, RequestRejected):  # which says something of the message, and nothing of the model
            self._failed_at[name] = self._clock()

    def _ask(self, name: str, history: Sequence[Entry], seconds: float, closing: str | None, *, alone: bool) -> Turn:
        """Asks one model, again where that makes sense. Its silence is a failure where another can still be asked."""
        until = self._clock() + seconds
        try:
            return self._persist(self._providers[name], history, until, closing, alone=alone)
        except OutOfTime:
            silent = ProviderError(name, "no answer in its time", retryable=False)
            if alone:
                self._note(silent, name)
                raise
            raise silent from None

    def _persist(
        self, provider: Provider, history: Sequence[Entry], until: float, closing: str | None, *, alone: bool
    ) -> Turn:
        left, patience = (ATTEMPTS, inf) if alone else (ATTEMPTS_WITH_OTHERS, PATIENCE_SECONDS)
        wait = FIRST_WAIT_SECONDS
        while True:
            try:
                return provider.turn(history, seconds=until - self._clock(), closing=closing)
            except ProviderError as error:
                left -= 1
                pause = error.retry_after if error.retry_after is not None else wait * random.uniform(0.75, 1.0)
                fits = pause <= patience and self._clock() + pause + WORTH_STARTING_SECONDS <= until
                if not (error.retryable and left and fits):
                    raise
            self._on_mishap("retry")
            self._sleep(pause)
            wait *= 2
