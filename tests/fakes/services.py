"""The three services with one vocabulary, so that one test can be asked of each of them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from fakes import anthropic, google, openai
from fakes.server import Json, ModelServer, Reply

type Calls = list[tuple[str, str, Any]]


@dataclass(frozen=True)
class Service:
    """One service and how it says things.

    Attributes:
        model: `provider:model`.
        base_url: the variable that leads the SDK elsewhere, and what comes after the host in it.
        start: makes the server.
        turn: a turn with words and calls, thoughtful where the service signs its thoughts.
        cut_off: a turn that ran into the token limit.
        refusal: a turn that refuses.
        down: an error that may pass.
        tool_choice: reads from a request whether tools may be called, in the service's words.
        tools: reads the declared tools.
        system: reads the system part.
        is_result: whether a part of a request is one of a tool's results.
        foreign: words that only this service uses, which no other may ever be sent.
    """

    model: str
    base_url: tuple[str, str]
    key: str
    start: Callable[[], ModelServer]
    turn: Callable[[str, Calls], Reply]
    cut_off: Callable[[str, Calls], Reply]
    refusal: Callable[[], Reply]
    down: Callable[[], Reply]
    tool_choice: Callable[[Json], Any]
    tools: Callable[[Json], Any]
    system: Callable[[Json], Any]
    is_result: Callable[[Json], bool]
    foreign: tuple[str, ...]

    def without_results(self, request: Json) -> Json:
        """Returns all of a request but the results of tools."""
        return _without(self.is_result, request)


ANTHROPIC = Service(
    model="anthropic:claude-sonnet-5-5",
    base_url=("ANTHROPIC_BASE_URL", ""),
    key="ANTHROPIC_API_KEY",
    start=lambda: ModelServer([], anthropic.strict(binds_thinking=True)),
    turn=lambda text, calls: anthropic.message(text, calls, thinking=f"sig-{id(calls)}"),
    cut_off=lambda text, calls: anthropic.message(text, calls, stop="max_tokens"),
    refusal=lambda: anthropic.message("I should not", stop="refusal"),
    down=lambda: anthropic.error(529, "overloaded_error"),
    tool_choice=lambda body: body["tool_choice"]["type"],
    tools=lambda body: body["tools"],
    system=lambda body: body["system"],
    is_result=lambda part: part.get("type") == "tool_result",
    foreign=("sig-", '"thinking"', "tool_use_id"),
)

OPENAI = Service(
    model="openai:gpt-6.2-sol",
    base_url=("OPENAI_BASE_URL", "/v1"),
    key="OPENAI_API_KEY",
    start=openai.OpenAIServer,
    turn=openai.completed,
    cut_off=lambda text, calls: openai.incomplete("max_output_tokens", text, calls),
    refusal=lambda: openai.incomplete("content_filter", "I should not"),
    down=lambda: openai.error(503, "server_error"),
    tool_choice=lambda body: body["tool_choice"],
    tools=lambda body: body["tools"],
    system=lambda body: body["instructions"],
    is_result=lambda part: part.get("type") == "function_call_output",
    foreign=('"rs_', "encrypted_content", "resp_", "function_call_output", '"phase"'),
)

GOOGLE = Service(
    model="google:gemini-3.8-flash",
    base_url=("GOOGLE_GEMINI_BASE_URL", ""),
    key="GEMINI_API_KEY",
    start=lambda: ModelServer([], google.strict()),
    turn=google.content,
    cut_off=lambda text, calls: google.content(text, calls, "MAX_TOKENS"),
    refusal=lambda: google.content("I should not", (), "SAFETY"),
    down=lambda: google.error(503, "overloaded", "UNAVAILABLE"),
    tool_choice=lambda body: {"AUTO": "auto", "NONE": "none"}[body["toolConfig"]["functionCallingConfig"]["mode"]],
    tools=lambda body: body["tools"],
    system=lambda body: body["systemInstruction"],
    is_result=lambda part: "functionResponse" in part,
    foreign=("thoughtSignature", "functionResponse"),
)

SERVICES = (ANTHROPIC, OPENAI, GOOGLE)


def _without(leaves_out: Callable[[Json], bool], value: Any) -> Any:
    match value:
        case dict():
            fields = cast("Json", value)
            return None if leaves_out(fields) else {name: _without(leaves_out, item) for name, item in fields.items()}
        case list():
            return [_without(leaves_out, item) for item in cast("list[Any]", value)]
        case _:
            return value
