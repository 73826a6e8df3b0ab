"""A model that decides from what it is shown and from nothing else, as a real one does.

Every turn carries the name of the question it answers, and its calls have ids that no other turn has.
"""

import json
import re
from collections.abc import Sequence

from rondas.history import Entry, Round, ToolCall, Turn, Usage, UserMessage
from rondas.store.claim import Message

USAGE = Usage(10, 0, 5)
NAME = "fake:model"

_MESSAGE = re.compile(r"(\S+): take (\d+) steps")
_TURN = re.compile(r"step (\d+) of (\S+) by (\S+)|answer to (\S+) by (\S+)")


def message(conversation: str, key: str, steps: int = 3) -> Message:
    """Returns a message that the model answers after so many rounds of two calls."""
    return Message("ana", conversation, key, f"{key}: take {steps} steps, please")


def next_turn(shown: Sequence[Entry], ask: str) -> Turn:
    """Returns the turn that comes next; the middle one of the steps has an effect.

    Args:
        shown: what the model is shown.
        ask: the name of the question.
    """
    at = max(index for index, entry in enumerate(shown) if isinstance(entry, UserMessage))
    key, steps = asked_for(shown[at])
    step = 1 + sum(isinstance(entry, Round) for entry in shown[at:])
    if step > steps:
        return Turn(f"answer to {key} by {ask}", usage=USAGE, model=NAME)
    second = "save" if step == steps // 2 + 1 else "look"
    calls = tuple(
        ToolCall(f"{ask}-{tool}{number}", tool, json.dumps({"what": f"{key}/{step}"}))
        for number, tool in enumerate(("look", second))
    )
    return Turn(f"step {step} of {key} by {ask}", calls, usage=USAGE, model=NAME)


def asked_for(entry: Entry) -> tuple[str, int]:
    """Returns the key and the number of steps that a person's message names."""
    found = _MESSAGE.match(entry.text) if isinstance(entry, UserMessage) else None
    if not found:
        raise ValueError(f"the model is shown what nobody wrote: {entry}")
    return found[1], int(found[2])


def question_of(text: str) -> str:
    """Returns the question that a turn or an answer was the reply to; empty for the harness's own sentences."""
    found = _TURN.match(text)
    return (found[3] or found[5]) if found else ""


def step_of(text: str) -> tuple[int, str]:
    """Returns which step of which message a turn is."""
    found = _TURN.match(text)
    return (int(found[1]), found[2]) if found and found[1] else (0, "")
