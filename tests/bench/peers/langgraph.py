"""LangChain's create_agent (LangGraph) with ChatAnthropic and langgraph-checkpoint-aws's DynamoDBSaver.

The saver could put what is larger than an item into a bucket; here, as with all peers, there is DynamoDB alone.
"""

from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph_checkpoint_aws import DynamoDBSaver

from bench.peers.settings import KEY, LIMIT, MODEL, MODEL_URL
from bench.peers.task import ANSWER, SYSTEM, lookup_text

STEPS = 2
"""Of the graph, for a round: the model, the tools."""


@tool
def lookup(query: str) -> str:
    """Look up a fact."""
    return lookup_text(query)


class Agent:
    """A graph whose state is saved after each step, which is its default."""

    def __init__(self) -> None:
        model = ChatAnthropic(model=MODEL, base_url=MODEL_URL, api_key=KEY, max_tokens=1024)
        self._agent = create_agent(model, [lookup], system_prompt=SYSTEM, checkpointer=DynamoDBSaver("checkpoints"))

    def turn(self, conversation: str, text: str) -> str:
        """Answers a message."""
        config = {"configurable": {"thread_id": conversation}, "recursion_limit": STEPS * LIMIT}
        out = self._agent.invoke({"messages": [{"role": "user", "content": text}]}, config)
        return out["messages"][-1].text

    def seed(self, conversation: str, questions: list[str]) -> None:
        """Stores messages that were answered earlier, all in one checkpoint."""
        messages = [message for question in questions for message in (HumanMessage(question), AIMessage(ANSWER))]
        self._agent.update_state({"configurable": {"thread_id": conversation}}, {"messages": messages}, "model")
