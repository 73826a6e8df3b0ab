"""The loop: ask the model, run what it asks for, send the results back, and know when to stop.

It knows no provider, no database and no HTTP; the ports through which it reaches the world stand beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn, Protocol

from rondas.budget import Budget
from rondas.fit import bounded, fitted
from rondas.history import (
    UNAVAILABLE,
    Answer,
    Entry,
    Round,
    Status,
    ToolCall,
    ToolResult,
    Turn,
    Usage,
    current_rounds,
    settle,
    total_usage,
)
from rondas.interrupt import OutOfTime
from rondas.limits import STEPS, STOP, TIME, Limit, stuck
from rondas.model import Model, ModelUnavailable
from rondas.replies import (
    BLANK_INSTRUCTION,
    INTERRUPTED,
    NOT_EXECUTED,
    STOPPED,
    Language,
    closing_instruction,
    fixed_reply,
)
from rondas.watcher import Watcher, Watchers

MAX_TOOL_ROUNDS = 10
"""Rounds of tools for one message: enough for real questions, few enough that a runaway is cut before it is felt."""


class Tools(Protocol):
    """The tools, in the hands of the person whose message is being answered."""

    def has_effect(self, name: str) -> bool:
        """Whether the tool changes something."""
        ...

    def run(self, call: ToolCall, *, key: str, seconds: float) -> ToolResult:
        """Runs one call; every mistake is a result. Raises `OutOfTime` if it does not come back in `seconds`."""
        ...


class Journal(Protocol):
    """Where each round is stored as it happens. Raises what its store raises, and the run ends with that."""

    @property
    def stop_asked(self) -> bool:
        """Whether the person has asked to stop, as far as the last write has seen."""
        ...

    def key(self, call: ToolCall) -> str:
        """Returns the name of a call of the coming round: the same one when the round is run again."""
        ...

    def write_ahead(self, turn: Turn) -> None:
        """Stores a turn before its calls take effect (rule S4)."""
        ...

    def append(self, done: Round) -> None:
        """Stores a round, turn and results in one write (rule S2)."""
        ...


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: the answer, and the turn whose calls were declined for it, to be stored in one write."""

    answer: Answer
    declined: Round | None = None


class Unfinished(Exception):  # noqa: N818 - a state, not a mistake
    """The run has stopped at a limit, and left the message for another to go on with."""


@dataclass(slots=True, kw_only=True)
class Loop:
    """One run: the answering of one message.

    Attributes:
        model: whom to ask.
        tools: what the model may use.
        history: the conversation up to the message; for a resumed run, with the rounds already done. Grows.
        budget: when to stop.
        journal: where the rounds are stored.
        max_rounds: rounds of tools for this message (rule L1).
        language: the person's, for the fixed replies.
        hands_on: whether somebody goes on where this run has to stop. At a limit it then asks for no closing words: it
            leaves the message as a crash would, every finished round stored, and the other resumes it.
        watcher: who looks on.
    """

    model: Model
    tools: Tools
    history: list[Entry]
    budget: Budget
    journal: Journal
    max_rounds: int = MAX_TOOL_ROUNDS
    language: Language = "en"
    hands_on: bool = False
    watcher: Watcher = field(default_factory=Watchers)
    _usage: Usage = field(init=False)
    _resumed: Turn | None = field(init=False, default=None)
    _ahead: Turn | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._usage = total_usage(current_rounds(self.history))

    def run(self, resumed: Turn | None = None) -> Ending:
        """Answers the message; whatever happens, there is an answer.

        Args:
            resumed: the turn that a crashed run had written ahead: its calls run again, under the same keys.

        Raises:
            Unfinished: with `hands_on` alone.
            Exception: only what the journal raises.
        """
        self._resumed = self._ahead = resumed
        self._usage += resumed.usage if resumed else Usage()
        try:
            if limit := self._halt():
                return self._close(limit, resumed)
            turn = resumed or self._ask()
            while _asks_for_more(turn):
                if limit := self._limit():
                    return self._leave(turn) if self.hands_on else self._close(limit, turn)
                self._append(self._execute(turn))
                if limit := self._halt():
                    return self._close(limit)
                turn = self._ask()
        except OutOfTime:
            return self._leave() if self.hands_on else self._close(TIME)
        except ModelUnavailable:
            return self._end("failed", reason=UNAVAILABLE)
        return self._finish(turn)

    # A round

    def _ask(self, closing: str | None = None) -> Turn:
        """Asks for the next turn within the working time; for closing words, until the very end."""
        seconds = self.budget.left() if closing else self.budget.work_left()
        if seconds <= 0:
            raise OutOfTime
        started = self.budget.clock()
        try:
            turn = bounded(self.model.reply(self.history, seconds=seconds, closing=closing))
        except (OutOfTime, ModelUnavailable):
            self.watcher.on_turn(None, self.budget.clock() - started)
            raise
        self._usage += turn.usage
        self.watcher.on_turn(turn, self.budget.clock() - started)
        return turn

    def _limit(self) -> Limit | None:
        if len(current_rounds(self.history)) >= self.max_rounds:
            return STEPS
        return TIME if self.budget.work_left() <= 0 else None

    def _halt(self) -> Limit | None:
        """Returns why no further round should begin, whatever limits there are."""
        return STOP if self.journal.stop_asked else stuck(current_rounds(self.history))

    def _execute(self, turn: Turn) -> Round:
        """Runs the calls of a turn one at a time, in the order asked, for two writes must not race (rule L2)."""
        if turn.stop != "end":  # only a turn that finished normally may run its tools (rule L8)
            return fitted(settle(turn, NOT_EXECUTED["cut_off"], "not_executed"))
        if turn is not self._resumed and any(self.tools.has_effect(call.name) for call in turn.calls):
            self._write_ahead(turn)
            if self.journal.stop_asked:
                return self._decline(turn, STOP)
        results: list[ToolResult] = []
        try:
            for call in turn.calls:
                if self.budget.work_left() <= 0:
                    if self.hands_on:
                        self._leave(turn)
                    break
                results.append(self._run_tool(call))
        except OutOfTime:
            if self.hands_on:  # whoever goes on runs all of them again, under the same keys
                self._leave(turn)
            raise
        return self._decline(turn, TIME, after=results)

    def _decline(self, turn: Turn, limit: Limit, *, after: Sequence[ToolResult] = ()) -> Round:
        """Answers the calls that are not run; what a crashed run had begun may have happened all the same."""
        if turn is self._resumed:
            return fitted(settle(turn, INTERRUPTED, "unknown", after=after))
        return fitted(settle(turn, NOT_EXECUTED[limit.status], "not_executed", after=after))

    def _run_tool(self, call: ToolCall) -> ToolResult:
        started = self.budget.clock()
        try:
            result = self.tools.run(call, key=self.journal.key(call), seconds=self.budget.work_left())
        except OutOfTime:
            if self.hands_on:
                raise
            result = ToolResult(call.id, STOPPED, "unknown")
        self.watcher.on_result(call, result, self.budget.clock() - started)
        return result

    def _write_ahead(self, turn: Turn) -> None:
        self.journal.write_ahead(turn)
        self._ahead = turn

    def _append(self, done: Round) -> None:
        self.journal.append(done)
        self.history.append(done)

    # The ends of a run

    def _leave(self, turn: Turn | None = None) -> NoReturn:
        """Leaves the message to another. A turn that is paid for is kept: the other begins with its calls."""
        if turn and turn.stop != "end":  # its calls are not to run, whoever goes on
            self._append(self._execute(turn))
        elif turn and turn is not self._ahead:
            self._write_ahead(turn)
        raise Unfinished

    def _finish(self, turn: Turn) -> Ending:
        """Ends with the text of the final turn, and of no other (rule L6)."""
        whole = replace(turn, text=_paused_text(current_rounds(self.history)) + turn.text)
        match turn.stop:
            case "refused":
                return self._end("refused", turn)
            case "truncated":
                return self._end("truncated", whole)
            case "end":
                return self._end("answered", whole) if whole.text.strip() else self._nudge()
            case _:
                return self._end("failed", reason="unknown stop")

    def _nudge(self) -> Ending:
        """Asks once more for words where the model ended without any (rule L9)."""
        turn = self._closing_turn(BLANK_INSTRUCTION)
        status: Status = "truncated" if turn.stop == "truncated" else "answered"
        return self._end(status if turn.text.strip() else "failed", turn, reason="blank")

    def _close(self, limit: Limit, pending: Turn | None = None) -> Ending:
        """Answers what is still asked for with a plain fact, then asks for closing words (rules L4 and L5)."""
        declined = None
        if pending and pending.calls:
            declined = self._decline(pending, limit)
            self.history.append(declined)
        turn = Turn() if limit is STOP else self._closing_turn(closing_instruction(limit.status))
        return self._end(limit.status, turn, reason=limit.reason, declined=declined)

    def _closing_turn(self, instruction: str) -> Turn:
        """Asks for words only; a turn without any stands for whatever else comes back, or nothing in time."""
        try:
            turn = self._ask(instruction)
        except OutOfTime:
            return self._leave() if self.hands_on else Turn()
        except ModelUnavailable:
            return Turn()
        return turn if turn.stop in ("end", "truncated") and not turn.calls else Turn()

    def _end(
        self, status: Status, turn: Turn | None = None, *, reason: str = "", declined: Round | None = None
    ) -> Ending:
        """Writes the answer: the model's words where there are some, else the fixed sentence for the status."""
        rounds = sum(map(_ran, current_rounds(self.history)))
        if turn and turn.text.strip():
            return Ending(Answer(turn.text, status, reason, rounds, turn.model, self._usage), declined)
        return Ending(Answer(fixed_reply(status, self.language), status, reason, rounds, "", self._usage), declined)


def _asks_for_more(turn: Turn) -> bool:
    """Whether the turn is not the last: it asks for tools, or the provider paused it to be continued."""
    return turn.stop == "paused" or (bool(turn.calls) and turn.stop in ("end", "truncated"))


def _ran(done: Round) -> bool:
    return any(result.outcome != "not_executed" for result in done.results)


def _paused_text(rounds: Sequence[Round]) -> str:
    """Returns what the model wrote in the turns that the provider paused right before the final one."""
    parts: list[str] = []
    for done in reversed(rounds):
        if done.turn.stop != "paused":
            break
        parts.append(done.turn.text)
    return "".join(reversed(parts))
