"""What a model call costs, about: for an alarm on the spend of an hour, not for a bill."""

from typing import NamedTuple

from rondas.history import Usage

# From the vendors' price pages, November 2026, standard rates for short prompts. Writing to a cache is charged as other
# input is, which is a little low for Anthropic and OpenAI. Google's rates double in January 2027.
PRICES = (
    "anthropic:claude-sonnet-5-5=2/0.1/10,anthropic:claude-opus-5-5=4/0.2/20,anthropic:claude-haiku-5-5=0.1/0.01/0.5,"
    "openai:gpt-6.2-sol=2/0.1/10,openai:gpt-6.2-astra=8/0.4/40,openai:gpt-6-luna=0.1/0.01/0.5,"
    "google:gemini-3.8-flash=0.75/0.075/3.75"
)
"""US dollars for a million tokens: `provider:model=input/cached input/output`, comma-separated."""

_PRICE = r"[a-z]+:[^\s,=]+=\d+(\.\d+)?(/\d+(\.\d+)?){2}"
PATTERN = f"^{_PRICE}(,{_PRICE})*$"

_MILLION = 1_000_000


class Price(NamedTuple):
    """US dollars for a million tokens."""

    input: float
    cached: float
    output: float

    def of(self, usage: Usage) -> float:
        """Returns what so many tokens cost, in US dollars."""
        fresh = usage.input - usage.cached
        return (fresh * self.input + usage.cached * self.cached + usage.output * self.output) / _MILLION


def read_prices(text: str) -> dict[str, Price]:
    """Returns the prices by model; `text` follows `PATTERN`."""
    lines = (line.rpartition("=") for line in text.split(","))
    return {model: Price(*map(float, price.split("/"))) for model, _, price in lines}
