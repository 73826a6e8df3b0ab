"""The settings, read once from the environment and checked at start."""

import os
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from rondas.loop import MAX_TOOL_ROUNDS
from rondas.prices import PATTERN, PRICES
from rondas.store.allowance import Allowance
from rondas.toolbox import DEFAULT_MAX_CHARS


class SettingsError(Exception):
    """A setting is missing or wrong. The message names it and says what it should be."""


class TableSettings(BaseModel):
    """Where the conversations lie. Each field is the environment variable of the same name in capitals.

    Attributes:
        table_name: their DynamoDB table.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    table_name: str = Field(min_length=3)

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, *, required: Iterable[str] = ()) -> Self:
        """Reads the settings; an empty variable counts as not set.

        Args:
            environment: where they are.
            required: variables that the app needs beyond these.

        Raises:
            SettingsError: names the first variable that is wrong.
        """
        for variable in required:
            if not environment.get(variable):
                raise SettingsError(f"{variable}: is not set")
        given = {name: environment[name.upper()] for name in cls.model_fields if environment.get(name.upper())}
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            problem = error.errors()[0]
            raise SettingsError(f"{str(problem['loc'][0]).upper()}: {_expectation(problem)}") from None


class AllowanceSettings(TableSettings):
    """What one person may use, beside the table that it is counted in.

    Attributes:
        daily_token_quota: tokens that the models may read and write for one person in a day (UTC); 0 for any number.
        max_runs_per_person: messages of one person that may be answered at the same time; 0 for any number.
    """

    daily_token_quota: int = Field(default=0, ge=0)
    max_runs_per_person: int = Field(default=3, ge=0, le=100)

    def allowance(self) -> Allowance:
        """Returns it as the store counts it."""
        return Allowance(self.daily_token_quota, self.max_runs_per_person)


class Settings(AllowanceSettings):
    """What an operator can set for the agent.

    Attributes:
        models: `provider:model`, the first one used first, the others when it cannot answer.
        max_tool_rounds: rounds of tools for one message.
        time_budget_seconds: for a whole run; never more than the gateway and the function leave.
        closing_reserve_seconds: the end of the budget, kept for the closing call; see `Budget.start`.
        max_output_tokens: for one model call. Beyond 16 000 providers want streaming.
        context_token_budget: about how many tokens of history the model is shown. No model takes more than 2 000 000.
        tool_result_max_chars: beyond this a tool result is cut.
        model_prices: what the models cost, for the estimate in the metrics; see `rondas.prices.PRICES`.
        queue_url: the queue on which messages are handed on to the worker; empty where there is none.
        worker_time_budget_seconds: the time budget of a message that was handed on.
        worker_max_tool_rounds: rounds of tools for such a message, those before it was handed on included.
        api_keys_secret_arn: the secret with the providers' keys, for AWS; locally they are plain variables.
    """

    models: str = Field(pattern=r"^[a-z]+:[^\s,]+(\s*,\s*[a-z]+:[^\s,]+)*$")
    max_tool_rounds: int = Field(default=MAX_TOOL_ROUNDS, ge=0, le=100)
    time_budget_seconds: float = Field(default=25, gt=0, le=900)
    closing_reserve_seconds: float = Field(default=7, ge=0, le=900)
    max_output_tokens: int = Field(default=4096, ge=16, le=16_000)
    context_token_budget: int = Field(default=60_000, ge=100, le=2_000_000)
    tool_result_max_chars: int = Field(default=DEFAULT_MAX_CHARS, ge=100)
    model_prices: str = Field(default=PRICES, pattern=PATTERN)
    queue_url: str = ""
    worker_time_budget_seconds: float = Field(default=600, gt=0, le=870)
    worker_max_tool_rounds: int = Field(default=20, ge=0, le=100)
    api_keys_secret_arn: str = ""

    def for_worker(self) -> Self:
        """Returns the settings of the worker: its own limits in place of those of a message that somebody waits for."""
        limits = {
            "time_budget_seconds": self.worker_time_budget_seconds,
            "max_tool_rounds": self.worker_max_tool_rounds,
        }
        return self.model_copy(update=limits)

    def model_names(self) -> list[str]:
        """Returns the models in their order, each as `provider:model`."""
        return [name.strip() for name in self.models.split(",")]


def is_on(variable: str, environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a switch is on. It is `on` or `off`; not set, and empty, are off.

    Raises:
        SettingsError: it is neither.
    """
    value = environment.get(variable) or "off"
    if value not in {"on", "off"}:
        raise SettingsError(f"{variable}: should be on or off")
    return value == "on"


def _expectation(problem: ErrorDetails) -> str:
    if problem["type"] == "missing":
        return "is not set"
    if problem["type"] == "string_pattern_mismatch":
        return _PATTERNS[str(problem["loc"][0])]
    return problem["msg"]


_PATTERNS = {
    "models": "should be provider:model, several separated by commas, such as anthropic:claude-sonnet-5-5",
    "model_prices": "should be provider:model=input/cached/output in dollars for a million tokens, "
    "several separated by commas, such as anthropic:claude-sonnet-5-5=2/0.1/10",
}
