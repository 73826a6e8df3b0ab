"""Exchanges that really took place with Claude, played again (tests/data/recorded)."""

from itertools import pairwise

import pytest
from fakes.anthropic import message, strict
from fakes.player import Exchange, recorded
from fakes.server import Json, ModelServer, Reply, serving

from rondas.history import Entry, Round, ToolResult, UserMessage
from rondas.providers import Provider, connect
from rondas.providers.errors import ProviderError
from rondas.tools import Tool

RECORDED = recorded("anthropic")
QUESTION = UserMessage("A question")

conversations = pytest.mark.parametrize("exchanges", [pytest.param(each, id=name) for name, each in RECORDED])


def blocks(content: list[Json], kind: str) -> list[Json]:
    return [block for block in content if block["type"] == kind]


@pytest.fixture
def claude(tools: list[Tool]) -> Provider:
    return connect("anthropic:claude", lambda _: "key", "You are a coach.", tools, 4096)


def playing(monkeypatch: pytest.MonkeyPatch, *replies: Reply) -> ModelServer:
    server = ModelServer(replies, strict())
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return server


@conversations
def test_every_recorded_answer_is_understood(
    claude: Provider, exchanges: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(playing(monkeypatch, *(each.reply for each in exchanges))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        for exchange in exchanges:
            # when
            if exchange.status != 200:
                with pytest.raises(ProviderError, match=str(exchange.status)) as failed:
                    claude.turn([QUESTION], seconds=5)
                assert not failed.value.retryable
                continue
            turn = claude.turn([QUESTION], seconds=5)
            # then
            content, usage = exchange.response["content"], exchange.response["usage"]
            asked = [(block["id"], block["name"], block["input"]) for block in blocks(content, "tool_use")]
            assert [(call.id, call.name, call.arguments_object()) for call in turn.calls] == asked
            assert turn.text == "".join(block["text"] for block in blocks(content, "text"))
            assert turn.stop == "end"
            assert (turn.usage.input, turn.usage.output) == (usage["input_tokens"], usage["output_tokens"])
        server.check_used_up()


@conversations
def test_the_next_request_says_what_the_real_service_accepted(
    claude: Provider, exchanges: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    for exchange, accepted in pairwise(exchanges):
        with serving(playing(monkeypatch, exchange.reply, message("Done."))) as server:
            monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
            turn = claude.turn([QUESTION], seconds=5)
            # given: the results that were really sent
            turn_content, result_content = (each["content"] for each in accepted.request["messages"][-2:])
            sent = [block["content"] for block in blocks(result_content, "tool_result")]
            results = tuple(ToolResult(call.id, text) for call, text in zip(turn.calls, sent, strict=True))
            history: list[Entry] = [QUESTION, Round(turn, results)]
            # when
            claude.turn(history, seconds=5)
            server.check_used_up()
        # then: the calls and results are the same, ids, order and all
        said = server.bodies[1]["messages"]
        known = ("type", "id", "name", "input", "text", "tool_use_id", "content")
        for ours, theirs in ((said[1]["content"], turn_content), (said[2]["content"], result_content)):
            assert ours == [{name: block[name] for name in known if name in block} for block in theirs]
