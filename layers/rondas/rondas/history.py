"""A conversation as the loop, the store and every provider see it: plain values, in no provider's words.

A conversation is a list of entries. A `Round` holds the model's turn *and* the results of its calls, so a call
without its result, a result without its call, or the two in the wrong order cannot be written down at all (rule L3).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, cast

type Status = Literal["answered", "step_limit", "time_limit", "stopped", "refused", "truncated", "failed"]
"""How a run ended, for machines (rule L7)."""

type Outcome = Literal["done", "failed", "not_executed", "unknown"]
"""What became of a tool call. `unknown`: it was started and nobody saw its end."""

UNAVAILABLE = "model_unavailable"
"""The reason of an answer that only says that no model could answer."""

type Stop = Literal["end", "truncated", "refused", "paused", "unknown"]
"""Why the model stopped writing. Only a turn that stopped with `end` may run its tools (rule L8)."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls, counted the same way for every provider.

    Attributes:
        input: all tokens the model read, cached or not.
        cached: the part of `input` that came from the provider's prompt cache.
        output: all tokens the model wrote, reasoning included.
        reasoning: the part of `output` nobody sees.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """All tokens, read and written."""
        return self.input + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One request of the model to run a tool.

    Attributes:
        id: names the call; unique within its turn, never empty.
        name: the tool the model asked for, which may not exist.
        arguments: JSON text as the model wrote it, which may be invalid.
    """

    id: str
    name: str
    arguments: str = "{}"

    def arguments_object(self) -> dict[str, Any]:
        """Returns the arguments as a JSON object for providers that want one; `{}` where they are none."""
        try:
            value = json.loads(self.arguments or "{}")
        except (ValueError, RecursionError):
            return {}
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What is told to the model about one call: the result, the mistake, or why it did not run."""

    call_id: str
    text: str
    outcome: Outcome = "done"


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model wrote in one call.

    Attributes:
        text: its words, without its thoughts; may be empty.
        calls: the tools it asks for, in its order.
        stop: why it stopped.
        usage: the tokens of this call.
        model: who wrote it, as `provider:model`.
        opaque: the provider's own form of this turn (signatures, encrypted reasoning). Shown again only to `model`,
            only while the same run answers the same message, and never stored (rule S5).
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    stop: Stop = "end"
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    opaque: Any = None


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the person wrote."""

    text: str


@dataclass(frozen=True, slots=True)
class Round:
    """A turn that is not the answer, with one result per call in the order of the calls.

    `results` may be empty while `turn.calls` is not only for a turn written ahead of its effects (rule S4); such a
    round is *open*, and whoever reads it settles it before it goes anywhere.
    """

    turn: Turn
    results: tuple[ToolResult, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the calls still wait for their results."""
        return len(self.results) < len(self.turn.calls)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a message ended: the reply the person got, never empty, and the facts about the run.

    Attributes:
        text: the reply.
        status: how the run ended.
        reason: a finer word for the status, such as `repeating`; may be empty.
        rounds: rounds of tools that ran for this message.
        model: who wrote the reply, as `provider:model`; empty for a fixed reply.
        usage: tokens of the whole message.
    """

    text: str
    status: Status = "answered"
    reason: str = ""
    rounds: int = 0
    model: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def is_retryable(self) -> bool:
        """Whether the same message may be answered after all when it comes again: no model could be reached."""
        return self.status == "failed" and self.reason == UNAVAILABLE


type Entry = UserMessage | Round | Answer


def current_message(history: Sequence[Entry]) -> int:
    """Returns the index of the person's last message, the one being answered; -1 where there is none."""
    for index in range(len(history) - 1, -1, -1):
        if isinstance(history[index], UserMessage):
            return index
    return -1


def current_rounds(history: Sequence[Entry]) -> list[Round]:
    """Returns the rounds since the person's last message: the ones of the message being answered."""
    return [entry for entry in history[current_message(history) + 1 :] if isinstance(entry, Round)]


def total_usage(rounds: Iterable[Round]) -> Usage:
    """Returns the tokens that the turns of the rounds took together."""
    return sum((done.turn.usage for done in rounds), Usage())


def settle(turn: Turn, text: str, outcome: Outcome, *, after: Sequence[ToolResult] = ()) -> Round:
    """Completes a round: every call that `after` does not answer yet gets `text` as its result."""
    rest = (ToolResult(call.id, text, outcome) for call in turn.calls[len(after) :])
    return Round(turn, (*after, *rest))
