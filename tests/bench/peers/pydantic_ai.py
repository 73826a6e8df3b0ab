"""pydantic-ai with its Anthropic model; history in its own JSON form, in the store written by hand."""

from pydantic_ai import Agent as PydanticAgent
from pydantic_ai import ModelMessagesTypeAdapter, UsageLimits
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from bench.peers.settings import KEY, LIMIT, MODEL, MODEL_URL
from bench.peers.store import Store
from bench.peers.task import ABOUT, ANSWER, SYSTEM, lookup_text


class Agent:
    """An agent that is stored once at the end."""

    def __init__(self) -> None:
        self._store = Store()
        model = AnthropicModel(MODEL, provider=AnthropicProvider(base_url=MODEL_URL, api_key=KEY))
        self._agent = PydanticAgent(model, instructions=SYSTEM)

        def lookup(query: str) -> str:
            return lookup_text(query)

        lookup.__doc__ = ABOUT
        self._agent.tool_plain(lookup)

    def turn(self, conversation: str, text: str) -> str:
        """Answers a message."""
        turns = self._store.load(conversation)
        history = [message for turn in turns for message in ModelMessagesTypeAdapter.validate_json(turn)]
        result = self._agent.run_sync(
            text, message_history=history, usage_limits=UsageLimits(request_limit=LIMIT, tool_calls_limit=None)
        )
        self._store.append(conversation, len(turns), result.new_messages_json().decode())
        return result.output

    def seed(self, conversation: str, questions: list[str]) -> None:
        """Stores messages that were answered earlier."""
        texts = [
            ModelMessagesTypeAdapter.dump_json(
                [ModelRequest([UserPromptPart(question)], instructions=SYSTEM), ModelResponse([TextPart(ANSWER)])]
            ).decode()
            for question in questions
        ]
        self._store.seed(conversation, texts)
