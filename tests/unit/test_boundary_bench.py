"""What the boundary spares the model over ten rounds (see `bench.boundary`)."""

import json

from bench.boundary import play, report, sent


def test_ten_rounds_cost_a_fraction_of_what_stands_behind_the_tools() -> None:
    # Given ten rounds of a coach's tools; when they run
    shown = play()
    # Then every result is JSON, and the model is sent less than a fifth of what it would be sent without the boundary
    assert all(json.loads(result.on) for result in shown)
    assert sent([result.on for result in shown]) < sent([result.off for result in shown]) / 5


def test_ten_results_can_be_read_on_one_screen() -> None:
    text = report()
    assert len(text.splitlines()) < 30
    assert max(map(len, text.splitlines())) < 300
