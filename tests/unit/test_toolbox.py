"""The boundary between the model and the tools (rule L10)."""

import json
import logging
import time
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from rondas.history import ToolCall, ToolResult
from rondas.interrupt import OutOfTime
from rondas.toolbox import Toolbox
from rondas.tools import Arguments, Tool, ToolContext, ToolMistake, tool


class Weight(Arguments):
    kg: float = Field(gt=0, description="Kilograms.")
    note: str | None = Field(default=None, description="A remark.")


class Seen(BaseModel):
    text: str
    more: str | None = None


@tool
def echo(arguments: Weight, context: ToolContext) -> Seen:
    """Says what it was given."""
    return Seen(text=f"{arguments.kg} kg for {context.user} under {context.key}")


@tool(effect=True)
def save(arguments: Weight) -> Seen:
    """Saves a weight."""
    return Seen(text=f"saved {arguments.kg}")


def run(tools: list[Tool], name: str, arguments: str = '{"kg":1}', *, max_chars: int = 1000) -> ToolResult:
    toolbox = Toolbox(tools, max_chars=max_chars)
    return toolbox.for_user("ana").run(ToolCall("id", name, arguments), key="c/1/id", seconds=5)


def failing(action: Callable[[], object], *, effect: bool = False) -> Tool:
    @tool(effect=effect)
    def breaks(arguments: Weight) -> Seen:
        """Breaks."""
        action()
        return Seen(text="unreachable")

    return breaks


def test_a_tool_gets_its_arguments_and_context_and_gives_compact_json() -> None:
    # Given a tool; when the model calls it, then it knows the person and the key, and nulls are left out
    assert run([echo], "echo", '{"kg": 80}') == ToolResult("id", '{"text":"80.0 kg for ana under c/1/id"}', "done")


def test_a_tool_may_do_without_the_context() -> None:
    # Given a tool that takes its arguments alone; when it is called, then it runs
    assert run([save], "save").text == '{"text":"saved 1.0"}'


def test_only_tools_that_say_so_have_an_effect() -> None:
    # Given both kinds; then each says what it is, and an unknown one has none
    toolbox = Toolbox([echo, save])
    assert [toolbox.has_effect(name) for name in ("echo", "save", "nonsense")] == [False, True, False]


def test_an_unknown_tool_is_answered_with_the_names_that_exist() -> None:
    # Given a name the model made up (case 19); when it is called
    result = run([echo, save], "sing")
    # Then the model learns what there is
    assert result.outcome == "failed"
    assert "'sing'" in result.text
    assert "echo, save" in result.text


@pytest.mark.parametrize("arguments", ['{"kg":1', "kg=1", '{"kg":NaN', "{'kg': 1}"])
def test_invalid_json_is_answered_with_the_schema_and_not_run(arguments: str) -> None:
    # Given arguments that are no JSON (case 17); when the tool is called
    result = run([failing(lambda: pytest.fail("it ran"))], "breaks", arguments)
    # Then it did not run, and the model is shown what is expected
    assert result.outcome == "failed"
    assert "invalid JSON" in result.text
    assert '"kg"' in result.text


@pytest.mark.parametrize("arguments", ["[]", "null", '"x"', "1", "true"])
def test_json_that_is_no_object_is_rejected(arguments: str) -> None:
    # Given JSON of another kind; when the tool is called, then it does not run
    result = run([echo], "echo", arguments)
    assert (result.outcome, "must be a JSON object" in result.text) == ("failed", True)


@pytest.mark.parametrize("arguments", ["", "  ", "{}"])
def test_empty_arguments_are_an_empty_object(arguments: str) -> None:
    # Given a tool without required arguments
    class Nothing(Arguments):
        pass

    @tool
    def rest(arguments: Nothing) -> Seen:
        """Rests."""
        return Seen(text="rested")

    # When it is called with nothing, then it runs
    assert run([rest], "rest", arguments).outcome == "done"


@pytest.mark.parametrize(
    ("arguments", "field", "expectation"),
    [
        ({}, "kg", "required"),
        ({"kg": "heavy"}, "kg", "number"),
        ({"kg": 0}, "kg", "greater than 0"),
        ({"kg": 1, "pounds": 2}, "pounds", "not permitted"),
    ],
)
def test_arguments_that_do_not_fit_are_answered_with_field_and_expectation(
    arguments: dict[str, object], field: str, expectation: str
) -> None:
    # Given wrong arguments; when the tool is called
    result = run([echo], "echo", json.dumps(arguments))
    # Then the model is told which field, and what it expects
    assert result.outcome == "failed"
    assert f"{field}: " in result.text
    assert expectation in result.text


def test_an_exception_is_a_safe_message_and_its_text_goes_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    # Given a tool that raises with a password in the text (case 20)
    def leak() -> None:
        raise RuntimeError("password=hunter2")

    # When it is called
    with caplog.at_level(logging.DEBUG):
        result = run([failing(leak)], "breaks")
    # Then neither the model nor the log sees it, and the log says where it happened
    assert result.outcome == "failed"
    assert "hunter2" not in result.text + caplog.text
    assert "RuntimeError" in caplog.text
    assert "test_toolbox.py" in caplog.text


def test_an_exception_in_a_tool_with_an_effect_leaves_the_effect_unknown() -> None:
    # Given a tool that may have failed after its effect
    def late() -> None:
        raise TimeoutError("password=hunter2")

    # When it is called, then nobody claims that nothing happened
    result = run([failing(late, effect=True)], "breaks")
    assert result.outcome == "unknown"
    assert "Whether it took effect is unknown" in result.text
    assert "hunter2" not in result.text


def test_a_mistake_that_the_tool_explains_reaches_the_model() -> None:
    # Given a tool that knows what is wrong
    def explain() -> None:
        raise ToolMistake("There is no exercise called X.")

    # When it is called, then the model is told
    assert run([failing(explain)], "breaks") == ToolResult("id", "There is no exercise called X.", "failed")


def flood(max_chars: int | None = None) -> Tool:
    @tool(max_chars=max_chars, more="Ask for a shorter period.")
    def floods(arguments: Weight) -> Seen:
        """Floods."""
        return Seen(text="x" * 1_000_000)

    return floods


def test_a_large_result_is_cut_and_says_so() -> None:
    # Given a tool that returns a megabyte (case 21); when it is called
    result = run([flood()], "floods", max_chars=1000)
    # Then the model sees the beginning, how much is missing and how to get it, in JSON that is whole
    seen = json.loads(result.text)["text"]
    assert 990 < len(result.text) <= 1000
    kept = seen.count("x")
    assert seen.endswith(f"… [cut: {1_000_000 - kept} of 1000000 characters left out. Ask for a shorter period.]")


@pytest.mark.parametrize(("own", "all_tools", "expected"), [(300, 1000, 300), (5000, 1000, 1000), (None, 800, 800)])
def test_a_tool_may_have_less_room_than_the_others_but_not_more(own: int | None, all_tools: int, expected: int) -> None:
    assert expected - 10 < len(run([flood(own)], "floods", max_chars=all_tools).text) <= expected


def test_a_result_that_cannot_be_sent_is_cleaned() -> None:
    # Given a tool that returns a NUL byte and accents
    @tool
    def odd(arguments: Weight) -> Seen:
        """Returns odd text."""
        return Seen(text="a\x00ñ")

    # When it is called, then the text can be sent as UTF-8
    assert json.loads(run([odd], "odd").text)["text"].endswith("ñ")


def test_a_tool_that_does_not_come_back_is_stopped() -> None:
    # Given a tool that blocks for a minute (case 6)
    blocking = Toolbox([failing(lambda: time.sleep(60))])
    # When its time is over, then it is stopped, for the loop to answer
    with pytest.raises(OutOfTime):
        blocking.run(ToolCall("id", "breaks", '{"kg":1}'), ToolContext("ana", "key", 0.02))


def test_the_schema_names_every_field_and_nothing_of_pydantic() -> None:
    # Given a tool; when its schema is asked for, then it is what a model needs
    schema = echo.schema()
    assert schema["properties"]["kg"]["description"] == "Kilograms."
    assert schema["additionalProperties"] is False
    assert "title" not in json.dumps(schema)


def test_a_field_called_title_stays() -> None:
    # Given arguments with a field of that name
    class Book(Arguments):
        title: str = Field(description="Its name.")

    @tool
    def find(arguments: Book) -> Seen:
        """Finds."""
        return Seen(text=arguments.title)

    # When the schema is asked for, then the field is there
    assert list(find.schema()["properties"]) == ["title"]


def test_a_function_that_cannot_be_a_tool_says_what_it_lacks() -> None:
    # Given functions that each lack something that a model needs
    def silent(arguments: Weight) -> Seen:
        return Seen(text="")

    def bare() -> Seen:
        """Takes nothing."""
        return Seen(text="")

    def vague(arguments: Weight):  # noqa: ANN202 - what it lacks
        """Returns who knows what."""

    def wordy(arguments: Weight) -> str:
        """Returns a text."""
        return ""

    def nameless(arguments: Weight) -> BaseModel:
        """Returns a model that names nothing."""
        return Seen(text="")

    def niño(arguments: Weight) -> Seen:  # noqa: PLC2401 - what it lacks
        """Has a name that no model service takes."""
        return Seen(text="")

    # When they are made tools, then the message says what to do
    lacking: list[tuple[Any, str]] = [
        (silent, "silent needs a docstring"),
        (bare, "bare must take a pydantic model"),
        (vague, "vague must be annotated to return a pydantic model"),
        (wordy, "wordy must be annotated to return a pydantic model"),
        (nameless, "nameless must be annotated to return a pydantic model"),
        (niño, "niño needs another name"),
    ]
    for function, message in lacking:
        with pytest.raises(TypeError, match=message):
            tool(function)


def test_a_number_without_end_is_named_as_no_argument() -> None:
    # Given a number that JSON can write and nobody can count; when it is an argument, then the field is named
    assert "kg: Input should be a finite number" in run([echo], "echo", '{"kg":1e999}').text


def test_of_many_wrong_arguments_the_first_ones_are_named() -> None:
    class Sets(Arguments):
        weights: list[float]

    @tool
    def log(arguments: Sets) -> Seen:
        """Logs."""
        return Seen(text="")

    # Given a hundred wrong values; when the tool is called
    text = run([log], "log", json.dumps({"weights": ["heavy"] * 100})).text
    # Then the model reads of a few of them, and still what is expected
    assert "weights.4: Input should be a valid number" in text
    assert "weights.5" not in text
    assert "and 95 more" in text
    assert "Expected: {" in text


def test_two_tools_with_one_name_are_refused_at_start() -> None:
    # Given two tools that a model could not tell apart; when they are put into one box, then that is an error
    with pytest.raises(TypeError, match="two tools called echo"):
        Toolbox([echo, echo])


@pytest.mark.parametrize("arguments", ["[" * 100_000, '{"kg": NaN}', '{"kg": Infinity}'])
def test_arguments_that_only_look_like_json_are_the_models_mistake(arguments: str) -> None:
    # Given arguments that no JSON reader should take, to a tool with an effect
    tool_with_effect = failing(lambda: pytest.fail("it ran"), effect=True)
    # When it is called, then it did not run, and nobody says that its effect is unknown
    result = run([tool_with_effect], "breaks", arguments)
    assert result.outcome == "failed"
    assert "invalid JSON" in result.text


def test_a_tool_that_wants_to_end_the_process_fails() -> None:
    def leave() -> None:
        raise SystemExit(1)

    assert run([failing(leave)], "breaks").outcome == "failed"


def test_a_result_with_half_a_character_is_mended() -> None:
    # Given a tool whose text was cut in the middle of an emoji
    @tool
    def half(arguments: Weight) -> Seen:
        """Returns half a character."""
        return Seen(text="ñ\ud83d\x00")

    # When it is called, then the rest of the text is there
    result = run([half], "half")
    assert result.outcome == "done"
    assert json.loads(result.text) == {"text": "ñ?"}


def test_a_long_mistake_is_cut_and_cleaned() -> None:
    def explain() -> None:
        raise ToolMistake("x" * 5000 + "\ud83d")

    result = run([failing(explain)], "breaks", max_chars=1000)
    assert len(result.text) < 1200
    result.text.encode()
