"""Another app's assistant in the coach's place: one folder is replaced, and nothing else (see `apps.research`)."""

import importlib
import json
import shutil
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from chat_function import Chat
from fakes.anthropic import message, strict
from fakes.server import Json, ModelServer, serving

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TESTS = Path(__file__).parents[2]
FUNCTION = TESTS.parent / "functions" / "chat"
RESEARCH = TESTS / "apps" / "research"


@contextmanager
def imported(code: Path) -> Generator[ModuleType]:
    """Imports the function of a folder anew, with the app that stands beside it in that folder."""

    def taken_out() -> dict[str, ModuleType]:
        return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] in {"app", "coach"}}

    before = taken_out()
    sys.path.insert(0, str(code))
    try:
        yield importlib.import_module("app")
    finally:
        sys.path.remove(str(code))
        taken_out()
        sys.modules.update(before)


@pytest.fixture
def research(dynamodb: "DynamoDBClient", monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Chat]:
    """The chat function with the coach's folder replaced, as a team would do it."""
    code = tmp_path / "chat"
    shutil.copytree(FUNCTION, code)
    shutil.rmtree(code / "coach")
    shutil.copytree(RESEARCH, code / "coach")
    with serving(ModelServer([], strict(binds_thinking=True))) as model:
        monkeypatch.setenv("MODELS", "anthropic:claude-sonnet-5-5")
        monkeypatch.setenv("ANTHROPIC_API_KEY", "key")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.url)
        monkeypatch.delenv("COACH_TABLE_NAME")
        with imported(code) as app:
            yield Chat(app, model, dynamodb)
        model.check_used_up()


def result(request: Json) -> Json:
    """Returns what the last tool of a request returned."""
    return json.loads(request["messages"][-1]["content"][-1]["content"])


def test_it_searches_reads_refines_and_answers(research: Chat) -> None:
    # Given a model that follows the prompt: it goes on with what it has just been told
    def read_best(request: Any) -> Any:
        best = result(request.body)["hits"][0]["page"]
        return message("", [(f"read-{best}", "read_page", {"page": best})])

    def refine(request: Any) -> Any:
        assert "resonance" in result(request.body)["text"]
        return message("The Moon is not enough.", [("t3", "search", {"query": "resonance bay"})])

    def answer(request: Any) -> Any:
        assert "pushed at the right moment" in result(request.body)["text"]
        return message("Its water swings nearly in time with the ocean's tide (Tides; Resonance of basins).")

    research.model.add(
        message("", [("t1", "search", {"query": "high tides Fundy"})]), read_best, refine, read_best, answer
    )
    # When a person asks
    reply = research.post("Why are the tides in the Bay of Fundy so high?").body
    # Then the answer rests on the second page, which only the first one led to
    assert (reply["status"], reply["rounds"]) == ("answered", 4)
    assert reply["reply"].startswith("Its water swings nearly in time")
    blocks: list[Json] = [block for each in research.model.bodies[-1]["messages"][1::2] for block in each["content"]]
    asked = [block["input"] for block in blocks if block["type"] == "tool_use"]
    assert asked == [
        {"query": "high tides Fundy"},
        {"page": "tides"},
        {"query": "resonance bay"},
        {"page": "resonance"},
    ]
    # And the conversation is kept, claimed and continued as any other
    research.model.add(message("Sixteen metres."))
    assert research.post("How high?").body["reply"] == "Sixteen metres."
    assert len(research.model.bodies[-1]["messages"]) == 11


def test_a_page_that_is_not_there_and_a_search_that_finds_nothing_are_explained(research: Chat) -> None:
    seen: list[str] = []

    def then(*calls: Any) -> Any:
        def step(request: Any) -> Any:
            seen.append(request.body["messages"][-1]["content"][-1]["content"])
            return message("It has nothing on that." if not calls else "", list(calls))

        return step

    research.model.add(
        message("", [("t1", "read_page", {"page": "volcanoes"})]), then(("t2", "search", {"query": "volcano"})), then()
    )
    assert research.post("Why do volcanoes erupt?").body["status"] == "answered"
    assert seen[0] == "There is no page 'volcanoes'. Search for one."
    assert "The library holds: Resonance of basins, Spring tides, Tidal power, Tides." in seen[1]


def test_only_the_folder_is_another_one(research: Chat) -> None:
    # Given the function with another app; when what it consists of is looked at
    code = Path(str(research.app.__file__)).parent
    loaded = [Path(str(module.__file__)) for name, module in sys.modules.items() if name.split(".")[0] == "coach"]
    # Then all else is the function as it was, over the same harness, and nothing of the coach is left
    for ours in (file for file in FUNCTION.iterdir() if file.is_file()):
        assert (code / ours.name).read_bytes() == ours.read_bytes()
    assert Path(str(sys.modules["rondas"].__file__)).is_relative_to(TESTS.parent / "layers")
    assert loaded
    assert all(file.is_relative_to(code / "coach") for file in loaded)
    research.model.add(message("Hello."))
    research.post("Hello")
    told = research.model.bodies[0]
    assert [tool["name"] for tool in told["tools"]] == ["search", "read_page"]
    assert "small library" in json.dumps(told["system"])
    assert "Gymnasia" not in json.dumps(told)
