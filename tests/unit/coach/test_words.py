import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.vocabulary import SAME
from coach.words import distance, fold, hits, words_of


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Press banca", "bench press"),
        ("PRESS DE BANCA", "Bench Press"),
        ("sentadillas", "squat"),
        ("Peso muerto rumano", "deadlift romanian"),
        ("Jalón al pecho", "lat pulldown"),
        ("Pull-Ups", "pullup"),
        ("dominadas", "Pullups"),
        ("glúteos", "glutes"),
        ("Barbell Bench Press - Medium Grip", "barbell bench press"),
    ],
)
def test_the_same_exercise_has_the_same_words(written: str, meant: str) -> None:
    assert words_of(written) == words_of(meant)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("incline bench press", "decline bench press"),
        ("adductors", "abductors"),
        ("biceps curl", "triceps curl"),
        ("lower back", "middle back"),
        ("卧推", "深蹲"),
    ],
)
def test_different_exercises_keep_different_words(one: str, other: str) -> None:
    assert words_of(one) != words_of(other)


def test_every_phrase_of_the_vocabulary_is_written_the_way_names_are_read() -> None:
    assert [phrase for phrase in SAME if fold(phrase) != phrase] == []
    assert [words for words in SAME.values() if fold(words) != words] == []


@given(st.text())
def test_marks_around_a_name_never_matter(text: str) -> None:
    assert words_of(f" - {text}! ") == words_of(text)


@given(st.text("abcdefghijklmnopqrstuvwxyzáéíóúüñ -"))
def test_case_and_accents_never_matter(text: str) -> None:
    plain = text.translate(str.maketrans("áéíóúüñ", "aeiouun"))
    assert words_of(text.upper()) == words_of(plain)


def test_a_beginning_of_three_letters_stands_for_a_word_and_two_do_not() -> None:
    assert hits(["dea", "sq"], ("deadlift", "squat")) == 1


def test_what_an_exercise_is_done_with_is_no_distance() -> None:
    assert distance(("squat",), ("barbell", "squat")) == 0
    assert distance(("squat",), ("barbell", "front", "squat")) == 1
