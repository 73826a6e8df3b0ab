"""What a phase plays on: the model server, DynamoDB Local with everybody's tables, and the peers' processes."""

import os
import subprocess
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from engine.dynamodb_local import CREDENTIALS, REGION, connect
from tables import create_table

from bench.cores import on_any_core, on_peers_core
from bench.environments import Environments
from bench.lineup import Peer
from bench.model import ModelServer, serving
from bench.worker import Core, Json, Worker, running
from local.template import Template

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

WORKER = Path(__file__).parent / "peers" / "worker.py"
TABLES = {"TABLE_NAME": "conversations", "COACH_TABLE_NAME": "coach"}
PEERS_TABLES = ("turns", "strands", "checkpoints")


class Stage:
    """What all peers are asked on.

    Attributes:
        environments: where they live.
        model: the model server.
        dynamodb_url: where the engine listens.

    Args:
        core: what binds the peers to a processor.
    """

    def __init__(
        self, environments: Environments, model: ModelServer, dynamodb_url: str, core: Core = on_peers_core
    ) -> None:
        self._core = core
        self.environments = environments
        self.model = model
        self.dynamodb_url = dynamodb_url
        self._dynamodb: DynamoDBClient = connect(dynamodb_url)

    def clear(self) -> None:
        """Makes all tables anew, and the model server forget."""
        for name in self._dynamodb.list_tables()["TableNames"]:
            self._dynamodb.delete_table(TableName=name)
        create_table(self._dynamodb, TABLES["TABLE_NAME"])
        create_table(self._dynamodb, TABLES["COACH_TABLE_NAME"], "CoachTable")
        for name in PEERS_TABLES:
            self._dynamodb.create_table(
                TableName=name,
                BillingMode="PAY_PER_REQUEST",
                KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("PK", "SK")],
            )
        self.model.take()

    @contextmanager
    def worker(self, name: str, peer: Peer, *, dynamodb_url: str = "", **variables: str) -> Generator[Worker]:
        """Starts a peer, for as long as the block lasts.

        Args:
            name: for errors.
            peer: who.
            dynamodb_url: where its engine is; the stage's own unless given.
            variables: for its environment.

        Raises:
            PeerError: it does not start.
        """
        environment = self._environment(peer, dynamodb_url or self.dynamodb_url) | variables
        with running(name, self._command(peer), environment, self._core) as worker:
            yield worker

    def workers(self, peers: Mapping[str, Peer], into: ExitStack) -> dict[str, Worker]:
        """Starts some peers at once."""
        return {name: into.enter_context(self.worker(name, peer)) for name, peer in peers.items()}

    def start_up_imports(self, peer: Peer) -> str:
        """Returns what Python's own clock of imports says of the start of a peer."""
        command = self._command(peer, "-X", "importtime")
        environment = self._environment(peer, self.dynamodb_url)
        with self._core():
            done = subprocess.run(
                command, env=environment, text=True, stdin=subprocess.DEVNULL, capture_output=True, check=False
            )
        return done.stderr

    def _command(self, peer: Peer, *options: str) -> list[str]:
        python = str(self.environments.python(peer.environment))
        return [python, *options, "-P", str(WORKER), f"bench.peers.{peer.adapter}"]

    def _environment(self, peer: Peer, dynamodb_url: str) -> dict[str, str]:
        """Returns all variables of a process; those of a function as the template has them."""
        deployed = {**_deployed(), "AWS_LAMBDA_FUNCTION_NAME": "chat"} if peer.code else {}
        return {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "PYTHONPATH": self.environments.path(peer.code),
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
            **CREDENTIALS,
            **TABLES,
            "MODELS": "anthropic:claude-sonnet-5-5",
            "ANTHROPIC_BASE_URL": self.model.url,
            **dict.fromkeys(("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"), "key"),
            "POWERTOOLS_METRICS_NAMESPACE": "bench",
            "MAX_TOOL_ROUNDS": "50",
            "LANGSMITH_TRACING": "false",
            **deployed,
            **peer.variables,
        }


@cache
def _deployed() -> Mapping[str, str]:
    return Template.read().functions["ChatFunction"].environment


@contextmanager
def stage(environments: Environments, dynamodb_url: str) -> Generator[Stage]:
    """Sets the stage on a running engine, for as long as the block lasts."""
    with serving() as model:
        made = Stage(environments, model, dynamodb_url)
        made.clear()
        yield made


def question(rounds: int, more: str = "") -> str:
    """Returns what the person asks; the model then asks for so many rounds of tools."""
    return f"Please tell me what the order status is and when it will arrive at my address. rounds={rounds}{more}"


def each(stage: Stage, peers: Mapping[str, Peer], measure: Callable[[Stage, str, Peer], Json]) -> Json:
    """Returns what is measured of each peer where nothing is timed.

    They are asked two at a time, each on a model server of its own.
    """

    def on_own_stage(name: str, peer: Peer) -> Json:
        with serving() as model:
            return measure(Stage(stage.environments, model, stage.dynamodb_url, on_any_core), name, peer)

    stage.clear()
    with ThreadPoolExecutor(2) as pool:
        found = {name: pool.submit(on_own_stage, name, peer) for name, peer in peers.items()}
    return {name: one.result() for name, one in found.items()}
