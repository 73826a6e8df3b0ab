"""The bench itself, with the two peers that need no packages beyond the tests' own."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.environments import Environments
from bench.lineup import FLOOR, PEERS, RONDAS
from bench.phases import crash, double, store, warm
from bench.stage import Stage, stage

BOTH = {name: PEERS[name] for name in (FLOOR, RONDAS)}


@pytest.fixture(scope="module")
def scene(dynamodb_local: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    environments = Environments(tmp_path_factory.mktemp("bench"), Path(sys.executable))
    environments.lay_out()
    with stage(environments, dynamodb_local) as made:
        yield made


def test_warm_messages_are_timed(scene: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ROUNDS": (1,), "WARM_UP": 0, "QUICK_REPEATS": 1}.items():
        monkeypatch.setattr(warm, name, value)
    found = warm.measure(scene, BOTH, quick=True)
    assert found.keys() == BOTH.keys()
    assert all(found[name]["1"]["cpu_ms"] > 0 and found[name]["1"]["wall_ms"] > 0 for name in BOTH)


def test_requests_of_a_message_are_counted_and_do_not_grow(scene: Stage) -> None:
    found = store.measure(scene, BOTH, quick=True)
    assert found[FLOOR]["0"]["operations"] == {"Query": 1, "PutItem": 1}
    empty, long = found[RONDAS]["0"], found[RONDAS]["100"]
    # ten rounds without effects
    assert empty["requests"] <= long["requests"] <= 10 + 4
    assert 0 < empty["write_units"] <= long["write_units"] <= empty["write_units"] + 4
    assert long["read_units"] > 0


def test_who_sends_twice_is_counted(scene: Stage) -> None:
    found = double.measure(scene, BOTH, quick=True)
    assert (found[RONDAS]["model_calls"], found[RONDAS]["answered"]) == (3, 2)
    assert found[FLOOR]["model_calls"] == 6


def test_a_process_is_killed_in_its_sixth_model_call(scene: Stage) -> None:
    found = crash.measure(scene, {FLOOR: PEERS[FLOOR]}, quick=True)[FLOOR]
    assert found["killed_in_call"] == crash.KILLED_AFTER + 1
    # It has stored nothing by then
    assert found["next"] == {"answered": True, "error": "", "results": 0, "questions": 0}
    assert found["same"]["model_calls"] == crash.ROUNDS + 1
