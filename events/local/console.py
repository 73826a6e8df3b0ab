"""What a person sees in the terminal: the rounds as they happen, then the reply and the facts about it."""

import io
import json
import logging
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

from local.environment import PROVIDERS
from local.json_values import Json, object_in
from local.timeline import Timeline

if TYPE_CHECKING:
    from rondas.history import Answer, ToolCall, ToolResult, Turn
    from rondas.store.claim import Message
    from rondas.watcher import Mishap

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
LONGEST_VALUE = 60
OK = 200
FIRST_ERROR = 400
FIRST_SERVER_ERROR = 500
NO_ENTRY = ("401", "403")
NEVER = logging.CRITICAL + 1


class Console:
    """Prints for people. Also a `rondas.watcher.Watcher`, which is how it learns of rounds while they run."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        be_lenient(self._out)  # a terminal that cannot show an arrow is no reason to stop
        self._coloured = self._out.isatty() and not os.environ.get("NO_COLOR")
        self._round = 0
        self._waiting: dict[str, ToolCall] = {}
        self._starts = False
        self._timeline = Timeline()

    def begin(self, event: Json | None = None, function: str = "") -> None:
        """Begins to count rounds anew, and prints what an event asks, or what it delivers to the function."""
        self._round = 0
        self._waiting = {}
        self._timeline.begin()
        if event is None:
            return
        self._say("")
        self._say(self._styled(event.get("routeKey") or f"delivered to {function}", "dim"))
        self._say(self._styled(f"> {_question(event)}", "bold"))

    def on_message(self, message: "Message") -> None:
        """Prints nothing: the person has just written it."""

    def on_turn(self, turn: "Turn | None", seconds: float) -> None:
        """Prints what the model says while it asks for tools; the final turn's words come with the reply."""
        self._timeline.on_turn(turn, seconds)
        self._decline()
        if not (turn and turn.calls):
            return
        parts = (self._styled("model", "dim"), self._styled(_milliseconds(seconds), "dim"), turn.text.strip())
        self._say("\n" + "  ".join(part for part in parts if part))
        self._waiting = {call.id: call for call in turn.calls}
        self._starts = True

    def on_result(self, call: "ToolCall", result: "ToolResult", seconds: float) -> None:
        """Prints a call and, unless all went well, what became of it."""
        self._timeline.on_result(call, result, seconds)
        self._waiting.pop(call.id, None)
        self._round += self._starts
        label = f"round {self._round}" if self._starts else ""
        self._starts = False
        detail = "" if result.outcome == "done" else result.text
        self._tool(call, result.outcome, _milliseconds(seconds), detail, label=label)

    def on_store(self, seconds: float) -> None:
        """Prints nothing: it is the round that people wait for."""
        self._timeline.on_store(seconds)

    def on_mishap(self, mishap: "Mishap") -> None:
        """Prints nothing: the log says it."""

    def on_handed_on(self, seconds: float) -> None:
        """Says so."""
        self._say(f"handed on to the worker after {seconds:.1f} s")

    def on_answer(self, answer: "Answer", seconds: float) -> None:
        """Prints what was asked for and did not run; the answer itself comes with the response."""
        del answer, seconds
        self._decline()

    def warning(self, words: str) -> None:
        """Prints what the function warns of."""
        self._say(self._styled(f"  ! {words}", "yellow"))

    def response(self, response: Json, seconds: float) -> None:
        """Prints what the function answered."""
        text = str(response.get("body") or "")
        body = _parsed(text)
        status = int(response.get("statusCode", OK))
        if status < FIRST_ERROR and body.get("reply") is not None:
            self._say(f"\n{body['reply']}\n")
            for line in [*self._timeline.lines(), _facts(status, body, seconds)]:
                self._say(self._styled(line, "dim"))
        elif where := object_in(response.get("headers")).get("Location"):
            self._other(status, body, f"goes on at {where}", seconds)
        else:
            self._other(status, body, text, seconds)

    def delivered(self, error: str, seconds: float) -> None:
        """Prints what became of a delivery; without an error, its message would be deleted from the queue now."""
        if error:
            self._other(FIRST_SERVER_ERROR, {"title": "to be delivered again"}, error, seconds)
            return
        self._say("")
        for line in [*self._timeline.lines(), f"done · {_milliseconds(seconds)}"]:
            self._say(self._styled(line, "dim"))

    def _other(self, status: int, body: Json, text: str, seconds: float) -> None:
        """Prints an answer that is no reply: as a rule an error, as problem+json."""
        head = " · ".join(
            str(part) for part in (status, body.get("code") or body.get("title") or body.get("status")) if part
        )
        colour = "red" if status >= FIRST_ERROR else "green"
        self._say(f"\n{self._styled(head, colour)}  {self._styled(_milliseconds(seconds), 'dim')}")
        if detail := str(body.get("detail") or body.get("message") or text):
            self._say(f"  {detail}")

    def _decline(self) -> None:
        for call in self._waiting.values():
            self._tool(call, "not executed", "", "")
        self._waiting = {}

    def _tool(self, call: "ToolCall", outcome: str, time: str, detail: str, *, label: str = "") -> None:
        """Prints a call; the first one of a round with the round's number, which a declined turn does not have."""
        line = f"{self._styled(f'{label:<8}', 'cyan')} → {self._styled(call.name, 'green')} {_arguments(call)}"
        mark = "" if outcome == "done" else self._styled(outcome.replace("_", " "), "yellow")
        self._say("  ".join(part for part in (line, mark, self._styled(time, "dim")) if part))
        if detail:
            self._say(f"{'':<11}{_short(detail, 3 * LONGEST_VALUE)}")

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)

    def _styled(self, text: str, style: str) -> str:
        return f"\033[{STYLES[style]}m{text}\033[0m" if self._coloured and text else text


class _Warnings(logging.Handler):
    """Hands what a function warns of to a console, in one readable line each."""

    def __init__(self, console: Console) -> None:
        super().__init__(logging.WARNING)
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        model, cause = (str(getattr(record, name, "")) for name in ("model", "cause"))
        details = " · ".join(part for part in (model, cause) if part)
        words = ": ".join(part for part in (record.getMessage(), details) if part)
        self._console.warning(" ".join(f"{words} {_advice(model, cause)}".split()))


def show_warnings(console: Console, logger: str = "rondas") -> None:
    """Lets a console show a logger's warnings, in place of whatever has shown them so far.

    The handlers it has stay, silent: Powertools keeps the keys of its lines in them.
    """
    for handler in logging.getLogger(logger).handlers:
        handler.setLevel(NEVER)
    logging.getLogger(logger).addHandler(_Warnings(console))


def _advice(model: str, cause: str) -> str:
    key, _ = PROVIDERS.get(model.partition(":")[0], ("", ""))
    return f"(check {key})" if key and cause.startswith(NO_ENTRY) else ""


def be_lenient(stream: TextIO) -> None:
    """Lets a stream write or read what its encoding cannot say, as question marks."""
    if isinstance(stream, io.TextIOWrapper):
        cast("io.TextIOWrapper[Any]", stream).reconfigure(errors="replace")


def _facts(status: int, body: Json, seconds: float) -> str:
    rounds = int(body.get("rounds") or 0)
    parts = [
        str(status),
        str(body.get("status", "")),
        f"{rounds} round{'' if rounds == 1 else 's'}",
        str(body.get("model") or "fixed reply"),
        _tokens(object_in(body.get("usage"))),
        _milliseconds(seconds),
    ]
    return " · ".join(part for part in parts if part)


def _tokens(usage: Json) -> str:
    if not usage:
        return ""
    read, cached, written = (int(usage.get(f"{name}_tokens") or 0) for name in ("input", "cached", "output"))
    return f"{read} tokens in ({cached} cached), {written} out"


def _question(event: Json) -> str:
    record: Json = next(iter(event.get("Records", [])), event)
    body = str(record.get("body") or "")
    known = _parsed(body)
    return str(known.get("text") or known.get("message_id") or body)


def _parsed(text: str) -> Json:
    try:
        return object_in(json.loads(text))
    except ValueError:
        return {}


def _arguments(call: "ToolCall") -> str:
    known = call.arguments_object()
    return " ".join(f"{name}={_short(json.dumps(value, ensure_ascii=False))}" for name, value in known.items())


def _short(text: str, limit: int = LONGEST_VALUE) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= limit else f"{one_line[: limit - 1]}…"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"
