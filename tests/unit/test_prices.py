"""What a run costs, about."""

import pytest

from rondas.history import Usage
from rondas.prices import PRICES, Price, read_prices
from rondas.settings import Settings, SettingsError


def test_cached_input_has_a_price_of_its_own() -> None:
    # Given a model call that read a million tokens, most of them from the cache, and wrote a tenth of that
    usage = Usage(input=1_000_000, cached=900_000, output=100_000)
    # When it is priced at 2 dollars, 10 cents and 10 dollars
    assert Price(2, 0.1, 10).of(usage) == pytest.approx(0.2 + 0.09 + 1.0)


def test_every_price_that_is_shipped_can_be_read() -> None:
    prices = read_prices(PRICES)

    assert prices["anthropic:claude-sonnet-5-5"] == Price(2, 0.1, 10)
    assert all(price.cached < price.input < price.output for price in prices.values())


@pytest.mark.parametrize(
    "text", ["anthropic:m=1/2", "m=1/2/3", "anthropic:m=1/2/3,", "anthropic:m=a/b/c", "anthropic:m"]
)
def test_prices_that_cannot_be_read_are_refused_with_an_example(text: str) -> None:
    environment = {"TABLE_NAME": "conversations", "MODELS": "anthropic:m", "MODEL_PRICES": text}

    with pytest.raises(SettingsError, match=r"^MODEL_PRICES: should be provider:model=input/cached/output"):
        Settings.read(environment)
