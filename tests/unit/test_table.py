"""The table's answers, and what the store makes of them: retries of what passes, and plain words for the rest."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from rondas.store.table import ConditionFailed, StoreUnavailable, Table

type Step = dict[str, Any] | Exception


class CancelledError(ClientError):
    """A transaction that was cancelled."""


def cancelled(*reasons: str) -> CancelledError:
    response: Any = {
        "Error": {"Code": "TransactionCanceledException"},
        "CancellationReasons": [{"Code": reason} for reason in reasons],
    }
    return CancelledError(response, "TransactWriteItems")


def client_error(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}}, "AnyOperation")


class FakeDynamoDB:
    """A client with a script."""

    class exceptions:  # noqa: N801 - the client's own attribute
        TransactionCanceledException = CancelledError

    def __init__(self, *steps: Step) -> None:
        self.calls = 0
        self._steps = list(steps)

    def _answer(self, **_: Any) -> dict[str, Any]:
        self.calls += 1
        step = self._steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return step

    transact_write_items = batch_get_item = query = _answer


def table(*steps: Step) -> tuple[Table, FakeDynamoDB]:
    client = FakeDynamoDB(*steps)
    return Table("t", cast("Any", client)), client


KEY: Any = {"pk": {"S": "p"}, "sk": {"S": "s"}}


def write(conversations: Table) -> None:
    conversations.transact([])


def read(conversations: Table) -> None:
    conversations.get([KEY])


def browse(conversations: Table) -> None:
    list(conversations.newest_first("p", "z", "a"))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waits: list[float] = []
    monkeypatch.setattr("rondas.store.table.time.sleep", waits.append)
    return waits


@pytest.mark.parametrize("reason", ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])
def test_what_passes_by_itself_is_tried_again(reason: str, no_waiting: list[float]) -> None:
    # Given a transaction that meets another one, or a throttled key, twice
    conversations, client = table(cancelled("None", reason), cancelled(reason), {})
    # When it is written, then the third attempt is
    conversations.transact([])
    assert client.calls == 3
    assert len(no_waiting) == 2


def test_it_is_not_tried_for_ever() -> None:
    conversations, client = table(*[cancelled("TransactionConflict")] * 9)
    with pytest.raises(StoreUnavailable, match="TransactionConflict"):
        conversations.transact([])
    assert client.calls == 4


def test_a_failed_condition_is_told_at_once_also_beside_a_conflict() -> None:
    conversations, client = table(cancelled("TransactionConflict", "ConditionalCheckFailed"))
    with pytest.raises(ConditionFailed):
        conversations.transact([])
    assert client.calls == 1


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (client_error("AccessDeniedException"), "AccessDeniedException"),
        (EndpointConnectionError(endpoint_url="https://x"), "EndpointConnectionError"),
        (cancelled("ValidationError"), "TransactionCanceledException"),
    ],
)
@pytest.mark.parametrize("use", [write, read, browse])
def test_whatever_else_it_says_is_a_store_that_is_not_there(
    error: Exception, word: str, use: Callable[[Table], object]
) -> None:
    conversations, _ = table(error)
    with pytest.raises(StoreUnavailable, match=word):
        use(conversations)


def test_keys_that_were_not_processed_are_read_again() -> None:
    # Given a read that brings half of what was asked for
    other: Any = {"pk": {"S": "p"}, "sk": {"S": "other"}}
    first = {"Responses": {"t": [KEY]}, "UnprocessedKeys": {"t": {"Keys": [other]}}}
    second = {"Responses": {"t": [other]}, "UnprocessedKeys": {}}
    conversations, client = table(first, second)
    # When both are read, then both are there, in the order asked
    assert conversations.get([other, KEY]) == [other, KEY]
    assert client.calls == 2


def test_keys_that_are_never_processed_end_the_patience() -> None:
    nothing = {"Responses": {}, "UnprocessedKeys": {"t": {"Keys": [KEY]}}}
    conversations, client = table(*[nothing] * 99)
    with pytest.raises(StoreUnavailable, match="UnprocessedKeys"):
        conversations.get([KEY])
    assert client.calls == 4


def test_keys_that_are_processed_at_the_last_attempt_are_there() -> None:
    # Given a read that brings nothing three times
    nothing = {"Responses": {}, "UnprocessedKeys": {"t": {"Keys": [KEY]}}}
    conversations, _ = table(*[nothing] * 3, {"Responses": {"t": [KEY]}, "UnprocessedKeys": {}})
    # When the fourth attempt brings it, then it counts
    assert conversations.get([KEY]) == [KEY]
