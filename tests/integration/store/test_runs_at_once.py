"""Many messages of one person at the same moment, on AWS's own engine: never more runs than allowed (rule S1)."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TYPE_CHECKING

import pytest
from doubles import FakeClock
from engine.dynamodb_local import connect
from tables import create_table

from rondas.history import Answer, Usage
from rondas.loop import Ending
from rondas.store.allowance import Allowance, TooManyRuns
from rondas.store.claim import Message
from rondas.store.conversations import Conversations
from rondas.store.items import Keys
from rondas.store.run import ClaimedRun
from rondas.store.table import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

CAP = 3
COMING = 8
BURSTS = 12
ANSWER = Answer("Done", usage=Usage(90, 0, 10))


@pytest.fixture
def client(dynamodb_local: str) -> "DynamoDBClient":
    return connect(dynamodb_local)


def test_bursts_of_messages_never_get_more_runs_than_allowed(
    client: "DynamoDBClient", say: Callable[[str], None]
) -> None:
    # Given a person who may have three runs, and eight conversations of theirs
    create_table(client, "at-once")
    table, clock = Table("at-once", client), FakeClock()
    conversations = Conversations(table, 10_000, clock, allowance=Allowance(daily_tokens=10**6, runs=CAP))
    together = Barrier(COMING)
    answered = 0

    def come(burst: int, number: int) -> ClaimedRun | None:
        together.wait()
        try:
            claimed = conversations.claim(Message("ana", f"c{number}", f"k{burst}", "hello"), seconds=20)
        except TooManyRuns:
            return None
        assert isinstance(claimed, ClaimedRun)
        return claimed

    def end(run: ClaimedRun) -> None:
        run.finish(Ending(ANSWER))

    with ThreadPoolExecutor(COMING) as threads:
        for burst in range(BURSTS):
            # When all come at the same moment
            came = list(threads.map(come, [burst] * COMING, range(COMING)))
            running = [run for run in came if run]
            # Then as many as may be are taken, and the others refused, whether or not earlier ones have died
            assert len(running) == CAP
            if burst % 3 == 2:
                clock.advance(22)
                continue
            # And those can all end at the same moment, each counted
            list(threads.map(end, running))
            answered += CAP
    (usage,) = table.get([Keys("ana", "c0").usage("19700101")])
    assert usage is not None
    assert usage["tokens"] == {"N": str(answered * ANSWER.usage.total)}
    say(f"runs at once: {BURSTS} bursts of {COMING} messages of one person, {CAP} taken of each")
