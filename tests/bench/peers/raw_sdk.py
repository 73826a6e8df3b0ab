"""The loop that one writes by hand: the anthropic SDK and boto3, stored once at the end."""

import json
from typing import Any

import anthropic

from bench.peers.settings import KEY, LIMIT, MODEL, MODEL_URL
from bench.peers.store import Store
from bench.peers.task import ABOUT, SYSTEM, UNFINISHED, Message, chat_messages, lookup_text

TOOL: Any = {
    "name": "lookup",
    "description": ABOUT,
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}


class Agent:
    """A loop that stores once at the end."""

    def __init__(self) -> None:
        self._store = Store()
        self._client: Any = anthropic.Anthropic(api_key=KEY, base_url=MODEL_URL)

    def turn(self, conversation: str, text: str) -> str:
        """Answers a message."""
        turns = self._store.load(conversation)
        earlier: list[Message] = [message for turn in turns for message in json.loads(turn)]
        new: list[Message] = [{"role": "user", "content": text}]
        for _ in range(LIMIT):
            reply = self._client.messages.create(
                model=MODEL, max_tokens=1024, system=SYSTEM, tools=[TOOL], messages=earlier + new
            )
            new.append(
                {"role": "assistant", "content": [block.model_dump(exclude_none=True) for block in reply.content]}
            )
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": lookup_text(**block.input)}
                for block in reply.content
                if block.type == "tool_use"
            ]
            if not results:
                break
            new.append({"role": "user", "content": results})
        else:
            new.append({"role": "assistant", "content": [{"type": "text", "text": UNFINISHED}]})
        self._store.append(conversation, len(turns), json.dumps(new))
        return new[-1]["content"][0]["text"]

    def seed(self, conversation: str, questions: list[str]) -> None:
        """Stores messages that were answered earlier."""
        self._store.seed(conversation, [json.dumps(chat_messages(question)) for question in questions])
