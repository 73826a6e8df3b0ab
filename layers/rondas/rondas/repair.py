"""Mends a history that is damaged, or that somebody else wrote, so that every provider accepts it (rule S8).

What this program stores needs no mending: a round holds its calls and results together. What a careless hand or another
program leaves behind is mended on every read, by order, and no words are lost; a good history is left as it is.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, UserMessage
from rondas.replies import INTERRUPTED

EARLIER = "(The beginning of this conversation is not shown.)"
"""Stands for the person's message where a history would not start with one."""

ORPHAN = "unknown_call"
"""The name under which a result is shown whose call is lost."""


@dataclass(frozen=True, slots=True)
class Repaired:
    """A history that every provider accepts, and how many entries had to be mended for it."""

    history: list[Entry]
    mended: int


def repaired(history: Sequence[Entry]) -> Repaired:
    """Returns the history, mended where that is necessary; good entries are the same objects.

    - every call has one result, in the order of the calls; a missing one is said to be unknown;
    - a result without a call gets one, so that it stays what it is: something a tool said;
    - what says nothing is left out;
    - an answer that more rounds follow is put into the words of the next round's turn, for no call may stand behind it;
    - the first word is a person's.
    """
    whole = [_round(entry) if isinstance(entry, Round) else entry for entry in history]
    said = [entry for entry in whole if _says_something(entry)]
    joined = _joined(said)
    known = {id(entry) for entry in joined}
    lost = sum(id(entry) not in known for entry in history)
    return Repaired(joined, lost or abs(len(joined) - len(history)))


def _round(done: Round) -> Round:
    asked, given = done.turn.calls, done.results
    if [call.id for call in asked] == [result.call_id for result in given]:
        return done
    left = list(given)
    results = [_taken(call, left) for call in asked]
    orphans = [ToolCall(result.call_id or f"orphan_{number}", ORPHAN) for number, result in enumerate(left)]
    turn = replace(done.turn, calls=(*asked, *orphans), opaque=None if orphans else done.turn.opaque)
    named = (replace(result, call_id=call.id) for call, result in zip(orphans, left, strict=True))
    return Round(turn, (*results, *named))


def _taken(call: ToolCall, left: list[ToolResult]) -> ToolResult:
    """Takes the first result that names the call."""
    for result in left:
        if result.call_id == call.id:
            left.remove(result)
            return result
    return ToolResult(call.id, INTERRUPTED, "unknown")


def _says_something(entry: Entry) -> bool:
    match entry:
        case UserMessage(text) | Answer(text):
            return bool(text.strip())
        case Round(turn):
            return bool(turn.text.strip() or turn.calls or turn.opaque)


def _joined(history: Iterable[Entry]) -> list[Entry]:
    joined: list[Entry] = []
    for entry in history:
        if isinstance(entry, Round):
            entry = _after(_answers_at_the_end(joined), entry)  # noqa: PLW2901
        joined.append(entry)
    if joined and not isinstance(joined[0], UserMessage):
        joined.insert(0, UserMessage(EARLIER))
    return joined


def _answers_at_the_end(joined: list[Entry]) -> list[str]:
    """Takes the answers off the end, and returns their words."""
    words: list[str] = []
    while joined and isinstance(last := joined[-1], Answer):
        words.insert(0, last.text)
        joined.pop()
    return words


def _after(words: list[str], done: Round) -> Round:
    """Puts words before those of a turn; what the provider kept of it no longer fits then."""
    if not words:
        return done
    text = "\n\n".join(part for part in (*words, done.turn.text) if part.strip())
    return replace(done, turn=replace(done.turn, text=text, opaque=None))
