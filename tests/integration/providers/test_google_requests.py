"""What Gemini is asked, over HTTP, with a service as strict as the real one."""

import gc
import subprocess
import sys
from typing import Any

import httpx2
import pytest
from doubles import MemoryJournal
from fakes.google import MODEL, candidates, content, serving_gemini
from google import genai
from pydantic import Field

from rondas.budget import Budget
from rondas.history import UserMessage
from rondas.loop import Loop
from rondas.providers import PROVIDERS
from rondas.providers.attempt import shared_client
from rondas.providers.failover import Failover
from rondas.replies import fixed_reply
from rondas.toolbox import Toolbox
from rondas.tools import Arguments, Tool, tool

HELLO = UserMessage("How am I doing?")
TWO_CALLS = [("g1", "look", {"query": "bench"}), ("g2", "save", {"query": "goal"})]


def test_first_request_holds_prompt_tools_and_mode(tools: list[Tool]) -> None:
    # given
    with serving_gemini(tools, content("Fine.")) as (server, gemini):
        # when
        turn = gemini.turn([HELLO], seconds=5)
        # then
        server.check_used_up()
    body = server.bodies[0]
    assert turn.text == "Fine."
    assert body["contents"] == [{"role": "user", "parts": [{"text": HELLO.text}]}]
    assert body["systemInstruction"]["parts"] == [{"text": "You help."}]
    assert [each["name"] for each in body["tools"][0]["functionDeclarations"]] == ["look", "save"]
    assert body["toolConfig"] == {"functionCallingConfig": {"mode": "AUTO"}}
    assert body["generationConfig"] == {"maxOutputTokens": 500}


def test_without_tools_no_tools_are_mentioned() -> None:
    with serving_gemini([], content("Fine.")) as (server, gemini):
        gemini.turn([HELLO], seconds=5, closing="Close.")
        server.check_used_up()
    assert not {"tools", "toolConfig"} & server.bodies[0].keys()


def test_trap_17_the_version_of_the_api_is_v1(tools: list[Tool]) -> None:
    with serving_gemini(tools, content("Fine.")) as (server, gemini):
        gemini.turn([HELLO], seconds=5)
    assert server.requests[0].path == "/v1/models/gemini-3.8-flash:generateContent"


def test_trap_20_one_turn_is_one_request(tools: list[Tool]) -> None:
    """An answer to be continued would make the SDK ask on by itself."""
    # given
    said = {"role": "model", "parts": [{"text": "Half"}]}
    cut = {"index": 0, "content": said, "finishReason": "CONTINUATION", "continuationToken": "dG9rZW4="}
    with serving_gemini(tools, candidates([cut])) as (server, gemini):
        # when
        turn = gemini.turn([HELLO], seconds=5)
        # then
        server.check_used_up()
    assert (turn.text, turn.stop) == ("Half", "truncated")


def test_trap_21_schemas_with_union_types_are_let_through() -> None:
    # given
    class Maybe(Arguments):
        query: str | None = Field(default=None, json_schema_extra={"type": ["string", "null"]})

    @tool
    def maybe(arguments: Maybe) -> Maybe:
        """Looks something up, or not."""
        return arguments

    with serving_gemini([maybe], content("Fine.")) as (server, gemini):
        # when
        gemini.turn([HELLO], seconds=5)
        # then
        server.check_used_up()
    sent = server.bodies[0]["tools"][0]["functionDeclarations"][0]["parameters_json_schema"]
    assert sent["properties"]["query"]["type"] == ["string", "null"]


def test_trap_22_the_client_is_kept_between_turns(tools: list[Tool], monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that is collected closes its connections; and making one takes longer than a warm request."""
    # given
    made: list[str] = []

    real: Any = genai.Client

    def counted(**options: Any) -> Any:
        made.append(options["api_key"])
        return real(**options)

    monkeypatch.setattr(genai, "Client", counted)
    with serving_gemini(tools, content("One."), content("Two.")) as (server, gemini):
        # when
        gemini.turn([HELLO], seconds=5)
        gc.collect()
        gemini.turn([HELLO], seconds=5)
        # then
        server.check_used_up()
    assert made == ["test-key"]


def test_trap_27_the_sdk_uses_the_shared_client(tools: list[Tool], monkeypatch: pytest.MonkeyPatch) -> None:
    # given
    seen: list[str] = []

    def see(response: httpx2.Response) -> None:
        seen.append(response.url.host)

    monkeypatch.setattr(shared_client(), "event_hooks", {"response": [see]})
    with serving_gemini(tools, content("Fine.")) as (_, gemini):
        # when
        gemini.turn([HELLO], seconds=18)
    # then
    assert seen == ["127.0.0.1"]


def test_trap_30_a_closing_call_that_calls_or_says_nothing_ends_in_the_fixed_reply(tools: list[Tool]) -> None:
    for closing in (content("", [("g2", "look", {"query": "b"})]), content(""), content("", finish="MAX_TOKENS")):
        # given
        with serving_gemini(tools, content("", TWO_CALLS), closing) as (server, gemini):
            loop = Loop(
                model=Failover({MODEL: gemini}),
                tools=Toolbox(tools).for_user("ana"),
                history=[HELLO],
                budget=Budget.start(20, 5),
                journal=MemoryJournal(),
                max_rounds=0,
            )
            # when
            ending = loop.run()
            # then
            server.check_used_up()
        assert ending.answer.text == fixed_reply("step_limit", "en")
        assert ending.answer.status == "step_limit"


def test_the_key_it_is_given_is_used_and_nothing_of_the_environment(
    tools: list[Tool], monkeypatch: pytest.MonkeyPatch
) -> None:
    # given
    monkeypatch.setenv("GOOGLE_API_KEY", "another-key")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "another-project")
    with serving_gemini(tools, content("Fine.")) as (server, gemini):
        # when
        gemini.turn([HELLO], seconds=5)
        # then
        server.check_used_up()
    assert server.requests[0].headers["x-goog-api-key"] == "test-key"


def test_its_import_brings_no_other_sdk() -> None:
    code = f"import sys, {PROVIDERS['google'].module}; print([m for m in ('anthropic', 'openai') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.stdout.strip() == "[]"
