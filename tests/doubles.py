"""Stand-ins for the loop's ports, which keep a record and fail the test when they are used otherwise than foreseen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rondas.budget import STORE_RESERVE_SECONDS, Budget
from rondas.history import Entry, Round, ToolCall, ToolResult, Turn, Usage
from rondas.interrupt import OutOfTime


class FakeClock:
    """A clock that goes on only when told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


@dataclass(frozen=True)
class Asked:
    """One request to the model: what it was shown, how long it had, and the closing instruction if there was one."""

    history: tuple[Entry, ...]
    seconds: float
    closing: str | None


type Step = Turn | BaseException | Callable[[Asked], Turn]


class ScriptedModel:
    """A model that says what the script says; `check_used_up` fails the test where the script was not followed."""

    def __init__(self, *steps: Step) -> None:
        self.asked: list[Asked] = []
        self._steps = list(steps)

    def reply(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        asked = Asked(tuple(history), seconds, closing)
        self.asked.append(asked)
        assert self._steps, "the model was asked more often than the script foresees"
        step = self._steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        return step if isinstance(step, Turn) else step(asked)

    def check_used_up(self) -> None:
        assert not self._steps, f"{len(self._steps)} steps of the script were never asked for"


@dataclass
class RecordingTools:
    """Tools that take `takes` seconds each on the clock, and answer with the call's arguments."""

    clock: FakeClock
    takes: float = 0.0
    effects: frozenset[str] = frozenset()
    answers: dict[str, str] = field(default_factory=dict[str, str])
    ran: list[tuple[str, str, float]] = field(default_factory=list[tuple[str, str, float]])

    def has_effect(self, name: str) -> bool:
        return name in self.effects

    def run(self, call: ToolCall, *, key: str, seconds: float) -> ToolResult:
        self.ran.append((call.id, key, seconds))
        if self.takes > seconds:
            self.clock.advance(seconds)
            raise OutOfTime
        self.clock.advance(self.takes)
        return ToolResult(call.id, self.answers.get(call.name, f"result of {call.arguments}"))


@dataclass
class MemoryJournal:
    """A journal that remembers in which order it was written.

    `stop_at`: the write, counted from 1, in which it sees that the person asked to stop; 0 for before the first.
    """

    written: list[Round] = field(default_factory=list[Round])
    ahead: list[Turn] = field(default_factory=list[Turn])
    stop_at: int | None = None

    @property
    def stop_asked(self) -> bool:
        return self.stop_at is not None and len(self.written) + len(self.ahead) >= self.stop_at

    def key(self, call: ToolCall) -> str:
        return f"conversation/{len(self.written)}/{call.id}"

    def write_ahead(self, turn: Turn) -> None:
        self.ahead.append(turn)

    def append(self, done: Round) -> None:
        self.written.append(done)


def a_budget(clock: FakeClock, seconds: float = 25, closing_reserve: float = 7) -> Budget:
    """A budget of so many seconds that no runtime cuts short."""
    return Budget.start(25, closing_reserve, seconds + STORE_RESERVE_SECONDS, clock)


def asks(*calls: str, text: str = "", stop: str = "end", id_prefix: str = "") -> Turn:
    """A turn that asks for tools, each given as `name` or `name:arguments`."""
    made = tuple(
        ToolCall(f"{id_prefix}{index}-{call}", call.partition(":")[0], call.partition(":")[2] or "{}")
        for index, call in enumerate(calls)
    )
    return Turn(text, made, stop, Usage(10, 0, 5), "fake:model")  # pyright: ignore[reportArgumentType]


def says(text: str, stop: str = "end") -> Turn:
    """A turn of words only."""
    return Turn(text, (), stop, Usage(10, 0, 5), "fake:model")  # pyright: ignore[reportArgumentType]
