"""The settings, read once from the environment and checked at start."""

import os
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rondas.loop import MAX_TOOL_ROUNDS
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
            raise SettingsError(
                f"{str(problem['loc'][0]).upper()}: {_expectation(problem['type'], problem['msg'])}"
            ) from None


class Settings(TableSettings):
    """What an operator can set beside the table.

    Attributes:
        models: `provider:model`, the first one used first, the others when it cannot answer.
        max_tool_rounds: rounds of tools for one message.
        time_budget_seconds: for a whole run; never more than the gateway and the function leave.
        closing_reserve_seconds: the end of the budget, kept for the closing call; see `Budget.start`.
        max_output_tokens: for one model call. Beyond 16 000 providers want streaming.
        context_token_budget: about how many tokens of history the model is shown.
        tool_result_max_chars: beyond this a tool result is cut.
        daily_token_quota: tokens that the models may read and write for one person in a day (UTC); 0 for any number.
        max_runs_per_person: messages of one person that may be answered at the same time; 0 for any number.
        api_keys_secret_arn: the secret with the providers' keys, for AWS; locally they are plain variables.
    """

    models: str = Field(pattern=r"^[a-z]+:[^\s,]+(\s*,\s*[a-z]+:[^\s,]+)*$")
    max_tool_rounds: int = Field(default=MAX_TOOL_ROUNDS, ge=0, le=100)
    time_budget_seconds: float = Field(default=25, gt=0, le=900)
    closing_reserve_seconds: float = Field(default=7, ge=0, le=900)
    max_output_tokens: int = Field(default=4096, ge=16, le=16_000)
    context_token_budget: int = Field(default=60_000, ge=100)
    tool_result_max_chars: int = Field(default=DEFAULT_MAX_CHARS, ge=100)
    daily_token_quota: int = Field(default=0, ge=0)
    max_runs_per_person: int = Field(default=3, ge=0, le=100)
    api_keys_secret_arn: str = ""

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


def _expectation(kind: str, message: str) -> str:
    if kind == "missing":
        return "is not set"
    if kind == "string_pattern_mismatch":
        return "should be provider:model, several separated by commas, such as anthropic:claude-sonnet-5-5"
    return message
