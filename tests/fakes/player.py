"""Exchanges with the real services, recorded by others (tests/data/recorded/README.md), to be played again."""

import json
from pathlib import Path
from typing import NamedTuple

from fakes.server import Json, Reply

_RECORDED = Path(__file__).parents[1] / "data" / "recorded"


class Exchange(NamedTuple):
    """A request that a service really got, and what it really answered."""

    request: Json
    status: int
    response: Json

    @property
    def reply(self) -> Reply:
        return Reply(self.response, self.status)


def recorded(provider: str) -> list[tuple[str, list[Exchange]]]:
    """Returns the recordings of a provider: the name of each, and its exchanges in order."""
    files = sorted((_RECORDED / provider).glob("*.json"))
    return [(file.stem, _exchanges(json.loads(file.read_text("utf-8")))) for file in files]


def _exchanges(recording: Json) -> list[Exchange]:
    return [Exchange(each["request"], each["status"], each["response"]) for each in recording["exchanges"]]
