"""A model without thinking time: Anthropic's Messages API, plain and streamed, on loopback, over kept connections.

The person's last text steers it: `rounds=N` asks for N rounds of the tool `lookup` and then answers, and `size=C` after
it lets each result have about C characters. Anything else, and what forbids tools, is answered at once.
"""

import asyncio
import itertools
import json
import os
import re
import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from bench.peers.task import ANSWER, Message

STEER = re.compile(rb"rounds=(\d+)( size=\d+)?")
RESULT = b'"tool_use_id"'
USAGE = {"input_tokens": 100, "output_tokens": 50}

_HEAD_END = b"\r\n\r\n"
_LENGTH = re.compile(rb"(?i)content-length: *(\d+)")
_NO_TOOLS = re.compile(rb'"tool_choice":\s*\{"type":\s*"none"')
_STREAM = re.compile(rb'"stream":\s*true')


class ModelServer:
    """The server and its account.

    Attributes:
        url: where it listens.
        bodies: of the requests since the last `take`.
        think_seconds: how long it takes for an answer.
        kill: a process and a number: the request that brings so many results of this message ends the process.
        strict: whether calls without results, and the other way round, are refused as the service refuses them.
    """

    def __init__(self) -> None:
        self.url = ""
        self.bodies: list[bytes] = []
        self.think_seconds = 0.0
        self.kill: tuple[int, int] | None = None
        self.strict = False
        self._ids = itertools.count(1)

    def take(self) -> list[bytes]:
        """Returns the bodies of the requests since the last time."""
        taken, self.bodies = self.bodies, []
        return taken

    def answer(self, body: bytes) -> tuple[int, str, str] | None:
        """Returns status, content type and text for a request; None where there is nobody left to answer."""
        self.bodies.append(body)
        place = body.rfind(b"rounds=")
        steer = STEER.match(body, place) if place >= 0 else None
        done = body.count(RESULT, place)
        if self.kill and self.kill[1] == done:
            os.kill(self.kill[0], signal.SIGKILL)
            self.kill = None
            return None
        if self.strict and (problem := pairing_problem(json.loads(body)["messages"])):
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": problem}}
            return 400, "application/json", json.dumps(error)
        more = steer is not None and done < int(steer[1]) and not _NO_TOOLS.search(body)
        size = (steer[2] or b"").decode() if steer else ""
        message = self._message(f"round {done + 1}{size}" if more else None)
        if _STREAM.search(body):
            return 200, "text/event-stream", streamed(message)
        return 200, "application/json", json.dumps(message)

    def _message(self, query: str | None) -> Message:
        number = next(self._ids)
        if query is None:
            content, stop = [{"type": "text", "text": ANSWER}], "end_turn"
        else:
            call = {"type": "tool_use", "id": f"toolu_{number:08d}", "name": "lookup", "input": {"query": query}}
            content, stop = [{"type": "text", "text": "I will look that up."}, call], "tool_use"
        return {
            "id": f"msg_{number:08d}", "type": "message", "role": "assistant", "model": "claude", "content": content,
            "stop_reason": stop, "stop_sequence": None, "usage": USAGE,
        }  # fmt: skip


def streamed(message: Message) -> str:
    """Returns a message as the events of a stream."""
    events: list[Message] = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            start: Message = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": end, "usage": {"output_tokens": 50}}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def pairing_problem(messages: list[Message]) -> str | None:
    """Returns what the service has against calls and results that do not belong together."""
    pending: set[str] = set()
    for index, message in enumerate(messages):
        content: Any = message["content"]
        blocks: list[Message] = [] if isinstance(content, str) else content
        results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
        if pending - results:
            return f"messages.{index}: tool_use without tool_result in the next message"
        if results - pending:
            return f"messages.{index}: tool_result without tool_use in the message before"
        pending = {block["id"] for block in blocks if block["type"] == "tool_use"}
    return "the last tool_use has no tool_result" if pending else None


class _Connection(asyncio.Protocol):
    def __init__(self, server: ModelServer) -> None:
        self._server = server
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        while (head := self._received.find(_HEAD_END)) >= 0:
            length = _LENGTH.search(self._received, 0, head)
            start = head + len(_HEAD_END)
            end = start + (int(length[1]) if length else 0)
            if len(self._received) < end:
                return
            body, self._received = self._received[start:end], self._received[end:]
            if self._server.think_seconds:
                asyncio.get_running_loop().call_later(self._server.think_seconds, self._answer, body)
            else:
                self._answer(body)

    def _answer(self, body: bytes) -> None:
        answer = self._server.answer(body)
        if answer is None:
            self._transport.close()
            return
        status, kind, text = answer
        out = text.encode()
        head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(out)}\r\n\r\n"
        self._transport.write(head.encode() + out)


@contextmanager
def serving() -> Generator[ModelServer]:
    """Runs the server in a thread for as long as the block lasts."""
    server = ModelServer()
    loop = asyncio.new_event_loop()
    listening = loop.run_until_complete(loop.create_server(lambda: _Connection(server), "127.0.0.1", 0))
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        listening.close()
        loop.close()
