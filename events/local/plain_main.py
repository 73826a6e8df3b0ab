"""A plain slot's process: runs one function, one invocation at a time, for the server that started it.

Started as `python -m local.plain_main SOCKET FUNCTION`: the number of an inherited socket, over which JSON lines go
both ways, and the function as JSON. Standard output and error are free for whatever the function prints.
"""

import json
import os
import queue
import socket
import sys
import threading
import traceback
from contextlib import suppress

from local.function import Loaded, load
from local.json_values import Json
from local.start_errors import InitError
from local.template import Function


def main(socket_number: str, description: str) -> None:
    """Loads the function, says whether it is ready, and answers invocations until the server is gone."""
    connection = socket.socket(fileno=int(socket_number))
    events = _received(connection)
    try:
        loaded = load(Function.from_json(description))
    except InitError as error:
        _send(connection, {"error": str(error)})
        return
    _send(connection, {"ready": True})
    while True:
        _send(connection, _invoke(loaded, events.get()))


def _invoke(loaded: Loaded, event: Json) -> Json:
    """Invokes the function in the main thread, where it may use signals, as in Lambda."""
    try:
        return {"payload": loaded.invoke(event)}
    except Exception as error:  # noqa: BLE001 - Lambda's runtime catches all and keeps the process
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}


def _received(connection: socket.socket) -> "queue.SimpleQueue[Json]":
    """Reads events in a thread of its own, which also notices when the server is gone, whatever the function does."""
    events: queue.SimpleQueue[Json] = queue.SimpleQueue()

    def read() -> None:
        # A server that was killed with an answer unread resets the connection.
        with suppress(OSError), connection.makefile("rb") as lines:
            for line in lines:
                events.put(json.loads(line))
        os._exit(0)  # nobody is left to answer to

    threading.Thread(target=read, name="events", daemon=True).start()
    return events


def _send(connection: socket.socket, message: Json) -> None:
    connection.sendall(json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
