"""Skips a model that keeps failing, for a while: Powertools' circuit breaker, with its state in this process.

A shared state would cost a read for every message; a process learns soon enough, and pays for three failures at most.
"""

from collections.abc import Callable
from typing import Any, cast

from aws_lambda_powertools.utilities import circuit_breaker as powertools
from aws_lambda_powertools.utilities.circuit_breaker import CircuitBreakerConfig
from aws_lambda_powertools.utilities.circuit_breaker.persistence import CircuitStateRecord
from aws_lambda_powertools.utilities.circuit_breaker.persistence.base import (
    CircuitBreakerExistingLockError,
    CircuitBreakerPersistenceLayer,
)

from rondas.providers.errors import RequestRejected

FAILURES = 3
SKIPPED_SECONDS = 30

CONFIG = CircuitBreakerConfig(
    failure_threshold=FAILURES,
    recovery_timeout=SKIPPED_SECONDS,
    success_threshold=1,
    ignored_exceptions=RequestRejected,  # says something about the message, nothing about the model
    local_cache_max_age=0,
)


class ProcessState(CircuitBreakerPersistenceLayer):
    """The state of the circuits, kept where everything else of the process is."""

    def __init__(self) -> None:
        super().__init__()
        self._records: dict[str, CircuitStateRecord] = {}

    def _get_record(self, name: str) -> CircuitStateRecord | None:
        return self._records.get(name)

    def _put_record(
        self, record: CircuitStateRecord, condition: str | None = None, expected_opened_at: int | None = None
    ) -> None:
        stored = self._records.get(record.name)
        if condition and (stored is None or stored.opened_at != expected_opened_at or stored.half_open_owner):
            raise CircuitBreakerExistingLockError
        self._records[record.name] = record

    def _update_record(self, record: CircuitStateRecord) -> None:
        self._records[record.name] = record


def guarded[**P, T](ask: Callable[P, T], name: str, state: ProcessState) -> Callable[P, T]:
    """Returns `ask` behind the circuit called `name`.

    What is returned raises `CircuitBreakerOpenError` in place of asking while the circuit is open.
    """
    guard: Callable[[Callable[P, T]], Callable[P, T]] = cast("Any", powertools).circuit_breaker(
        name=name, persistence_store=state, config=CONFIG
    )
    return guard(ask)
