"""What Lambda hands to a handler beside the event."""

import time
import uuid
from dataclasses import dataclass, field

from local.template import Function

REGION = "eu-west-1"
ACCOUNT = "123456789012"


@dataclass(frozen=True, slots=True)
class Context:
    """Stands in for the `LambdaContext` of one invocation; the clock starts when it is made."""

    function_name: str
    timeout: float
    memory_limit_in_mb: int = 128
    function_version: str = "$LATEST"
    aws_request_id: str = field(default_factory=lambda: str(uuid.uuid4()))
    log_stream_name: str = "local"
    identity: None = None
    client_context: None = None
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(cls, function: Function) -> "Context":
        """Returns the context of a new invocation of a function."""
        return cls(function.name, function.timeout, function.memory)

    @property
    def log_group_name(self) -> str:
        """Where Lambda would log."""
        return f"/aws/lambda/{self.function_name}"

    @property
    def invoked_function_arn(self) -> str:
        """A name in the form of an ARN."""
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.function_name}"

    def get_remaining_time_in_millis(self) -> int:
        """Returns the milliseconds until the runtime ends the invocation; never negative."""
        return max(0, int(1000 * (self.timeout - (time.monotonic() - self.started))))
