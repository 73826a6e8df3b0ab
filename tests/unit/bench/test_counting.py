"""What the bench counts: imports, units, tokens, what two requests have in common."""

import json
from typing import Any

import pytest
from bench.account import Account
from bench.model import ModelServer, pairing_problem
from bench.phases.cold import import_tree
from bench.phases.context import shared_beginning, summed_up
from hypothesis import given
from hypothesis import strategies as st


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_what_two_texts_have_in_common_ends_where_they_differ(one: str, other: str) -> None:
    same = shared_beginning(one, other)
    assert one[:same] == other[:same]
    assert same == min(len(one), len(other)) or one[same] != other[same]


def body(*texts: str, cached: bool = False) -> bytes:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if cached:
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
    messages = [{"role": "user", "content": [block]} for block in blocks]
    return json.dumps({"model": "m", "tools": [], "system": "s", "messages": messages}).encode()


def test_a_mark_of_what_to_cache_is_not_read_and_what_is_cached_is_paid_at_a_tenth() -> None:
    # Given a conversation that only grows, with a mark that moves on, and the same one without
    long, longer = "a" * 3_000, "b" * 3_000
    marked = summed_up([[body(long, cached=True)], [body(long, longer, cached=True)]])
    plain = summed_up([[body(long)], [body(long, longer)]])
    # Then both are the same tokens, and the second request shares the first one's
    assert marked["tokens"] == plain["tokens"]
    assert marked["cached_tokens"] == plain["cached_tokens"] == pytest.approx(1_000, abs=60)
    # And only where it is asked for is less paid
    assert plain["paid_tokens"] == plain["tokens"]
    assert marked["paid_tokens"] == pytest.approx(marked["tokens"] - 0.9 * marked["cached_tokens"])


def test_a_beginning_that_changes_shares_nothing_after_the_change() -> None:
    found = summed_up([[body("x" * 3_000)], [body("y" + "x" * 3_000)]])
    assert found["cached_share"] < 0.05


def test_units_are_counted_of_one_table_and_of_several() -> None:
    account = Account()
    account.note("Query", b"12", b'{"Items":[],"ConsumedCapacity":{"TableName":"t","CapacityUnits":2.5}}')
    two = [{"TableName": "t", "CapacityUnits": 4.0}, {"TableName": "u", "CapacityUnits": 2.0}]
    account.note("TransactWriteItems", b"123", json.dumps({"ConsumedCapacity": two}).encode())
    assert account.take() == {
        "operations": {"Query": 1, "TransactWriteItems": 1},
        "requests": 2,
        "bytes_sent": 5,
        "bytes_received": len('{"Items":[]}') + len("{}"),
        "read_units": 2.5,
        "write_units": 6.0,
    }
    assert account.take()["requests"] == 0


def test_imports_are_summed_up_by_package() -> None:
    said = (
        "import time: self [us] | cumulative | imported package\n"
        "import time:       100 |        100 |   anthropic.types.message\n"
        "import time:       900 |       1000 | anthropic\n"
        "import time:       300 |        300 |     rondas.store.table\n"
        "import time:        50 |         50 | json.decoder\n"
        "something else\n"
    )
    assert import_tree(said) == {"anthropic": 1.0, "rondas.store": 0.3, "(Python's own library)": 0.05}


def call(name: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "lookup", "input": {}}]}


def result(name: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": "x"}]}


def test_a_history_is_refused_whose_calls_and_results_do_not_belong_together() -> None:
    asked: dict[str, Any] = {"role": "user", "content": "hello"}
    assert pairing_problem([asked, call("a"), result("a"), call("b"), result("b")]) is None
    assert pairing_problem([asked, call("a"), asked])
    assert pairing_problem([asked, result("a")])
    assert pairing_problem([asked, call("a")])


def test_the_model_asks_for_as_many_rounds_as_the_person_names_and_for_none_where_tools_are_off() -> None:
    def stop(*messages: dict[str, Any], **more: Any) -> str:
        answer = ModelServer().answer(json.dumps({"messages": messages, **more}).encode())
        assert answer
        return json.loads(answer[2])["stop_reason"]

    asked: dict[str, Any] = {"role": "user", "content": "rounds=1"}
    assert stop(asked) == "tool_use"
    assert stop(asked, call("a"), result("a")) == "end_turn"
    assert stop(asked, tool_choice={"type": "none"}) == "end_turn"
    assert stop(asked, call("a"), result("a"), asked) == "tool_use"
