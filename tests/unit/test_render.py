"""Whatever a tool returns, the model sees what the result model names, in valid JSON, or that it failed (rule L10)."""

import datetime as dt
import itertools
import json
import logging
import subprocess
import sys
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from rondas.history import ToolCall, ToolResult
from rondas.toolbox import Toolbox
from rondas.tools import Arguments, ToolContext, tool

PASSWORD = "hunter2"


class Nothing(Arguments):
    pass


class Loose(BaseModel):
    value: Any = None
    name: str = "bench press"


class Exact(BaseModel):
    numbers: list[float]
    note: str | None = None


class Color(Enum):
    RED = "red"


class Hidden(Loose):
    password: str = PASSWORD


class Open(Loose):
    model_config = ConfigDict(extra="allow")


class Nested(BaseModel):
    inner: Loose


class Lazy(BaseModel):
    numbers: Iterable[int]


def shown(returned: Any, *, result: type[BaseModel] = Loose, effect: bool = False, limit: int = 1000) -> ToolResult:
    """Runs a tool annotated with `result` that returns what it should not, perhaps."""

    def answer(_arguments: Nothing) -> BaseModel:
        """Answers."""
        return returned

    answer.__annotations__["return"] = result
    return Toolbox([tool(effect=effect)(answer)], max_chars=limit).run(
        ToolCall("id", "answer"), ToolContext("ana", "key", 5)
    )


def value_shown(value: Any) -> Any:
    """Returns what the model sees of a value in a field that takes anything."""
    result = shown(Loose(value=value))
    assert result.outcome == "done", result
    return json.loads(result.text, parse_constant=lambda constant: pytest.fail(f"{constant} is no JSON")).get("value")


def letters() -> Iterator[str]:
    yield from "abc"


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        pytest.param(letters(), ["a", "b", "c"], id="a generator"),
        pytest.param({"squat", "bench", "press"}, ["bench", "press", "squat"], id="a set"),
        pytest.param(frozenset({2, 1}), [1, 2], id="a frozen set"),
        pytest.param(Decimal("82.50"), "82.50", id="a Decimal"),
        pytest.param(Decimal("NaN"), None, id="a Decimal that is no number"),
        pytest.param(float("nan"), None, id="NaN"),
        pytest.param([-0.0, 82.5], [0, 82.5], id="floats"),
        pytest.param([1.5, float("-inf"), 2], [1.5, None, 2], id="infinity keeps the places in a list"),
        pytest.param({"weight": float("nan"), "sets": None, "reps": 5}, {"reps": 5}, id="no nulls in a dict"),
        pytest.param(b"caf\xc3\xa9", "café", id="bytes of text"),
        pytest.param(bytes(range(256)), "[binary data: 256 characters left out]", id="binary bytes"),
        pytest.param(bytearray(b"ab"), "ab", id="a bytearray"),
        pytest.param(memoryview(b"ab"), "ab", id="a memoryview"),
        pytest.param(None, None, id="None"),
        pytest.param((1, "a"), [1, "a"], id="a tuple"),
        pytest.param(range(3), [0, 1, 2], id="a range"),
        pytest.param(deque([1, 2]), [1, 2], id="a deque"),
        pytest.param(
            {1: "one", dt.date(2026, 1, 2): "day"}, {"1": "one", "2026-01-02": "day"}, id="names that are none"
        ),
        pytest.param(dt.datetime(2026, 1, 2, 3, 4, tzinfo=dt.UTC), "2026-01-02T03:04:00Z", id="a moment"),
        pytest.param(dt.timedelta(minutes=90), "PT1H30M", id="a duration"),
        pytest.param(uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001", id="a UUID"),
        pytest.param(Path("/a/b"), "/a/b", id="a path"),
        pytest.param(Color.RED, "red", id="an enum"),
        pytest.param(SecretStr(PASSWORD), "**********", id="a secret"),
        pytest.param("\\u0000 is six characters", "\\u0000 is six characters", id="an escape that is text"),
        pytest.param("a\x00\x1b[31mb\x07c\u200bd\u202ee\ud83d", "abcde?", id="control characters"),
        pytest.param({"a\x00b": 1}, {"ab": 1}, id="control characters in a name"),
        pytest.param("<p>Lie on the <b>bench</b>.</p>", "Lie on the bench.", id="HTML"),
        pytest.param("reps < 5 and kg > 100", "reps < 5 and kg > 100", id="a text with a < in it"),
    ],
)
def test_a_value_that_json_does_not_know_becomes_one_it_knows(value: Any, seen: Any) -> None:
    # Given a value in a field that takes anything; when the model sees it, then it is plain JSON
    assert value_shown(value) == seen


def endless() -> Loose:
    circle: list[Any] = []
    circle.append(circle)
    return Loose(value=circle)


def circular() -> Loose:
    result = Loose()
    result.value = result
    return result


def deep(levels: int) -> Loose:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return Loose(value=value)


def failing() -> Iterator[str]:
    yield "a"
    raise RuntimeError(f"password={PASSWORD}")


class Rude:
    def __repr__(self) -> str:
        return PASSWORD

    __str__ = __repr__


@pytest.mark.parametrize("effect", [False, True])
@pytest.mark.parametrize(
    ("result", "returned"),
    [
        pytest.param(Loose, lambda: None, id="None"),
        pytest.param(Loose, lambda: PASSWORD, id="a text"),
        pytest.param(Loose, lambda: b"\xff", id="bytes"),
        pytest.param(Loose, letters, id="a generator"),
        pytest.param(Loose, lambda: {PASSWORD}, id="a set"),
        pytest.param(Loose, lambda: Decimal(1), id="a Decimal"),
        pytest.param(Loose, lambda: float("nan"), id="NaN"),
        pytest.param(Loose, lambda: Nested(inner=Loose()), id="another model"),
        pytest.param(Exact, lambda: {"numbers": PASSWORD}, id="a dict that does not fit"),
        pytest.param(Exact, lambda: Exact.model_construct(numbers=PASSWORD), id="a model that was never validated"),
        pytest.param(Loose, endless, id="a list in itself"),
        pytest.param(Loose, circular, id="a model in itself"),
        pytest.param(Loose, lambda: deep(100), id="nested deep"),
        pytest.param(Loose, lambda: deep(100_000), id="nested too deep for Python"),
        pytest.param(Loose, lambda: Loose(value=itertools.count()), id="numbers without end"),
        pytest.param(Lazy, lambda: Lazy(numbers=itertools.count()), id="declared numbers without end"),
        pytest.param(Loose, lambda: Loose(value=failing()), id="a generator that fails"),
        pytest.param(Loose, lambda: Loose(value=Rude()), id="an object of no known kind"),
    ],
)
def test_what_cannot_be_shown_is_the_tools_own_fault_and_said_so(
    result: type[BaseModel], returned: Any, effect: bool, caplog: pytest.LogCaptureFixture
) -> None:
    # Given a tool that returns what its result model does not describe, or nothing JSON can say; when it is called
    with caplog.at_level(logging.DEBUG):
        answer = shown(returned(), result=result, effect=effect)
    # Then the model knows that it ran, nobody claims that nothing happened, and the log says which tool
    assert answer.outcome == ("unknown" if effect else "failed")
    assert "its result cannot be shown" in answer.text
    assert "test_render.shown.<locals>.answer" in caplog.text
    assert PASSWORD not in answer.text + caplog.text


def test_a_whole_number_is_written_short_and_a_vast_one_too() -> None:
    assert shown(Loose(value=[80.0, 1e300])).text == '{"value":[80,1e+300],"name":"bench press"}'


def test_a_dict_that_fits_the_result_model_is_taken_for_it() -> None:
    # Given a tool that returns a dict against its types; when it is called, then it is read as the model
    assert shown({"numbers": {"1"}, "note": None, "password": PASSWORD}, result=Exact).text == '{"numbers":[1]}'


@pytest.mark.parametrize(
    ("result", "returned"),
    [
        pytest.param(Loose, Hidden(value=1), id="a subclass"),
        pytest.param(Nested, Nested(inner=Hidden(value=1)), id="a subclass within"),
        pytest.param(Loose, Open.model_validate({"value": 1, "password": PASSWORD}), id="fields beside"),
    ],
)
def test_what_the_result_model_does_not_name_is_dropped(result: type[BaseModel], returned: BaseModel) -> None:
    # Given a result that holds more than its model names; when it is shown, then only that goes out
    text = shown(returned, result=result).text
    assert '"value":1' in text
    assert "password" not in text


def test_fields_go_by_the_names_the_result_model_gives_them() -> None:
    class Period(BaseModel):
        model_config = ConfigDict(serialize_by_alias=True)
        since: dt.date = Field(serialization_alias="from")
        internal: str = Field(default="x", exclude=True)

    assert shown(Period(since=dt.date(2026, 1, 2)), result=Period).text == '{"from":"2026-01-02"}'


def test_five_megabytes_are_valid_json_within_the_limit() -> None:
    # Given a tool that returns five megabytes, in many items and in one text
    sets = [{"exercise": "squat", "weight_kg": number / 2} for number in range(40_000)]
    returned = Loose(value={"sets": sets, "notes": "x" * 3_500_000})
    # When it is called
    text = shown(returned, limit=2000).text
    # Then the model sees the beginning of each, and how much is missing
    value = json.loads(text)["value"]
    assert len(text) <= 2000
    assert value["sets"][0] == {"exercise": "squat", "weight_kg": 0}
    assert f"of {len(sets)} items left out" in value["sets"][-1]
    assert "of 3500000 characters left out" in value["notes"]


def test_a_set_is_shown_in_the_same_order_in_every_process() -> None:
    # Given a set of texts, whose order Python shuffles anew in each process
    program = (
        "from rondas.render import rendered; from pydantic import BaseModel; from types import SimpleNamespace\n"
        "class R(BaseModel): value: set[str]\n"
        "print(rendered(SimpleNamespace(result=R, more=''), R(value={'a','b','c','d','e'}), 999))"
    )
    # When it is shown in two processes
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    # Then both texts are the same, as prompt caches need them
    assert runs[0] == runs[1] == b'{"value":["a","b","c","d","e"]}\n'
