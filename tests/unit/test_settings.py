"""Settings are checked at start, and the message names the variable."""

import pytest

from rondas.settings import Settings, SettingsError, is_on

GOOD = {"TABLE_NAME": "conversations", "MODELS": "anthropic:claude-sonnet-5-5"}


def test_defaults_are_those_of_the_design() -> None:
    # Given only what must be set; when the settings are read
    settings = Settings.read(GOOD)
    # Then the rest has its default
    assert (settings.max_tool_rounds, settings.time_budget_seconds, settings.closing_reserve_seconds) == (10, 25, 7)


def test_several_models_keep_their_order() -> None:
    settings = Settings.read(GOOD | {"MODELS": "anthropic:a, openai:b,google:c"})
    assert settings.model_names() == ["anthropic:a", "openai:b", "google:c"]


@pytest.mark.parametrize(
    ("change", "variable"),
    [
        ({"TABLE_NAME": ""}, "TABLE_NAME"),
        ({"MODELS": ""}, "MODELS"),
        ({"MODELS": "claude"}, "MODELS"),
        ({"MODELS": "anthropic:"}, "MODELS"),
        ({"MODELS": "anthropic:a,,"}, "MODELS"),
        ({"MAX_TOOL_ROUNDS": "ten"}, "MAX_TOOL_ROUNDS"),
        ({"MAX_TOOL_ROUNDS": "-1"}, "MAX_TOOL_ROUNDS"),
        ({"MAX_TOOL_ROUNDS": "1.5"}, "MAX_TOOL_ROUNDS"),
        ({"TIME_BUDGET_SECONDS": "0"}, "TIME_BUDGET_SECONDS"),
        ({"TIME_BUDGET_SECONDS": "nan"}, "TIME_BUDGET_SECONDS"),
        ({"CLOSING_RESERVE_SECONDS": "-1"}, "CLOSING_RESERVE_SECONDS"),
        ({"MAX_OUTPUT_TOKENS": "64000"}, "MAX_OUTPUT_TOKENS"),
        ({"TOOL_RESULT_MAX_CHARS": "1"}, "TOOL_RESULT_MAX_CHARS"),
        ({"DAILY_TOKEN_QUOTA": "-1"}, "DAILY_TOKEN_QUOTA"),
        ({"DAILY_TOKEN_QUOTA": "1e6"}, "DAILY_TOKEN_QUOTA"),
        ({"MAX_RUNS_PER_PERSON": "-1"}, "MAX_RUNS_PER_PERSON"),
    ],
)
def test_a_missing_or_wrong_setting_is_named(change: dict[str, str], variable: str) -> None:
    # Given one setting that is missing or wrong; when the settings are read, then the error names it
    with pytest.raises(SettingsError, match=f"^{variable}: "):
        Settings.read(GOOD | change)


def test_a_variable_set_to_nothing_counts_as_not_set() -> None:
    assert Settings.read(GOOD | {"MAX_TOOL_ROUNDS": ""}).max_tool_rounds == 10


@pytest.mark.parametrize("nothing", ["", "0"])
def test_without_a_number_there_is_no_quota(nothing: str) -> None:
    assert Settings.read(GOOD | {"DAILY_TOKEN_QUOTA": nothing}).daily_token_quota == 0


def test_the_wrong_value_is_not_repeated() -> None:
    # Given a value in the wrong variable that may be a secret; when it is refused, then it is not shown
    with pytest.raises(SettingsError) as refused:
        Settings.read(GOOD | {"MODELS": "sk-secret"})
    assert "sk-secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("environment", "on"), [({}, False), ({"X": ""}, False), ({"X": "off"}, False), ({"X": "on"}, True)]
)
def test_a_switch_is_off_unless_it_is_on(environment: dict[str, str], on: bool) -> None:
    assert is_on("X", environment) is on


@pytest.mark.parametrize("value", ["true", "1", "ON", " on"])
def test_a_switch_that_is_neither_on_nor_off_is_named(value: str) -> None:
    with pytest.raises(SettingsError, match="WEB_PAGES: should be on or off"):
        is_on("WEB_PAGES", {"WEB_PAGES": value})
