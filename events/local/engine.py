"""The embedded engines, and the tables that the template asks for, in one of them or in any other."""

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, cast

from local.template import Table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from werkzeug.serving import BaseWSGIServer

DEFAULT_NAMES = {"TABLE_NAME": "rondas-conversations", "COACH_TABLE_NAME": "rondas-coach"}

type WsgiApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class EngineError(Exception):
    """The DynamoDB engine cannot be used; the message says why."""


class Engine:
    """A service of moto's on a free loopback port, in threads of this process.

    Args:
        service: which, as moto names it.
    """

    def __init__(self, service: str = "dynamodb") -> None:
        self._service = service
        self._server = _server(service)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name=service, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.port}"

    def stop(self) -> None:
        """Ends it; its data is gone."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        _forget(self._service)


def one_at_a_time(app: WsgiApp) -> WsgiApp:
    """Makes an application answer one request after the other.

    moto copies whole tables in a transaction and puts the copies back when it fails, without a lock: two transactions
    at once lose and invent rows.
    """
    lock = threading.Lock()

    def serialised(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        with lock:
            return list(app(environ, start_response))

    return serialised


def create_tables(tables: Iterable[Table]) -> None:
    """Creates the tables that are missing, under the names in the environment, and waits until they can be used.

    Raises:
        EngineError: the engine does not answer or refuses.
    """
    import boto3  # noqa: PLC0415 - dear, and needed only here
    from botocore.config import Config  # noqa: PLC0415
    from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

    patience = Config(connect_timeout=2, read_timeout=10, retries={"mode": "standard", "total_max_attempts": 3})
    try:
        client: DynamoDBClient = boto3.client("dynamodb", config=patience)  # pyright: ignore[reportUnknownMemberType]
        with closing(client):
            for table in tables:
                _create(client, table_name(table), table)
    except (BotoCoreError, ClientError, ValueError) as error:  # a ValueError: what is set is no URL
        url = os.environ.get("AWS_ENDPOINT_URL_DYNAMODB")
        raise EngineError(f"AWS_ENDPOINT_URL_DYNAMODB: DynamoDB at {url}: {error}") from None


def table_name(table: Table) -> str:
    """Returns what the table is called here."""
    return os.environ.get(table.variable) or DEFAULT_NAMES.get(table.variable) or f"rondas-{table.name.lower()}"


def _create(client: "DynamoDBClient", name: str, table: Table) -> None:
    # Another process may create it, or be creating it, at the same time: who comes second waits with the first.
    with suppress(client.exceptions.ResourceInUseException):
        client.create_table(TableName=name, **cast("Any", table.definition))
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})


def _forget(service: str) -> None:
    """Throws away what moto keeps of a service: it belongs to the process, not to the server."""
    from moto.backends import get_backend  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    cast("Any", get_backend(cast("Any", service))).reset()


def _server(service: str) -> "BaseWSGIServer":
    import moto.moto_server.werkzeug_app as moto  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs] - dear, too
    from werkzeug.serving import WSGIRequestHandler, make_server  # noqa: PLC0415

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"  # connections are kept, as with the service
        disable_nagle_algorithm = True

        def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002 - werkzeug's name
            pass

    app = cast("WsgiApp", moto.create_backend_app(cast("Any", service)))
    return make_server("127.0.0.1", 0, one_at_a_time(app), threaded=True, request_handler=Quiet)
