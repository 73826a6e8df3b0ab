"""The models, one file a provider; each file imports its SDK, and is imported only when a setting names it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import NamedTuple, Protocol

from rondas.history import Entry, Turn
from rondas.providers.errors import ProviderError
from rondas.settings import SettingsError
from rondas.tools import Tool


class Entrance(NamedTuple):
    """Where a provider lives: a module with `connect(Binding) -> Provider`, and the variable that holds its key."""

    module: str
    key_variable: str


PROVIDERS = {
    "anthropic": Entrance("rondas.providers.anthropic", "ANTHROPIC_API_KEY"),
    "openai": Entrance("rondas.providers.openai", "OPENAI_API_KEY"),
    "google": Entrance("rondas.providers.google", "GEMINI_API_KEY"),
}
"""The providers. A new one is one file and one line."""


class Provider(Protocol):
    """One model of one provider, with the system prompt and the tools told to it. Makes one attempt a call."""

    def turn(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """Asks for the next turn; see `rondas.model.Model.reply`.

        Raises:
            OutOfTime: nothing came within `seconds`.
            ProviderError: the attempt failed; the error says whether another one makes sense.
        """
        ...


@dataclass(frozen=True, slots=True)
class Binding:
    """All that a provider needs to be asked.

    Attributes:
        name: `provider:model`, as turns are signed with.
        model: the provider's own name of the model.
        key: gives the API key when it is needed; it may have to be fetched.
        prompt: the system prompt.
        tools: the tools, in a fixed order, so that the provider's prompt cache keeps hitting.
        max_output_tokens: for one turn.
    """

    name: str
    model: str
    key: Callable[[], str]
    prompt: str
    tools: Sequence[Tool]
    max_output_tokens: int


def connect(
    name: str, key: Callable[[str], str], prompt: str, tools: Sequence[Tool], max_output_tokens: int
) -> Provider:
    """Returns the provider of a model, its SDK imported.

    Args:
        name: `provider:model`.
        key: gives the API key kept under the name of a variable.
        prompt: the system prompt.
        tools: what the model may call.
        max_output_tokens: for one turn.

    Raises:
        SettingsError: there is no such provider.
    """
    variable = key_variable(name)
    provider, _, model = name.partition(":")

    def fetch_key() -> str:
        try:
            return key(variable)
        except Exception as error:
            raise ProviderError(name, f"no {variable}: {type(error).__name__}", retryable=False) from error

    binding = Binding(name, model, fetch_key, prompt, tools, max_output_tokens)
    return import_module(PROVIDERS[provider].module).connect(binding)


def key_variable(name: str) -> str:
    """Returns the name of the variable that holds the key for `provider:model`.

    Raises:
        SettingsError: there is no such provider.
    """
    provider = name.partition(":")[0]
    if provider not in PROVIDERS:
        raise SettingsError(f"MODELS: there is no provider {provider!r}; there are {', '.join(PROVIDERS)}")
    return PROVIDERS[provider].key_variable
