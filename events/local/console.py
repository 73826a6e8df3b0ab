"""What a person sees in the terminal: the rounds as they happen, then the reply and the facts about it."""

import json
import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rondas.history import Answer, ToolCall, ToolResult, Turn

type Json = dict[str, Any]

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
LONGEST_VALUE = 60
OK = 200
FIRST_ERROR = 400
FIRST_SERVER_ERROR = 500


class Console:
    """Prints for people. Also a `rondas.watcher.Watcher`, which is how it learns of rounds while they run."""

    def __init__(self, out: TextIO = sys.stdout) -> None:
        self._out = out
        self._coloured = out.isatty() and not os.environ.get("NO_COLOR")
        self._round = 0
        self._waiting: dict[str, ToolCall] = {}

    def question(self, event: Json) -> None:
        """Prints what an event asks, and begins to count rounds anew."""
        self._round = 0
        self._waiting = {}
        self._say(self._styled(event.get("routeKey", ""), "dim"))
        self._say(self._styled(f"> {_question(event)}", "bold"))

    def on_turn(self, turn: "Turn", seconds: float) -> None:
        """Prints the words and the number of a round; the final turn's words come with the reply."""
        self._decline()
        if not turn.calls:
            return
        self._round += 1
        self._say(f"\n{self._styled(f'round {self._round}', 'cyan')}  {self._styled(_milliseconds(seconds), 'dim')}")
        if turn.text.strip():
            self._say(f"  {turn.text.strip()}")
        self._waiting = {call.id: call for call in turn.calls}

    def on_result(self, call: "ToolCall", result: "ToolResult", seconds: float) -> None:
        """Prints a call and, unless all went well, what became of it."""
        self._waiting.pop(call.id, None)
        self._tool(call, result.outcome, _milliseconds(seconds), "" if result.outcome == "done" else result.text)

    def on_answer(self, answer: "Answer", seconds: float) -> None:
        """Prints what was asked for and did not run; the answer itself comes with the response."""
        del answer, seconds
        self._decline()

    def response(self, response: Json, seconds: float) -> None:
        """Prints what the function answered."""
        body = _body(response)
        status = int(response.get("statusCode", OK))
        if status < FIRST_ERROR and isinstance(body, dict) and "reply" in body:
            self._say(f"\n{body['reply']}\n")
            self._say(self._styled(_facts(body, seconds), "dim"))
        else:
            self.problem(status, body, seconds)

    def problem(self, status: int, body: Any, seconds: float) -> None:
        """Prints an error answer, a problem+json where it is one."""
        known: Json = body if isinstance(body, dict) else {}
        head = " · ".join(str(part) for part in (status, known.get("code") or known.get("title")) if part)
        self._say(f"\n{self._styled(head, 'red' if status >= FIRST_ERROR else 'green')}  {_milliseconds(seconds)}")
        detail = known.get("detail") or known.get("message") or (json.dumps(body, ensure_ascii=False) if body else "")
        if detail:
            self._say(f"  {detail}")

    def _decline(self) -> None:
        for call in self._waiting.values():
            self._tool(call, "not executed", "", "")
        self._waiting = {}

    def _tool(self, call: "ToolCall", outcome: str, time: str, detail: str) -> None:
        line = f"  → {self._styled(call.name, 'green')} {_arguments(call)}"
        mark = "" if outcome == "done" else self._styled(outcome.replace("_", " "), "yellow")
        self._say("  ".join(part for part in (line, mark, self._styled(time, "dim")) if part))
        if detail:
            self._say(f"    {_short(detail, 3 * LONGEST_VALUE)}")

    def _say(self, line: str) -> None:
        print(line, file=self._out, flush=True)

    def _styled(self, text: str, style: str) -> str:
        return f"\033[{STYLES[style]}m{text}\033[0m" if self._coloured and text else text


def _facts(body: Json, seconds: float) -> str:
    rounds = int(body.get("rounds") or 0)
    parts = [
        str(body.get("status", "")),
        f"{rounds} round{'' if rounds == 1 else 's'}",
        str(body.get("model") or "fixed reply"),
        _tokens(body.get("usage")),
        _milliseconds(seconds),
    ]
    return " · ".join(part for part in parts if part)


def _tokens(usage: Any) -> str:
    if not isinstance(usage, dict):
        return ""
    counts = [f"{value} {name.removesuffix('_tokens').replace('_', ' ')}" for name, value in usage.items() if value]
    return f"tokens {', '.join(counts)}" if counts else ""


def _question(event: Json) -> str:
    body = _parsed(str(event.get("body") or ""))
    text = body.get("text") if isinstance(body, dict) else None
    return str(text) if text else str(event.get("body") or "")


def _body(response: Json) -> Any:
    return _parsed(str(response.get("body") or ""))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _arguments(call: "ToolCall") -> str:
    known = call.arguments_object()
    return " ".join(f"{name}={_short(json.dumps(value, ensure_ascii=False))}" for name, value in known.items())


def _short(text: str, limit: int = LONGEST_VALUE) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= limit else f"{one_line[: limit - 1]}…"


def _milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms"
