"""The demo model server: speaks Anthropic's Messages API on a loopback port, so that all of Rondas runs without a key.

It keeps nothing between requests: what it answers follows from the request alone (`demo_brain.py`).
"""

import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from local.demo_brain import think
from local.demo_rules import Refused, check
from local.json_values import Json

BYTES_PER_TOKEN = 4
MOST_BYTES = 32 * 1024 * 1024  # the real API's limit of a request


class DemoModel:
    """A running server, in threads of this process."""

    def __init__(self, port: int = 0) -> None:
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="demo model", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """What to set as `ANTHROPIC_BASE_URL`."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def stop(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a kept connection must not hold up the end
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 64 * 1024  # header and body in one packet: apart, the second waits 40 ms for the first's receipt

    def do_POST(self) -> None:
        body = self._body()
        if body is None:
            self._refuse(413, "request_too_large", "Request exceeds the maximum size")
        elif self.path.split("?")[0] != "/v1/messages":
            self._refuse(404, "not_found_error", "Not found")
        elif not self.headers.get("authorization") and not self.headers.get("x-api-key"):
            self._refuse(401, "authentication_error", "no key: Authorization or x-api-key is required")
        elif not self.headers.get("anthropic-version"):
            self._refuse(400, "invalid_request_error", "anthropic-version: header is required")
        else:
            self._reply(body)

    def do_GET(self) -> None:
        self._refuse(404, "not_found_error", "Not found")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass

    def _body(self) -> bytes | None:
        length = int(self.headers.get("content-length", 0))
        if length > MOST_BYTES:
            self.close_connection = True
            return None
        return self.rfile.read(length)

    def _reply(self, body: bytes) -> None:
        try:
            request = check(json.loads(body))
        except Refused as refused:
            self._refuse(400, "invalid_request_error", str(refused))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self._refuse(400, "invalid_request_error", f"The request is not of the API's shape: {error!r}")
        else:
            self._send(200, message(request))

    def _refuse(self, status: int, kind: str, text: str) -> None:
        self._send(status, {"type": "error", "error": {"type": kind, "message": text}})

    def _send(self, status: int, answer: Json) -> None:
        request_id = f"req_{uuid.uuid4().hex[:24]}"
        data = json.dumps(answer if status < 400 else answer | {"request_id": request_id}).encode()  # noqa: PLR2004
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", request_id)
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()


def message(request: Json) -> Json:
    """Returns the model's message for a request that passed `check`."""
    content = think(request)
    asks = any(block["type"] == "tool_use" for block in content)
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": content,
        "stop_reason": "tool_use" if asks else "end_turn",
        "stop_sequence": None,
        "usage": _usage(request, content),
    }


def _usage(request: Json, content: list[Json]) -> Json:
    """Estimates tokens by size; all but the last exchange counts as cached where the request asks for a cache."""
    messages = cast("list[Json]", request["messages"])
    total = _tokens(request)
    fresh = _tokens(messages[-2:])
    cached = total - fresh if "cache_control" in json.dumps(request) and len(messages) > 2 else 0  # noqa: PLR2004
    return {
        "input_tokens": total - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": _tokens(content),
    }


def _tokens(value: Any) -> int:
    return max(1, len(json.dumps(value)) // BYTES_PER_TOKEN)
