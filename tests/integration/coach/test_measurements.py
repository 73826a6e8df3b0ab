import json
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any, get_args

import pytest

from coach import table
from coach.measurements import FACTORS, MEASURES, Kind, Unit
from rondas.history import ToolResult

type Ask = Callable[..., ToolResult]
type SetClock = Callable[[str], None]
type Json = dict[str, Any]

WEIGHT: Json = {"kind": "body_weight", "value": 82.5, "unit": "kg"}


def record(ask: Ask, **arguments: Any) -> Json:
    result = ask("record_measurement", **(WEIGHT | arguments))
    assert result.outcome == "done", result.text
    return json.loads(result.text)


def measurements(ask: Ask, **arguments: Any) -> list[Json]:
    return json.loads(ask("read_measurements", **arguments).text)["measurements"]


def items(user: str = "ana") -> list[str]:
    return list(table.read(user, "B#", "B$"))


def test_a_measurement_is_recorded_and_read_back(ask: Ask) -> None:
    saved = {"saved": True, "kind": "body_weight", "date": "2026-11-30", "value": 82.5, "unit": "kg"}
    assert record(ask) == saved
    assert measurements(ask) == [{"kind": "body_weight", "unit": "kg", "value": 82.5, "date": "2026-11-30"}]


def test_nothing_measured_is_an_answer(ask: Ask) -> None:
    answer: Json = {"today": "2026-11-30", "measurements": []}
    assert json.loads(ask("read_measurements").text) == answer | {"note": "No measurement is on record."}
    assert json.loads(ask("read_measurements", kind="waist").text) == answer | {"note": "No waist is on record."}


@pytest.mark.parametrize(
    ("said", "stored", "metric"),
    [
        (("body_weight", 185, "lb"), 185 * 0.45359237, "83.91 kg"),
        (("waist", 33.5, "in"), 33.5 * 2.54, "85.09 cm"),
        (("height", 1.78, "m"), 178, "178 cm"),
        (("height", 178, "cm"), 178, None),
        (("body_fat", 18.5, "%"), 18.5, None),
        (("resting_heart_rate", 58, "bpm"), 58, None),
    ],
)
def test_what_is_stored_is_metric_and_what_is_shown_is_what_was_said(
    ask: Ask, said: tuple[str, float, str], stored: float, metric: str | None
) -> None:
    saved = record(ask, **dict(zip(("kind", "value", "unit"), said, strict=True)))
    assert (saved["kind"], saved["value"], saved["unit"], saved.get("metric")) == (*said, metric)
    assert json.loads(items()[0])["value"] == pytest.approx(stored, rel=1e-15)
    assert measurements(ask)[0]["value"] == said[1]


def test_the_value_before_is_told_in_the_unit_of_this_one(ask: Ask) -> None:
    record(ask, value=80, key="c1/1/a", date="2026-11-01")
    saved = record(ask, value=180, unit="lb", key="c1/2/a")
    assert (saved["previous"], saved["previous_date"]) == (176.37, "2026-11-01")


def test_the_change_is_from_the_last_value_before_the_period(ask: Ask) -> None:
    for number, (day, kg) in enumerate(
        [("2026-09-01", 90), ("2026-10-31", 85), ("2026-11-05", 86), ("2026-11-29", 83)]
    ):
        record(ask, value=kg, date=day, key=f"c1/{number}/a")
    (weight,) = measurements(ask, period="this_month")
    assert (weight["value"], weight["date"], weight["change"]) == (83.0, "2026-11-29", -2.0)
    assert (weight["change_from"], weight["change_starts"]) == ("2026-10-31", "before the period")
    assert "values" not in weight


def test_where_there_is_none_before_the_first_one_in_the_period_is_the_start(ask: Ask) -> None:
    record(ask, value=86, date="2026-11-05", key="c1/1/a")
    record(ask, value=83, date="2026-11-29", key="c1/2/a")
    (weight,) = measurements(ask, period="this_month")
    assert (weight["change"], weight["change_from"], weight["change_starts"]) == (-3.0, "2026-11-05", "in the period")


def test_a_value_older_than_the_period_is_told_without_a_change(ask: Ask) -> None:
    record(ask, kind="height", value=178, unit="cm", date="2019-01-01", key="c1/1/a")
    record(ask, kind="height", value=178.5, unit="cm", date="2020-01-01", key="c1/2/a")
    assert measurements(ask) == [{"kind": "height", "unit": "cm", "value": 178.5, "date": "2020-01-01"}]


def test_a_period_that_is_over_ends_with_its_last_value(ask: Ask) -> None:
    record(ask, value=85, date="2026-10-31", key="c1/1/a")
    record(ask, value=83, date="2026-11-29", key="c1/2/a")
    assert measurements(ask, period="last_month")[0]["value"] == 85


def test_the_change_is_told_in_the_unit_used_last(ask: Ask) -> None:
    record(ask, value=100, unit="kg", date="2026-11-01", key="c1/1/a")
    record(ask, value=215, unit="lb", date="2026-11-20", key="c1/2/a")
    (weight,) = measurements(ask, kind="body_weight", period="this_month")
    assert (weight["unit"], weight["change"]) == ("lb", -5.46)
    assert weight["values"] == [{"date": "2026-11-20", "value": 215.0}, {"date": "2026-11-01", "value": 220.46}]


def test_of_two_of_a_day_the_one_recorded_later_is_the_last(ask: Ask, set_clock: SetClock) -> None:
    set_clock("2026-11-30T07:00")
    record(ask, value=82, key="c1/9/z")
    set_clock("2026-11-30T21:00")
    record(ask, value=83, key="c1/10/a")
    assert measurements(ask)[0]["value"] == 83


def test_with_a_kind_the_newest_twenty_values_are_listed_and_the_rest_is_counted(ask: Ask) -> None:
    for number in range(25):
        day = str(date(2026, 11, 30) - timedelta(days=number))
        record(ask, value=80 + number / 10, date=day, key=f"c1/{number}/a")
    record(ask, kind="waist", value=85, unit="cm", key="c1/99/a")
    (weight,) = measurements(ask, kind="body_weight")
    assert (len(weight["values"]), weight["left_out"]) == (20, 5)
    assert weight["values"][0] == {"date": "2026-11-30", "value": 80.0}
    assert {line["kind"] for line in measurements(ask)} == {"body_weight", "waist"}


def test_a_call_that_runs_again_records_nothing_again(ask: Ask, set_clock: SetClock) -> None:
    # Given
    record(ask, value=84, date="2026-11-20", key="c1/1/a")
    first = ask("record_measurement", **WEIGHT, key="c1/2/a")
    # When the run is resumed after midnight
    set_clock("2026-12-01")
    again = ask("record_measurement", **WEIGHT, key="c1/2/a")
    # Then
    assert again == first
    assert len(items()) == 2


def test_two_calls_record_two_also_when_they_are_alike(ask: Ask) -> None:
    record(ask, key="c1/1/a")
    record(ask, key="c1/1/b")
    assert len(items()) == 2


def test_nobody_sees_the_measurements_of_another(ask: Ask) -> None:
    record(ask, user="ana")
    assert measurements(ask, user="eva") == []
    assert "previous" not in record(ask, user="eva", value=60)


def test_every_kind_has_units_that_can_be_converted_and_limits_that_make_sense() -> None:
    assert set(MEASURES) == set(get_args(Kind))
    assert set(FACTORS) == set(get_args(Unit))
    assert all(set(measure.units) <= set(FACTORS) and measure.least < measure.most for measure in MEASURES.values())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"unit": "cm"}, "unit: body_weight is not measured in cm; expected kg or lb"),
        ({"value": 8250}, "value: Input should be less than or equal to 1000"),
        ({"value": 825}, "825 kg is no body_weight a person can have; expected 20 to 500 kg"),
        ({"value": 30, "unit": "lb"}, "expected 44.09 to 1102.31 lb"),
        ({"kind": "height", "value": 178, "unit": "m"}, "expected 0.5 to 2.75 m"),
        ({"value": 0}, "value: Input should be greater than 0"),
        ({"value": -80}, "value: Input should be greater than 0"),
        ({"value": "inf"}, "value: Input should be a finite number"),
        ({"kind": "aura"}, "kind: Input should be 'body_weight', 'body_fat'"),
        ({"unit": "stone"}, "unit: Input should be 'kg', 'lb'"),
        ({"date": "2026-12-02"}, "date: 2026-12-02 is in the future"),
        ({"date": "1900-01-01"}, "date: 1900-01-01 is too long ago"),
    ],
)
def test_a_wrong_argument_is_named_and_nothing_is_recorded(ask: Ask, arguments: Json, said: str) -> None:
    result = ask("record_measurement", **(WEIGHT | arguments))
    assert result.outcome == "failed"
    assert said in result.text
    assert items() == []
