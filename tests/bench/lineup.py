"""Who takes part, each with the environment it runs in."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Peer:
    """A way to answer messages.

    Attributes:
        adapter: the module of `bench.peers` that knows how to ask it.
        environment: whose packages it runs with: a file of `peers/requirements`, or `rondas`.
        code: for Rondas: the folder that stands in the function's place (see `bench.environments`); else nothing.
        variables: what it finds in its environment beside what all find there.
        resends: whether it knows a message that is sent again.
    """

    adapter: str
    environment: str
    code: str = ""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    resends: bool = False


RONDAS = "rondas"
HAND_WRITTEN = "raw_sdk"
FLOOR = "floor"

PEERS = {
    FLOOR: Peer("floor", "floor"),
    HAND_WRITTEN: Peer("raw_sdk", "raw_sdk"),
    RONDAS: Peer("rondas", "rondas", "lookup", resends=True),
    "rondas_no_http": Peer("rondas_agent", "rondas", "lookup", resends=True),
    "pydantic_ai": Peer("pydantic_ai", "pydantic_ai"),
    "strands_ddb": Peer("strands", "strands"),
    "langgraph": Peer("langgraph", "langgraph"),
}
"""The peers, by their names in the tables. A new one is an adapter, a file of requirements and a line."""

TIMED_ONLY = {"rondas_no_http"}
"""Those that do nothing else than another one, and are only faster or slower."""

NAMES = {
    FLOOR: "raw HTTP and boto3",
    HAND_WRITTEN: "hand-written SDK loop",
    RONDAS: "Rondas, as deployed",
    "rondas_no_http": "Rondas without HTTP",
    "pydantic_ai": "pydantic-ai, stored by hand",
    "strands_ddb": "strands, DynamoDB session",
    "langgraph": "langgraph, DynamoDB saver",
}
"""What they are called where a person reads of them."""

MODELS = {
    "anthropic": "anthropic:claude-sonnet-5-5",
    "openai": "openai:gpt-6.2-sol",
    "google": "google:gemini-3.8-flash",
}
SDKS = {"anthropic": "anthropic", "openai": "openai", "google": "google.genai"}

STARTS = {
    **{f"chat, {provider}": Peer("rondas", "rondas", "chat", {"MODELS": model}) for provider, model in MODELS.items()},
    "conversations": Peer("rondas_conversations", "rondas", "conversations"),
}
"""The functions of Rondas as they are deployed, the coach included."""

IMPORTS = {
    **{f"chat, {provider}": Peer("imports", "rondas", variables={"SDK": sdk}) for provider, sdk in SDKS.items()},
    "conversations": Peer("imports", "rondas", variables={"SDK": ""}),
}
"""What each of these functions cannot do without, from the same packages."""
