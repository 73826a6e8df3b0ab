"""Traces: a subsegment of X-Ray for each model call and each tool call, for the daemon that Lambda runs beside it.

X-Ray's SDK does the same and more, for half a second of each start: it patches what it finds and brings its own
context. The document is small: https://docs.aws.amazon.com/xray/latest/devguide/xray-api-segmentdocuments.html
"""

import json
import os
import re
import secrets
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from rondas.history import Answer, ToolCall, ToolResult, Turn
from rondas.store.claim import Message
from rondas.watcher import Mishap

HEADER = '{"format": "json", "version": 1}\n'
"""What the daemon wants before each document."""

_UNFIT = re.compile(r"[^\w\s.:/%&#=+\-@]", re.ASCII)
_NAME_CHARS = 200


class Tracing:
    """The watcher that draws the run into the trace of its request; without one, or without a daemon, it does nothing.

    Args:
        environment: where Lambda says which trace this is, anew for each request.
        clock: seconds since the epoch.
    """

    def __init__(self, environment: Mapping[str, str] = os.environ, clock: Callable[[], float] = time.time) -> None:
        self._environment = environment
        self._clock = clock

    def on_message(self, message: Message) -> None:
        """Nothing yet: Lambda draws the request itself."""

    def on_turn(self, turn: Turn | None, seconds: float) -> None:
        """Draws a call of the model; without a turn, as a fault."""
        if turn is None:
            self._draw("model", seconds, fault=True)
        else:
            tokens = {"input_tokens": turn.usage.input, "output_tokens": turn.usage.output}
            self._draw(turn.model, seconds, annotations=tokens, namespace="remote")

    def on_result(self, call: ToolCall, result: ToolResult, seconds: float) -> None:
        """Draws a call of a tool, with what became of it."""
        self._draw(call.name, seconds, annotations={"outcome": result.outcome}, error=result.outcome != "done")

    def on_store(self, seconds: float) -> None:
        """Nothing: the table's requests are short and many, and are in the metrics."""

    def on_mishap(self, mishap: Mishap) -> None:
        """Nothing: it is in the metrics."""

    def on_handed_on(self, seconds: float) -> None:
        """Draws the part that was done here."""
        self._draw("run", seconds, annotations={"status": "handed_on"})

    def on_answer(self, answer: Answer, seconds: float) -> None:
        """Draws the whole, so that a trace can be searched for by how it ended."""
        self._draw("run", seconds, annotations={"status": answer.status, "rounds": answer.rounds})

    def _draw(self, name: str, seconds: float, **more: Any) -> None:
        header = self._environment.get("_X_AMZN_TRACE_ID", "").split(";")
        trace = dict(part.split("=", 1) for part in header if "=" in part)
        daemon = self._environment.get("AWS_XRAY_DAEMON_ADDRESS", "")
        if trace.get("Sampled") != "1" or ":" not in daemon:
            return
        now = self._clock()
        document = {
            "name": _UNFIT.sub("_", name)[:_NAME_CHARS] or "?",
            "id": secrets.token_hex(8),
            "trace_id": trace.get("Root"),
            "parent_id": trace.get("Parent"),
            "type": "subsegment",
            "start_time": now - seconds,
            "end_time": now,
            **more,
        }
        _send(HEADER + json.dumps(document), daemon)


def _send(text: str, daemon: str) -> None:
    """Sends it off; whether anybody reads it is not the run's affair."""
    host, port = daemon.rsplit(":", 1)
    with suppress(OSError, ValueError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.settimeout(0)
        out.sendto(text.encode(), (host, int(port)))
