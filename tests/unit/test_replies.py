"""The fixed words, in the person's language (rule L5)."""

from typing import get_args

import pytest

from rondas.history import Status
from rondas.replies import fixed_reply, interrupted_reply, language_of


@pytest.mark.parametrize(
    ("text", "accept", "language"),
    [
        ("How much did I progress on bench press this month?", "", "en"),
        ("¿Cuánto he progresado en press banca este mes?", "", "es"),
        ("cuanto he progresado en press banca este mes", "", "es"),
        ("sí", "", "es"),
        ("ok", "", "en"),
        ("", "", "en"),
        ("How much?", "es-ES,es;q=0.9,en;q=0.8", "es"),
        ("¿Cuánto?", "en-GB", "en"),
        ("¿Cuánto?", "fr-FR,fr;q=0.9", "es"),
        ("¿Cuánto?", "*;;,=", "es"),
        ("How much?", "es;q=0.1, en;q=0.9", "en"),
        ("How much?", "en;q=0, es;q=0.5", "es"),
        ("How much?", "en;q=high", "en"),
        ("I like the el paso mountain trail", "", "en"),
    ],
)
def test_the_language_is_the_apps_or_that_of_the_text(text: str, accept: str, language: str) -> None:
    assert language_of(text, accept) == language


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_status_that_can_be_without_words_has_a_sentence_in_both_languages(language: str) -> None:
    for status in get_args(Status.__value__):
        if status != "answered":
            assert fixed_reply(status, language)  # pyright: ignore[reportArgumentType]


def test_the_account_of_an_interruption_says_what_is_unknown_only_where_something_is() -> None:
    assert "effect" in interrupted_reply("en", effect_unknown=True)
    assert "effect" not in interrupted_reply("en", effect_unknown=False)
    assert "efecto" in interrupted_reply("es", effect_unknown=True)
