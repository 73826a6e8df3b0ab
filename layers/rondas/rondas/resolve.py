"""The addresses of a name, within a time.

`socket.getaddrinfo` waits in C for as long as the resolver's configuration says, half a minute or more, and no timeout
and no alarm reaches it there (rule B2). So it is asked in a thread of its own, which is left behind where it does not
answer in time. That does no harm: the thread holds nothing but the name, writes to nothing but a queue that nobody
reads any more, ends when the resolver gives up, and as a daemon keeps no process alive; a frozen Lambda freezes it too.
"""

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address
from queue import Empty, SimpleQueue
from threading import Thread

type Address = IPv4Address | IPv6Address


def resolve(host: str, seconds: float) -> list[Address]:
    """Returns the addresses of a host, as the system orders them, each once.

    Args:
        host: a name in ASCII, or an address.
        seconds: how long to wait.

    Raises:
        TimeoutError: there was no answer in time.
        OSError: the name has no address, or cannot be looked up.
    """
    answers: SimpleQueue[list[Address] | OSError] = SimpleQueue()
    Thread(target=_look_up, args=(host, answers), daemon=True, name="resolve").start()
    try:
        answer = answers.get(timeout=max(0.0, seconds))
    except Empty:
        raise TimeoutError("the name was not resolved in time") from None
    if isinstance(answer, OSError):
        raise answer
    return answer


def _look_up(host: str, answers: "SimpleQueue[list[Address] | OSError]") -> None:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        answers.put(list(dict.fromkeys(ip_address(name[0]) for *_, name in found)))
    except OSError as error:
        answers.put(error)
    except ValueError:  # a name that cannot be one, such as a label of 64 characters
        answers.put(OSError("no name of a host"))
