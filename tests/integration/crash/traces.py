"""What the processes of a scene leave behind about themselves, in a file that outlives them."""

import os
import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rondas.history import Answer, Entry


@dataclass(frozen=True)
class Event:
    """Something a process did. Attributes: `run`, its name; `key`, the message it was answering."""

    run: str
    key: str


@dataclass(frozen=True)
class Claimed(Event):
    """It took the conversation, with this fence."""

    fence: int


@dataclass(frozen=True)
class Asked(Event):
    """It asked the model: the name of the question, what was shown, and what lay in the table at that moment."""

    ask: str
    shown: tuple[Entry, ...]
    stored: tuple[Entry, ...]


@dataclass(frozen=True)
class Began(Event):
    """It began the tool with an effect, under the key of that call."""

    call_key: str


@dataclass(frozen=True)
class Answered(Event):
    """It gave the person this answer."""

    answer: Answer


@dataclass(frozen=True)
class Failed(Event):
    """It gave the person no answer: the name of the exception, the fence it held, and the one the table had then."""

    error: str
    held: int
    found: int


@dataclass(frozen=True)
class Sent(Event):
    """It put the message into the queue. From now on the queue delivers it, however often."""


@dataclass(frozen=True)
class Slept(Event):
    """It fell asleep, holding this fence; 0 where it held none."""

    held: int


@dataclass(frozen=True)
class Passed(Event):
    """It ran to its end, and came past these points."""

    points: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """The file. Each event is one write to its end, so that many processes can write, and any of them be killed."""

    path: Path

    def add(self, event: Event) -> None:
        """Writes an event down before anything else happens."""
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, pickle.dumps(event))
        os.close(file)

    def __iter__(self) -> Iterator[Event]:
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            while True:
                try:
                    yield pickle.load(file)
                except EOFError:
                    return
