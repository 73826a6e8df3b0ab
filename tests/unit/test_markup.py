"""HTML in a tool's result is reduced to its words; what only has a `<` in it is left alone."""

import subprocess
import sys

import pytest

from rondas.markup import is_html, without_markup


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE html><html><body><p>Squat</p></body></html>",
        "\n  <!-- saved --><!-- twice -->\n<html lang='es'><body>cut off in the mid",
        '<?xml version="1.0"?>\n<!doctype html>\n<title>x</title>',
        "<p>Lie on the bench.</p>",
        "<div class='a'>Push <b>up</b>.</div>\n",
        "<br/>Rest.<p>Again.</p>",
        "<UL><LI>one</LI></UL>",
    ],
)
def test_documents_and_fragments_are_html(text: str) -> None:
    assert is_html(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "reps < 5 and kg > 100",
        "a <b and b> c",
        "5 <p< 7",
        "<3 deadlifts <3",
        "<ana@example.com> wrote",
        "Write <b>bold</b> to make it bold",
        "<b>bold</b> is how you make it bold",
        "<p> opens a paragraph",
        "To make it bold write <b>bold</b>",
        "<Workout><Set/></Workout>",
        "<T>(items: list[T]) -> dict<str, T>",
        "```html\n<p>x</p>\n```",
        '{"html": "<p>x</p>"}',
        "<!-- -->" * 60 + "x",
    ],
)
def test_other_text_is_none_and_stays_as_it_is(text: str) -> None:
    assert not is_html(text)
    assert without_markup(text) == text


def test_of_html_the_words_stay() -> None:
    page = "<html><head><style>p{}</style></head><body><nav><a href=x>Home</a></nav><p>Squat &lt;5 reps.</p></body>"
    assert without_markup(page) == "Squat <5 reps."


def test_the_reader_of_html_is_loaded_when_there_is_html_to_read() -> None:
    # Given a fresh process with the boundary in it; when it has read no HTML, then it has not loaded what reads it
    program = "import rondas.toolbox, sys; print('rondas.html' in sys.modules, 'html.parser' in sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, check=True
    )
    assert run.stdout.split() == [b"False", b"False"]
