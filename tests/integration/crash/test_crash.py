"""Rules S1 to S4 on AWS's own engine, with real processes that are really killed.

Each test is a program beside this file, which says in one line how far it went.
"""

from collections.abc import Callable

type Result = Callable[[str], str]
type Say = Callable[[str], None]


def test_s1_to_s4_hold_wherever_a_run_is_killed(result: Result, say: Say) -> None:
    # Given a run; when it is killed at each of its points, and the same message comes again, or another one
    said = result("sweep")
    # Then all invariants hold
    _check(said, say)


def test_s10_holds_wherever_who_hands_on_and_who_takes_up_are_killed(result: Result, say: Say) -> None:
    # Given a message that is handed on; when either runner is killed at each of its points, and the queue delivers it
    # again, or gives it up, or the app sends it again
    said = result("hand_over")
    # Then all invariants hold
    _check(said, say)


def test_s3_holds_however_a_sleeper_and_its_successor_follow_each_other(result: Result, say: Say) -> None:
    # Given a run that sleeps past its lease; when another one takes over, in every order of their requests
    said = result("overtake")
    # Then all invariants hold
    _check(said, say)


def test_s1_to_s4_hold_in_a_race_of_many(result: Result, say: Say) -> None:
    # Given many processes and few conversations; when some are killed, some late, some without a model
    said = result("race")
    # Then all invariants hold
    _check(said, say)


def _check(said: str, say: Say) -> None:
    assert said.endswith("all invariants hold")
    say(said)
