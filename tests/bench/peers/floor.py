"""The floor: urllib3 to the model, boto3 to DynamoDB, nothing else."""

import json
import ssl

import urllib3

from bench.peers.settings import KEY, LIMIT, MODEL, MODEL_URL
from bench.peers.store import Store
from bench.peers.task import ABOUT, SYSTEM, UNFINISHED, Message, chat_messages, lookup_text

TOOL = {
    "name": "lookup",
    "description": ABOUT,
    "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}


class Agent:
    """A loop that stores once at the end."""

    def __init__(self) -> None:
        self._store = Store()
        # The TLS context is made as it has to be in production, though the model of the bench speaks plain HTTP.
        self._http = urllib3.PoolManager(ssl_context=ssl.create_default_context())

    def turn(self, conversation: str, text: str) -> str:
        """Answers a message."""
        turns = self._store.load(conversation)
        earlier: list[Message] = [message for turn in turns for message in json.loads(turn)]
        new: list[Message] = [{"role": "user", "content": text}]
        for _ in range(LIMIT):
            content = self._ask(earlier + new)
            new.append({"role": "assistant", "content": content})
            results = [
                {"type": "tool_result", "tool_use_id": block["id"], "content": lookup_text(**block["input"])}
                for block in content
                if block["type"] == "tool_use"
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

    def _ask(self, messages: list[Message]) -> list[Message]:
        request = {"model": MODEL, "max_tokens": 1024, "system": SYSTEM, "tools": [TOOL], "messages": messages}
        headers = {"content-type": "application/json", "x-api-key": KEY, "anthropic-version": "2023-06-01"}
        response = self._http.request("POST", f"{MODEL_URL}/v1/messages", body=json.dumps(request), headers=headers)
        if response.status != 200:
            raise RuntimeError(response.data.decode())
        return response.json()["content"]
