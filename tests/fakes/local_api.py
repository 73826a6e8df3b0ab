"""A function that does what the path says, and a client of the local API that stands before it."""

import http.client
import json
import queue
import signal
import socket
import subprocess
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from local.token import bearer

type Json = dict[str, Any]

PATIENCE = 30.0

TEMPLATE = """
Resources:
  Fake:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: code/
      Handler: app.handler
      Timeout: 2
      Environment: {Variables: {FROM_TEMPLATE: "yes"}}
      Events:
        Post: {Type: HttpApi, Properties: {Method: POST, Path: "/do/{what}", TimeoutInMillis: 29000}}
        Hasty: {Type: HttpApi, Properties: {Method: POST, Path: "/hasty/{what}", TimeoutInMillis: 100}}
        Open: {Type: HttpApi, Properties: {Method: GET, Path: "/open", Auth: {Authorizer: NONE}}}
"""

FUNCTION = '''
import json, os, signal, socket

def meet(then):
    """Tells the test that it is here, and waits for its word, or for ever."""
    with socket.create_connection(("127.0.0.1", int(os.environ["MEETING_POINT"]))) as test:
        test.sendall(b"%d\\n" % os.getpid())
        while not test.recv(1) or then == "hang":
            pass

def answer(body):
    return {"statusCode": 200, "headers": {"content-type": "application/json"}, "body": json.dumps(body)}

def handler(event, context):
    what = (event.get("pathParameters") or {}).get("what")
    if what in ("meet", "hang"):
        meet(what)
    elif what == "crash":
        os._exit(3)
    elif what == "raise":
        raise RuntimeError("secret detail")
    elif what == "nonsense":
        return {"statusCode": "soon"}
    elif what == "huge":
        return answer("x" * 7_000_000)
    elif what == "print":
        print('{"payload": "not the answer"}')
    elif what == "binary":
        return {"statusCode": 201, "body": "/wA=", "isBase64Encoded": True, "cookies": ["a=1", "b=2"]}
    elif what == "empty":
        return {"statusCode": 204}
    return answer({"pid": os.getpid(), "event": event, "environment": dict(os.environ), "here": os.getcwd(),
                   "remaining": context.get_remaining_time_in_millis()})
'''


@dataclass(slots=True)
class Meeting:
    """An invocation that is under way and waits."""

    pid: int
    connection: socket.socket

    def release(self) -> None:
        """Lets it go on."""
        self.connection.sendall(b"!")

    def has_ended(self) -> bool:
        """Waits until its process is gone."""
        return self.connection.recv(1) == b""


class Listener:
    """Where processes report to the test."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._socket = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

    @property
    def port(self) -> int:
        return self._socket.getsockname()[1]

    def accept(self, seconds: float) -> socket.socket:
        """Returns the connection of the next one to arrive, which stays open until the test is over."""
        self._socket.settimeout(seconds)
        connection, _ = self._socket.accept()
        connection.settimeout(PATIENCE)
        return self._stack.enter_context(connection)


class MeetingPoint(Listener):
    """Where the function's invocations report to the test."""

    def wait(self, seconds: float = PATIENCE) -> Meeting:
        """Returns the next invocation to arrive."""
        connection = self.accept(seconds)
        pid = connection.makefile("rb").readline()
        return Meeting(int(pid), connection)


@dataclass(slots=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True)
class Api:
    """A running server."""

    process: subprocess.Popen[str]
    port: int

    def post(self, path: str, body: bytes | None = b"{}", **headers: str) -> Answer:
        """Posts with the token of a person."""
        return self.request("POST", path, body, {"authorization": f"Bearer {bearer('ana')}"} | headers)

    def request(self, method: str, path: str, body: bytes | None = None, headers: Json | None = None) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return Answer(response.status, response.getheaders(), response.read())
        finally:
            connection.close()

    def lines(self) -> "queue.SimpleQueue[str]":
        """Returns what the server writes to standard error from now on, line by line as it comes."""
        lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        output = self.process.stderr
        assert output

        def read() -> None:
            for line in output:
                lines.put(line)

        threading.Thread(target=read, daemon=True).start()
        return lines

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """Sends a signal; returns the exit code and what was written to standard error."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, errors
