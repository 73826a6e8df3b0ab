"""DynamoDB Local as a process that answers for as long as it is needed, and never longer."""

import tempfile
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from engine.guarded import free_port, guarded

if TYPE_CHECKING:
    import subprocess

    from mypy_boto3_dynamodb import DynamoDBClient

REGION = "eu-west-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION}
"""What a process needs in its environment beside the address; the engine checks none of it."""

READY_SECONDS = 60

_SHORT_LIFE = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # what takes time to pay off is left out


@contextmanager
def running(folder: Path) -> Generator[str]:
    """Runs the engine on a free port and in memory for as long as the block lasts; gives its address.

    Args:
        folder: where `DynamoDBLocal.jar` lies.

    Raises:
        RuntimeError: it does not start; the text holds what it said.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    library = ["-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar"]
    command = ["java", *_SHORT_LIFE, *library, "-inMemory", "-port", str(port)]
    with tempfile.TemporaryFile() as said, guarded(command, folder=folder, said=said) as guard:
        if not _answers(url, guard):
            said.seek(0)
            raise RuntimeError(f"DynamoDB Local did not start: {said.read().decode(errors='replace')[-2000:]}")
        yield url


def connect(url: str) -> "DynamoDBClient":
    """Returns a client with the patience of a test: it sees no time-out that the machine's load makes."""
    config = Config(connect_timeout=20, read_timeout=20, retries={"mode": "standard", "total_max_attempts": 3})
    return boto3.client(  # pyright: ignore[reportUnknownMemberType] - its other services
        "dynamodb",
        endpoint_url=url,
        region_name=REGION,
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
        config=config,
    )


def _answers(url: str, guard: "subprocess.Popen[bytes]") -> bool:
    """Waits until a real request is answered; False when the engine has ended, or takes longer than anybody waits."""
    with closing(connect(url)) as dynamodb:
        deadline = time.monotonic() + READY_SECONDS
        while guard.poll() is None and time.monotonic() < deadline:
            try:
                dynamodb.list_tables()
            except (BotoCoreError, ClientError):
                time.sleep(0.1)
            else:
                return True
    return False
