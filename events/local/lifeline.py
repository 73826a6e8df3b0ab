"""A lifeline between the server and processes that something else has started for it.

Such a process connects as the first thing it does and says who it is. The server can then end it for certain, and it
ends by itself when the server is gone, however that came about.
"""

import os
import signal
import socket
import threading
from contextlib import suppress

HELLO_SECONDS = 1.0
LONGEST_HELLO = 32


class Lifeline:
    """The server's end."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._held: list[socket.socket] = []

    @property
    def port(self) -> int:
        """Where processes connect."""
        return self._listener.getsockname()[1]

    def cut(self) -> None:
        """Ends every process that holds the lifeline, at once, and lets nobody take hold of it again."""
        with self._listener:
            self._listener.settimeout(0)
            with suppress(BlockingIOError):
                while True:
                    self._held.append(self._listener.accept()[0])
        for connection in self._held:
            with connection, suppress(OSError, ValueError):
                connection.settimeout(HELLO_SECONDS)
                os.killpg(int(connection.recv(LONGEST_HELLO)), signal.SIGKILL)
        self._held.clear()


def hold(port: int) -> None:
    """Takes hold of the lifeline at `port`: this process, and the one that started it, end when it is cut.

    Raises:
        OSError: it has been cut already.
    """
    lifeline = socket.create_connection(("127.0.0.1", port))
    lifeline.sendall(b"%d" % os.getpgid(0))
    parent = os.getppid()

    def wait() -> None:
        with suppress(OSError):
            lifeline.recv(1)
        with suppress(ProcessLookupError):
            os.kill(parent, signal.SIGKILL)
        os._exit(0)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()
