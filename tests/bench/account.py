"""A door before DynamoDB that keeps account: requests, bytes, and the units that the engine says they cost.

It stands before the engine only where nothing is timed. It asks for the units in each request on its way, so that all
peers are counted alike, whatever they do with boto3.
"""

import http.client
import json
import threading
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import urlsplit

READS = {"GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"}
WRITES = {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
CLIENT_SECONDS = 60

type Json = dict[str, Any]


class Account:
    """What was asked of the engine since the last `take`."""

    def __init__(self) -> None:
        self.url = ""
        self._lock = threading.Lock()
        self._clear()

    def take(self) -> Json:
        """Returns requests by operation, bytes of the bodies both ways, read and write units; and forgets them."""
        with self._lock:
            taken = {
                "operations": dict(self._operations),
                "requests": self._operations.total(),
                "bytes_sent": self._sent,
                "bytes_received": self._received,
                "read_units": self._units["read"],
                "write_units": self._units["write"],
            }
            self._clear()
        return taken

    def note(self, operation: str, sent: bytes, received: bytes) -> None:
        """Notes a request of the peer and what the engine answered it."""
        answer: Json = json.loads(received or b"{}")
        consumed: Any = answer.pop("ConsumedCapacity", [])
        listed = cast("list[Json]", consumed if isinstance(consumed, list) else [consumed])
        with self._lock:
            self._operations[operation] += 1
            self._sent += len(sent)
            self._received += len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode())
            self._units["read" if operation in READS else "write"] += sum(each["CapacityUnits"] for each in listed)

    def _clear(self) -> None:
        self._operations: Counter[str] = Counter()
        self._sent = self._received = 0
        self._units = {"read": 0.0, "write": 0.0}


@contextmanager
def kept(engine_url: str) -> Generator[Account]:
    """Opens the door, for as long as the block lasts."""
    account = Account()
    engine = urlsplit(engine_url)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            self._engine = http.client.HTTPConnection(engine.hostname or "", engine.port, timeout=CLIENT_SECONDS)

        def finish(self) -> None:
            self._engine.close()
            super().finish()

        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length", "0")))
            operation = self.headers.get("x-amz-target", "").rpartition(".")[2]
            counted = operation in READS | WRITES
            body = json.dumps(json.loads(sent) | {"ReturnConsumedCapacity": "TOTAL"}).encode() if counted else sent
            headers = {name: value for name, value in self.headers.items() if name.lower() != "content-length"}
            self._engine.request("POST", self.path, body, headers)
            response = self._engine.getresponse()
            received = response.read()
            if counted:
                account.note(operation, sent, received)
            kept = [f"{name}: {value}" for name, value in response.getheaders() if name.lower() in _KEPT]
            head = [f"HTTP/1.1 {response.status} X", *kept, f"content-length: {len(received)}"]
            self.wfile.write("\r\n".join(head).encode() + b"\r\n\r\n" + received)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
            """Stays silent."""

    door = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    door.daemon_threads = True
    door.block_on_close = False
    account.url = f"http://127.0.0.1:{door.server_address[1]}"
    thread = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield account
    finally:
        door.shutdown()
        door.server_close()
        thread.join()


_KEPT = {"content-type", "x-amz-crc32", "x-amzn-requestid"}
