"""Why a run is closed although the model would go on."""

from collections.abc import Sequence
from dataclasses import dataclass

from rondas.history import Round, Status

SAME_ROUNDS = 3
"""So many rounds running with the same calls and the same results are a model that is stuck (rule L9)."""

CUT_TURNS = 2
"""So many turns running that were cut off while asking for tools will not get shorter by themselves (case 18)."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit that was reached: the status of the run, and a finer word for it where there is one."""

    status: Status
    reason: str = ""


STEPS = Limit("step_limit")
TIME = Limit("time_limit")
STOP = Limit("stopped")
"""The person asked for it: nothing more is spent, not even on closing words."""
REPEATING = Limit("step_limit", "repeating")
CUT_OFF = Limit("truncated", "cut_off")


def stuck(rounds: Sequence[Round]) -> Limit | None:
    """Returns the limit that the last rounds have reached because more of them would lead nowhere."""
    cut = rounds[-CUT_TURNS:]
    if len(cut) == CUT_TURNS and all(done.turn.stop == "truncated" for done in cut):
        return CUT_OFF
    same = rounds[-SAME_ROUNDS:]
    if len(same) == SAME_ROUNDS and same[0].turn.calls and len(set(map(_fingerprint, same))) == 1:
        return REPEATING
    return None


def _fingerprint(done: Round) -> tuple[tuple[str, str, str], ...]:
    pairs = zip(done.turn.calls, done.results, strict=True)
    return tuple((call.name, call.arguments, result.text) for call, result in pairs)
