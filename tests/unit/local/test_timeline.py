"""The bars that show where the time of a message went."""

from local.timeline import WIDTH, Timeline
from rondas.history import ToolCall, ToolResult, Turn

CALL = ToolCall("c1", "read_goals")
RESULT = ToolResult("c1", "none")


def test_each_round_is_a_bar_to_the_scale_of_the_longest() -> None:
    # Given a message with one round
    timeline = Timeline()
    timeline.begin()
    timeline.on_store(0.5)
    timeline.on_turn(Turn(calls=(CALL,)), 2)
    timeline.on_result(CALL, RESULT, 1)
    timeline.on_store(1)
    timeline.on_turn(Turn("Done."), 1)
    # When it is drawn
    claim, first, answer, legend = timeline.lines()
    # Then model, tools and store stand one after the other, and the longest bar is the widest
    assert claim == f"{'claim':<9}{'░' * 5:<{WIDTH}}  500 ms"
    assert first == f"{'round 1':<9}{'█' * 20}{'▒' * 10}{'░' * 10}   4.0 s"
    assert answer == f"{'answer':<9}{'█' * 10:<{WIDTH}}   1.0 s"
    assert legend == f"{'':<9}█ model 3.0 s  ▒ tools 1.0 s  ░ store 1.5 s"


def test_a_turn_that_is_declined_or_never_comes_is_no_round() -> None:
    timeline = Timeline()
    timeline.begin()
    timeline.on_turn(Turn(calls=(CALL,)), 1)
    timeline.on_turn(None, 1)
    assert [line.split("█")[0].strip() for line in timeline.lines()[:2]] == ["declined", "no turn"]


def test_a_message_that_was_answered_before_has_no_bars() -> None:
    timeline = Timeline()
    timeline.begin()
    timeline.on_store(0.1)
    assert timeline.lines() == []
