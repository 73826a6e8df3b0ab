"""A function that reads a queue: it tells the test of each message, and the test says what becomes of it."""

import json
import os
import signal
import socket
from dataclasses import dataclass
from typing import Any

from fakes.local_api import PATIENCE, Listener

type Json = dict[str, Any]

TEMPLATE = """
Parameters:
  AtOnce: {Type: Number, Default: 2}
Globals:
  Function: {CodeUri: code/, Handler: app.handler, Timeout: 60}
Resources:
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      Environment: {Variables: {QUEUE_URL: !Ref Letters}}
      Events:
        Letter:
          Type: SQS
          Properties: {Queue: !GetAtt Letters.Arn, BatchSize: 1, ScalingConfig: {MaximumConcurrency: !Ref AtOnce}}
  Undertaker:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        Letter: {Type: SQS, Properties: {Queue: !GetAtt Dead.Arn, BatchSize: 1}}
  Letters:
    Type: AWS::SQS::Queue
    Properties:
      FifoQueue: true
      VisibilityTimeout: 90
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 2}
  Dead: {Type: AWS::SQS::Queue, Properties: {FifoQueue: true, VisibilityTimeout: 90}}
"""

FUNCTION = """
import json, os, socket

def handler(event, context):
    told = {"pid": os.getpid(), "function": os.environ["AWS_LAMBDA_FUNCTION_NAME"], "event": event,
            "queue": os.environ["QUEUE_URL"]}
    with socket.create_connection(("127.0.0.1", int(os.environ["MEETING_POINT"]))) as test:
        test.sendall(json.dumps(told).encode() + b"\\n")
        word = test.recv(1)
    if word != b"+":
        raise RuntimeError("told to fail")
"""


@dataclass(slots=True)
class Delivery:
    """A delivery that is under way, and waits."""

    pid: int
    function: str
    queue: str
    event: Json
    _connection: socket.socket

    @property
    def record(self) -> Json:
        (record,) = self.event["Records"]
        return record

    @property
    def body(self) -> str:
        return self.record["body"]

    @property
    def count(self) -> str:
        """How often the message has been delivered, this time included."""
        return self.record["attributes"]["ApproximateReceiveCount"]

    def succeed(self) -> None:
        self._connection.sendall(b"+")

    def fail(self) -> None:
        self._connection.sendall(b"-")

    def kill(self) -> None:
        """Ends the function's process, and waits until it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        assert self.has_ended()

    def has_ended(self) -> bool:
        """Waits until its process is gone."""
        return self._connection.recv(1) == b""


class DeliveryPoint(Listener):
    """Where the deliveries report to the test."""

    def wait(self, seconds: float = PATIENCE) -> Delivery:
        """Returns the next delivery to arrive."""
        connection = self.accept(seconds)
        with connection.makefile("rb") as lines:
            told = json.loads(lines.readline())
        return Delivery(told["pid"], told["function"], told["queue"], told["event"], connection)
