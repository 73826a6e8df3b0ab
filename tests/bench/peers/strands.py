"""strands-agents with its Anthropic model and the session manager strands-session-dynamodb, one item a message.

It is called by `invoke_async` on one event loop. The plain `agent(text)` makes a loop each time, while the Anthropic
client keeps connections of the one before: from the second message of a process on, its first model call fails, and the
client's own retry costs half a second.
"""

import asyncio

import boto3
from strands import Agent as StrandsAgent
from strands import tool
from strands.models.anthropic import AnthropicModel
from strands_agents_session import KeyValueSessionManager
from strands_session_dynamodb import DynamoDBSessionStorage

from bench.peers.settings import KEY, LIMIT, MODEL, MODEL_URL
from bench.peers.task import ANSWER, SYSTEM, lookup_text


@tool
def lookup(query: str) -> str:
    """Look up a fact."""
    return lookup_text(query)


class Agent:
    """An agent with a session in DynamoDB; the clients are shared between messages."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        arguments = {"api_key": KEY, "base_url": MODEL_URL}
        self._model = AnthropicModel(client_args=arguments, model_id=MODEL, max_tokens=1024)
        self._storage = DynamoDBSessionStorage("strands", boto_session=boto3.Session())

    def turn(self, conversation: str, text: str) -> str:
        """Answers a message."""
        agent = self._open(KeyValueSessionManager(conversation, self._storage))
        result = self._loop.run_until_complete(agent.invoke_async(text, limits={"turns": LIMIT}))
        stopped = "" if result.stop_reason == "end_turn" else f"[stop_reason={result.stop_reason}] "
        return stopped + str(result)

    def seed(self, conversation: str, questions: list[str]) -> None:
        """Stores messages that were answered earlier."""
        session = KeyValueSessionManager(conversation, self._storage, write_mode="batched")
        agent = self._open(session)
        for question in questions:
            for role, text in (("user", question), ("assistant", ANSWER)):
                message = {"role": role, "content": [{"text": text}]}
                agent.messages.append(message)
                session.append_message(message, agent)
        session.sync_agent(agent)

    def _open(self, session: KeyValueSessionManager) -> StrandsAgent:
        return StrandsAgent(
            self._model,
            tools=[lookup],
            system_prompt=SYSTEM,
            agent_id="a",
            callback_handler=None,
            session_manager=session,
        )
