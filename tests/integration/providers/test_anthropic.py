"""Claude over real HTTP, against a service as strict as the real one."""

import json
import socket
import threading
from collections.abc import Iterator

import pytest
from doubles import asks
from fakes.anthropic import error, message, strict
from fakes.server import ModelServer, Reply, serving

from rondas.history import Answer, Entry, Round, ToolCall, ToolResult, Turn, Usage, UserMessage, settle
from rondas.interrupt import OutOfTime
from rondas.providers import Provider, attempt, connect
from rondas.providers.errors import ProviderError
from rondas.tools import Tool

NAME = "anthropic:claude-sonnet-5-5"
HELLO: list[Entry] = [UserMessage("How much did I progress?")]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """A service that binds thoughts to their system prompt, as the newer models do."""
    with serving(ModelServer([], strict(binds_thinking=True))) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server
        server.check_used_up()


@pytest.fixture
def claude(tools: list[Tool]) -> Provider:
    return connect(NAME, lambda _: "secret-key", prompt="You are a coach.", tools=tools, max_output_tokens=1000)


def answered(turn: Turn) -> Round:
    return settle(turn, "found", "done")


def test_a_turn_is_read_whole(server: ModelServer, claude: Provider) -> None:
    # Given a turn with words and two calls
    usage = {
        "input_tokens": 10,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 900,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 20},
    }
    server.add(message("I look.", [("toolu_1", "look", {"query": "ñ"}), ("toolu_2", "save", {})], usage=usage))
    # When the model is asked
    turn = claude.turn(HELLO, seconds=5)
    # Then it is all there, and the tokens are counted as everywhere
    assert turn.text == "I look."
    assert turn.calls == (ToolCall("toolu_1", "look", '{"query":"ñ"}'), ToolCall("toolu_2", "save", "{}"))
    assert (turn.stop, turn.model) == ("end", NAME)
    assert turn.usage == Usage(input=1010, cached=900, output=50, reasoning=20)


def test_rounds_and_the_closing_call_are_accepted(server: ModelServer, claude: Provider) -> None:
    # Given a run of two rounds with parallel calls, thoughts in each, and a third turn that is declined
    server.add(
        message("I look.", [("t1", "look", {"query": "a"}), ("t2", "look", {"query": "b"})], thinking="sig-1"),
        message("", [("t3", "save", {"query": "c"})], thinking="sig-2"),
        message("", [("t4", "look", {"query": "d"})], thinking="sig-3"),
        message("Here is what I know."),
    )
    history = list(HELLO)
    for _ in range(2):
        history.append(answered(claude.turn(history, seconds=5)))
    pending = claude.turn(history, seconds=5)
    history.append(settle(pending, "Not executed: the step limit for this answer was reached.", "not_executed"))
    # When it is closed
    closing = claude.turn(history, seconds=5, closing="Step limit reached.")
    # Then the service accepted every request (trap 1: the thoughts are left out of the one with another system prompt)
    assert closing.text == "Here is what I know."
    rounds, last = server.bodies[:-1], server.bodies[-1]
    assert [block["type"] for block in rounds[2]["messages"][1]["content"]] == [
        "thinking",
        "text",
        "tool_use",
        "tool_use",
    ]
    assert "thinking" not in json.dumps(last)
    # And the tools stay declared, with choice none, the instruction in the system part alone (case 3)
    assert last["tools"] == rounds[0]["tools"]
    assert last["tool_choice"] == {"type": "none"}
    assert last["system"][0] == rounds[0]["system"][0]
    assert last["system"][1]["text"] == "Step limit reached."
    assert "Step limit reached." not in json.dumps(last["messages"])


def test_trap_2_each_request_starts_with_the_bytes_of_the_one_before(server: ModelServer, claude: Provider) -> None:
    # Given three rounds
    history = list(HELLO)
    for number in range(3):
        server.add(message("I look.", [(f"t{number}", "look", {"query": str(number)})]))
        history.append(answered(claude.turn(history, seconds=5)))
    # When the requests are compared, then what the cache is keyed on grows at its end only
    for earlier, later in zip(server.bodies, server.bodies[1:], strict=False):
        assert json.dumps(later["tools"]) == json.dumps(earlier["tools"])
        assert json.dumps(later["system"]) == json.dumps(earlier["system"])
        assert json.dumps(later["messages"]).startswith(json.dumps(earlier["messages"])[:-1])
        assert earlier["cache_control"] == {"type": "ephemeral"}


def test_a_new_message_replays_the_conversation_without_thoughts(server: ModelServer, claude: Provider) -> None:
    # Given an answered message with a thoughtful round, and a new one
    server.add(message("", [("t1", "look", {"query": "a"})], thinking="sig-1"), message("Hello again"))
    history = list(HELLO)
    history.append(answered(claude.turn(history, seconds=5)))
    history += [Answer("You gained 5 kg"), UserMessage("And squats?")]
    # When the model is asked
    claude.turn(history, seconds=5)
    # Then calls and results are there, in order, and the old thoughts are not
    assert [each["role"] for each in server.bodies[1]["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert "sig-1" not in json.dumps(server.bodies[1])


def test_trap_3_and_own_retries_are_off(server: ModelServer, claude: Provider) -> None:
    # Given a service that asks to wait an hour
    server.add(error(429, "rate_limit_error", retry_after="3600"))
    # When the model is asked
    with pytest.raises(ProviderError) as failed:
        claude.turn(HELLO, seconds=5)
    # Then the SDK asked once and did not wait; what the service said is known
    assert len(server.requests) == 1
    assert (failed.value.retryable, failed.value.retry_after) == (True, 3600)


def test_trap_4_the_key_is_a_bearer_and_nothing_samples(server: ModelServer, claude: Provider) -> None:
    server.add(message("Hi"))
    claude.turn(HELLO, seconds=5)
    assert server.requests[0].headers["authorization"] == "Bearer secret-key"
    assert server.requests[0].headers["anthropic-version"] == "2026-10-21"
    assert not {"temperature", "top_p", "top_k"}.intersection(server.bodies[0])


def test_trap_5_a_missing_key_is_no_crash(tools: list[Tool]) -> None:
    # Given a key that cannot be had
    def no_key(_: str) -> str:
        raise LookupError("arn:aws:…")

    claude = connect(NAME, no_key, prompt="You are a coach.", tools=tools, max_output_tokens=1000)
    # When the model is asked, then the operator is told which one, and trying again makes no sense
    with pytest.raises(ProviderError, match="ANTHROPIC_API_KEY") as failed:
        claude.turn(HELLO, seconds=5)
    assert not failed.value.retryable


def test_trap_6_a_long_output_needs_no_streaming(server: ModelServer, tools: list[Tool]) -> None:
    # Given the longest output the settings allow
    server.add(message("Hi"))
    claude = connect(NAME, lambda _: "k", prompt="You are a coach.", tools=tools, max_output_tokens=16_000)
    # When the model is asked, then the SDK sends the request
    assert claude.turn(HELLO, seconds=5).text == "Hi"


def test_trap_7_results_stand_first_and_alone_in_one_message(server: ModelServer, claude: Provider) -> None:
    # Given a round of three calls; when it is sent back
    server.add(message("Done"))
    claude.turn([*HELLO, answered(asks("look", "look", "save", text="I look."))], seconds=5)
    # Then one message holds the three results and nothing else
    assert [block["type"] for block in server.bodies[0]["messages"][2]["content"]] == ["tool_result"] * 3


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("tool_use", "end"),
        ("max_tokens", "truncated"),
        ("model_context_window_exceeded", "truncated"),
        ("pause_turn", "paused"),
        ("refusal", "refused"),
        ("something_new", "unknown"),
        (None, "unknown"),
    ],
)
def test_every_stop_reason_is_known_and_an_unknown_one_stops(
    server: ModelServer, claude: Provider, stop: str | None, expected: str
) -> None:
    # Given a turn that stopped for a reason (trap 8: what follows from it is the loop's, rule L8)
    reply = message("Some words", [("t1", "look", {"query": "a"})])
    assert isinstance(reply.body, dict)
    reply.body["stop_reason"] = stop
    server.add(reply)
    # When it is read, then the reason is one of ours
    turn = claude.turn(HELLO, seconds=5)
    assert turn.stop == expected
    # And what was written before a refusal is not kept
    assert bool(turn.text or turn.calls) == (expected != "refused")


def test_trap_8_a_truncated_turn_can_be_sent_back_with_calls_answered(server: ModelServer, claude: Provider) -> None:
    # Given a turn cut off while it asked for a tool
    server.add(message("", [("t1", "save", {})], stop="max_tokens"), message("Shorter now"))
    turn = claude.turn(HELLO, seconds=5)
    # When it is answered and sent back, then the service accepts it
    history = [*HELLO, settle(turn, "Not executed: the turn that asked for this was cut off.", "not_executed")]
    assert claude.turn(history, seconds=5).text == "Shorter now"
    assert server.bodies[1]["messages"][2]["content"][0]["is_error"] is True


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(Reply(b"<html>502</html>", content_type="text/html"), id="trap 24: HTML with 200"),
        pytest.param(Reply({}), id="an empty object"),
        pytest.param(Reply([]), id="a list"),
        pytest.param(Reply(b""), id="nothing"),
        pytest.param(Reply(b'{"content":[{"type":"te'), id="cut-off JSON"),
        pytest.param(Reply({"content": None}), id="null content"),
        pytest.param(Reply({"content": "text"}), id="content of another type"),
        pytest.param(error(500), id="500"),
        pytest.param(error(529, "overloaded_error"), id="529"),
        pytest.param(Reply(b"\xff\xfe", content_type="application/json"), id="no UTF-8"),
    ],
)
def test_what_cannot_be_understood_may_be_tried_again(server: ModelServer, claude: Provider, reply: Reply) -> None:
    server.add(reply)
    with pytest.raises(ProviderError) as failed:
        claude.turn(HELLO, seconds=5)
    assert failed.value.retryable


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 301])
def test_what_would_fail_again_is_not_tried_again(server: ModelServer, claude: Provider, status: int) -> None:
    # Given a refusal whose text repeats the key
    server.add(error(status, "authentication_error", "invalid key: secret-key"))
    # When the model is asked
    with pytest.raises(ProviderError) as failed:
        claude.turn(HELLO, seconds=5)
    # Then the cause names provider and status, and not the key
    assert not failed.value.retryable
    assert failed.value.model == NAME
    assert str(status) in failed.value.cause
    assert "secret-key" not in str(failed.value)


def test_trap_25_unknown_blocks_are_echoed_and_not_shown(server: ModelServer, claude: Provider) -> None:
    # Given a turn with a block of a kind that nobody knows yet, and one that is no block at all
    reply = message("Hi", [("t1", "look", {"query": "a"})])
    assert isinstance(reply.body, dict)
    reply.body["content"] += [{"type": "hologram", "text": "boo"}, "nonsense", {"text": None, "type": "text"}]
    server.add(reply)
    # When it is read
    turn = claude.turn(HELLO, seconds=5)
    # Then only words are words
    assert turn.text == "Hi"
    assert [block["type"] for block in turn.opaque] == ["text", "tool_use", "hologram"]


@pytest.mark.parametrize("given", [[None, None], ["", ""], ["same", "same"], [7, "t"]])
def test_ids_that_are_missing_or_repeated_are_mended(
    server: ModelServer, claude: Provider, given: list[object]
) -> None:
    # Given two calls without usable ids
    reply = message("", [("a", "look", {"query": "1"}), ("b", "look", {"query": "2"})], thinking="sig")
    assert isinstance(reply.body, dict)
    for block, own in zip(reply.body["content"][1:], given, strict=True):
        block["id"] = own
    server.add(reply, message("Done"))
    # When the round is sent back
    turn = claude.turn(HELLO, seconds=5)
    claude.turn([*HELLO, answered(turn)], seconds=5)
    # Then each call has an id of its own, and the service accepts it
    assert len({call.id for call in turn.calls}) == 2
    assert all(call.id for call in turn.calls)


def test_ids_that_repeat_from_round_to_round_are_made_unique(server: ModelServer, claude: Provider) -> None:
    # Given a model, of another provider perhaps, that calls every call the same, with characters not allowed here
    turns = [Turn("", (ToolCall("call:1", "look", '{"query":"a"}'),), model="google:gemini") for _ in range(3)]
    server.add(message("Done"))
    # When the rounds are sent, then the service accepts them
    assert claude.turn([*HELLO, *map(answered, turns)], seconds=5).text == "Done"


@pytest.mark.parametrize("arguments", ['{"a":1', "[]", "null", '"x"', ""])
def test_arguments_that_are_no_object_can_be_replayed(server: ModelServer, claude: Provider, arguments: str) -> None:
    # Given a call of another provider with arguments that are no object (case 17), to a tool that cannot exist
    turn = Turn("", (ToolCall("c1", "no such tool!", arguments),), model="openai:gpt")
    server.add(message("Done"))
    # When it is sent back with its error, then the service accepts it
    round_ = Round(turn, (ToolResult("c1", "The arguments are invalid JSON.", "failed"),))
    assert claude.turn([*HELLO, round_], seconds=5).text == "Done"


def test_s5_what_another_model_thought_is_not_sent(server: ModelServer, claude: Provider) -> None:
    # Given a round of another provider in the middle of this very message (failover, case 23)
    turn = Turn("", (ToolCall("c1", "look", '{"query":"a"}'),), model="google:gemini", opaque={"thoughtSignature": "s"})
    server.add(message("Done"))
    claude.turn([*HELLO, answered(turn)], seconds=5)
    # Then nothing of it travels but the call and its result
    assert "thoughtSignature" not in server.requests[0].raw.decode()


def test_trap_28_lone_surrogates_from_the_model_do_not_travel_on(server: ModelServer, claude: Provider) -> None:
    # Given a turn with half a character in words and arguments
    raw = json.dumps(message("half \udc00", [("t1", "look", {"query": "\ud800"})]).body).encode()
    server.add(Reply(raw), message("Done"))
    # When it is sent back, then it can be encoded
    turn = claude.turn(HELLO, seconds=5)
    assert claude.turn([*HELLO, answered(turn)], seconds=5).text == "Done"
    assert "\ud800" not in turn.calls[0].arguments


def test_an_empty_turn_of_the_model_is_left_out(server: ModelServer, claude: Provider) -> None:
    # Given a paused turn with nothing in it
    server.add(message("Done"))
    # When it is in the history, then no empty message is sent
    assert claude.turn([*HELLO, Round(Turn(stop="paused", model=NAME))], seconds=5).text == "Done"


def test_without_tools_none_are_declared(server: ModelServer) -> None:
    server.add(message("Hi"))
    claude = connect(NAME, lambda _: "k", prompt="You are a coach.", tools=[], max_output_tokens=1000)
    claude.turn(HELLO, seconds=5, closing="Close.")
    assert not {"tools", "tool_choice"}.intersection(server.bodies[0])
    assert server.bodies[0]["system"][1]["text"] == "Close."


@pytest.mark.parametrize("drip", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n", b"HTTP/1.1 200 OK\r\n"])
def test_trap_23_a_server_that_holds_the_line_is_left_in_time(
    monkeypatch: pytest.MonkeyPatch, claude: Provider, drip: bytes
) -> None:
    # Given a server that accepts, says this much, and then drips a byte now and then, for ever
    stop = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hold() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(drip)
                while not stop.wait(0.02):
                    if drip:
                        connection.sendall(b"x")

        thread = threading.Thread(target=hold, daemon=True)
        thread.start()
        monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{listener.getsockname()[1]}")
        # When the time of the call is over, then it is left
        with pytest.raises(OutOfTime):
            claude.turn(HELLO, seconds=0.3)
        stop.set()


def test_after_a_call_that_was_left_the_next_one_works(server: ModelServer, claude: Provider) -> None:
    # Given a call that was broken off while it waited
    release = threading.Event()

    def wait(_: object) -> Reply:
        release.wait(10)
        return message("too late")

    server.add(wait, message("Hi"))
    with pytest.raises(OutOfTime):
        claude.turn(HELLO, seconds=0.3)
    release.set()
    # When the model is asked again, then the broken connection is not in the way, and no late answer is taken for ours
    assert claude.turn(HELLO, seconds=5).text == "Hi"


def test_a_body_that_does_not_end_is_left_before_it_fills_the_memory(
    server: ModelServer, claude: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given an answer that is larger than any turn
    monkeypatch.setattr(attempt, "MAX_RESPONSE_BYTES", 1000)
    server.add(message("x" * 1000), message("Hi"))
    # When it is read, then it is given up, in a way that may pass
    with pytest.raises(ProviderError) as failed:
        claude.turn(HELLO, seconds=5)
    assert failed.value.retryable
    assert claude.turn(HELLO, seconds=5).text == "Hi"


def test_a_server_that_is_not_there_may_be_tried_again(monkeypatch: pytest.MonkeyPatch, claude: Provider) -> None:
    # Given a port where nobody listens
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}")
    # When the model is asked, then it fails at once, in a way that may pass
    with pytest.raises(ProviderError) as failed:
        claude.turn(HELLO, seconds=5)
    assert failed.value.retryable


@pytest.mark.parametrize("stop", [{"type": "end_turn"}, ["end_turn"], 7])
def test_a_stop_reason_of_another_type_is_an_unknown_one(server: ModelServer, claude: Provider, stop: object) -> None:
    reply = message("Hi")
    assert isinstance(reply.body, dict)
    reply.body["stop_reason"] = stop
    server.add(reply)
    assert claude.turn(HELLO, seconds=5).stop == "unknown"


def test_our_own_mistake_is_a_failed_attempt_and_not_the_end_of_the_run(
    server: ModelServer, claude: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a bug in the reading of an answer
    def bug(_: object) -> None:
        raise KeyError("missing")

    monkeypatch.setattr("rondas.providers.anthropic._usage", bug)
    server.add(message("Hi"))
    # When the model is asked, then the loop hears of it in its own words, and does not try the same again
    with pytest.raises(ProviderError, match="KeyError") as failed:
        claude.turn(HELLO, seconds=5)
    assert not failed.value.retryable


def test_trap_1_no_thought_of_any_kind_is_in_the_closing_call(server: ModelServer, claude: Provider) -> None:
    # Given a turn with a thought in the open and one that is redacted
    reply = message("", [("t1", "look", {"query": "a"})], thinking="sig-1")
    assert isinstance(reply.body, dict)
    reply.body["content"].insert(1, {"type": "redacted_thinking", "data": "xyz"})
    server.add(reply, message("Go on."), message("Bye."))
    history = [*HELLO, answered(claude.turn(HELLO, seconds=5))]
    # When the round is sent back, and then the run is closed
    claude.turn(history, seconds=5)
    claude.turn(history, seconds=5, closing="Close.")
    # Then both came back in the round, and neither in the closing call
    kinds = [[block["type"] for block in body["messages"][1]["content"]] for body in server.bodies[1:]]
    assert kinds == [["thinking", "redacted_thinking", "tool_use"], ["tool_use"]]


@pytest.mark.parametrize(
    "change",
    [{"input": None}, {"input": -1}, {"name": None}, {"name": "functions.look"}, {"name": "x" * 80}],
)
def test_a_call_that_nobody_would_take_back_is_written_anew(
    server: ModelServer, claude: Provider, change: dict[str, object]
) -> None:
    # Given a thoughtful turn with a call that the service itself would refuse
    reply = message("I look.", [("t1", "look", {"query": "a"})], thinking="sig-1")
    assert isinstance(reply.body, dict)
    reply.body["content"][-1] |= change
    server.add(reply, message("Done."))
    # When the round is sent back, then it is accepted
    turn = claude.turn(HELLO, seconds=5)
    assert claude.turn([*HELLO, answered(turn)], seconds=5).text == "Done."


def test_blank_words_beside_a_thought_are_not_echoed(server: ModelServer, claude: Provider) -> None:
    server.add(message(" \n", [("t1", "look", {"query": "a"})], thinking="sig-1"), message("Done."))
    turn = claude.turn(HELLO, seconds=5)
    assert claude.turn([*HELLO, answered(turn)], seconds=5).text == "Done."


def test_an_empty_result_is_said_to_be_empty(server: ModelServer, claude: Provider) -> None:
    server.add(message("Done."))
    claude.turn([*HELLO, settle(asks("look"), "", "done")], seconds=5)
    assert server.bodies[0]["messages"][2]["content"][0]["content"] == "(empty)"


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_number_that_json_cannot_write_is_the_models_mistake_and_not_the_services(
    server: ModelServer, claude: Provider, number: str
) -> None:
    # Given a call with such an argument
    reply = message("", [("t1", "look", {"query": 0})]).raw().replace(b'"query": 0', b'"query": ' + number.encode())
    server.add(Reply(reply), message("Done."))
    # When it is read and sent back, then the run goes on, and the tool boundary will say what is wrong
    turn = claude.turn(HELLO, seconds=5)
    assert turn.calls[0].arguments_object() == {"query": f"({number})"}
    assert claude.turn([*HELLO, answered(turn)], seconds=5).text == "Done."
