"""What the boundary spares the model over ten rounds (see `bench.boundary`)."""

import json

from bench.boundary import SCRIPT, play, report, sent


def test_ten_rounds_cost_a_fraction_of_what_the_tools_have_read() -> None:
    # Given ten rounds of the coach's tools; when they run
    results = play()
    # Then every result is JSON, and the model is sent less than a fifth of what was read for it
    assert len(results) == len(SCRIPT) == 10
    assert all(json.loads(result.on) and json.loads(result.off) for result in results)
    assert sent([result.on for result in results]) < sent([result.off for result in results]) / 5


def test_ten_results_can_be_read_on_one_screen() -> None:
    text = report()
    assert len(text.splitlines()) < 30
    assert max(map(len, text.splitlines())) < 300
