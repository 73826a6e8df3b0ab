"""Rondas without its HTTP side: the agent that the function asks."""

from uuid import uuid4

from bench.assistant import PROMPT, TOOLS
from bench.peers.rondas_store import PERSON, seed
from rondas.assembly import assemble
from rondas.settings import Settings
from rondas.store.claim import Message

REMAINING_SECONDS = 28


class Agent:
    """The agent alone."""

    seed = staticmethod(seed)

    def __init__(self) -> None:
        self._agent = assemble(Settings.read(), prompt=PROMPT, tools=TOOLS)

    def turn(self, conversation: str, text: str, key: str = "") -> str:
        """Answers a message; the same key is the same message."""
        message = Message(PERSON, conversation, key or str(uuid4()), text)
        return self._agent.answer(message, remaining=REMAINING_SECONDS).text
