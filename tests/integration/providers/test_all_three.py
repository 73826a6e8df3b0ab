"""The loop's rules on each of the three services, over HTTP, and a conversation that goes from one to another."""

import json
from collections.abc import Iterator
from itertools import permutations

import pytest
from fakes.server import ModelServer
from fakes.services import SERVICES, Service

from rondas.history import Answer, Round
from rondas.tools import Tool

from .runs import PROMPT, Runs, look, started


@pytest.fixture(params=SERVICES, ids=lambda service: service.model)
def service(request: pytest.FixtureRequest) -> Service:
    return request.param


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, service: Service) -> Iterator[ModelServer]:
    with started(monkeypatch, service) as servers:
        yield servers[service.model]


@pytest.fixture
def runs(tools: list[Tool], service: Service) -> Runs:
    return Runs(tools, service)


def test_an_answer_after_rounds_of_several_calls(service: Service, server: ModelServer, runs: Runs) -> None:
    # Given two rounds, the first with two calls at once
    server.add(
        service.turn("I look.", [look(1), look(2)]), service.turn("", [look(3)]), service.turn("You gained 5 kg.", [])
    )
    # When the message is answered
    ending = runs.ask("How much?")
    # Then the calls ran in order, and the answer is the final text, signed by its model
    assert [call_id for call_id, _, _ in runs.tools.ran] == ["call_1", "call_2", "call_3"]
    assert (ending.answer.status, ending.answer.text) == ("answered", "You gained 5 kg.")
    assert (ending.answer.model, ending.answer.rounds) == (service.model, 2)
    assert ending.answer.usage.input > 0 < ending.answer.usage.output


def test_the_step_limit_and_the_message_after_it(service: Service, server: ModelServer, runs: Runs) -> None:
    # Given a model that asks for ever, a closing call, and a message that goes on
    server.add(
        *[service.turn("I look.", [look(number)]) for number in range(11)],
        service.turn("Here is what I know. Shall I go on?", []),
        service.turn("", [look(20)]),
        service.turn("Done.", []),
    )
    # When both messages are answered
    limited = runs.ask("Everything?")
    after = runs.ask("Yes, go on")
    # Then ten rounds ran, the eleventh was declined, and the next message has rounds of its own
    assert (limited.answer.status, limited.answer.rounds) == ("step_limit", 10)
    assert (after.answer.status, after.answer.rounds) == ("answered", 1)
    # And in the closing call the tools are declared and may not be called (case 3); the instruction is at system level
    before, closing = server.bodies[10], server.bodies[11]
    assert [service.tool_choice(body) for body in (before, closing)] == ["auto", "none"]
    assert service.tools(closing) == service.tools(before)
    assert PROMPT in json.dumps(service.system(closing))
    assert "step limit" in json.dumps(service.system(closing))
    assert "You have reached the step limit" not in server.requests[12].raw.decode()


def test_a_turn_that_was_cut_off_runs_none_of_its_calls(service: Service, server: ModelServer, runs: Runs) -> None:
    # Given a turn that ran into the token limit while it asked for a tool (case 18), and a good one
    server.add(service.cut_off("I lo", [look(1)]), service.turn("", [look(2)]), service.turn("Done.", []))
    # When the message is answered, then only the good one's call ran
    assert runs.ask("How much?").answer.status == "answered"
    assert [call_id for call_id, _, _ in runs.tools.ran] == ["call_2"]


def test_two_turns_that_were_cut_off_close_the_run(service: Service, server: ModelServer, runs: Runs) -> None:
    server.add(service.cut_off("", [look(1)]), service.cut_off("", [look(2)]), service.turn("It grew too long.", []))
    assert runs.ask("How much?").answer.status == "truncated"
    assert runs.tools.ran == []


def test_a_refusal_shows_nothing_of_what_was_written_before(service: Service, server: ModelServer, runs: Runs) -> None:
    # Given a refusal, and a message after it
    server.add(service.refusal(), service.turn("Gladly.", []))
    # When both are answered
    refused = runs.ask("Something bad?")
    assert (refused.answer.status, refused.answer.text) == (
        "refused",
        "I can't help with that. Is there something else I can do for you?",
    )
    # Then the next one is as any other, and the beginning of the refused one is not in it
    assert runs.ask("Something good?").answer.status == "answered"
    assert "I should not" not in server.requests[1].raw.decode()


def test_a_blank_end_gets_one_nudge(service: Service, server: ModelServer, runs: Runs) -> None:
    server.add(service.turn("", [look(1)]), service.turn("", []), service.turn("You gained 5 kg.", []))
    ending = runs.ask("How much?")
    assert (ending.answer.status, ending.answer.text) == ("answered", "You gained 5 kg.")
    assert service.tool_choice(server.bodies[2]) == "none"


def test_a_closing_call_that_asks_for_a_tool_is_the_last_call(
    service: Service, server: ModelServer, runs: Runs
) -> None:
    # Given a model that asks for tools even where it may not (case 2)
    server.add(service.turn("", [look(1)]), service.turn("", [look(2)]), service.turn("Wait,", [look(3)]))
    ending = runs.ask("How much?", max_rounds=1)
    assert (ending.answer.status, ending.answer.model) == ("step_limit", "")
    assert len(runs.tools.ran) == 1


def test_a_mistake_of_the_model_is_sent_back_as_an_error(service: Service, server: ModelServer, runs: Runs) -> None:
    # Given a call of a tool that does not exist, under a name that cannot
    server.add(service.turn("", [("call_1", "sing_a_song", {"query": "x"})]), service.turn("Done.", []))
    # When it is answered, then the service takes the round back
    assert runs.ask("Sing!").answer.status == "answered"


def test_a_failure_that_passes_is_tried_again(service: Service, server: ModelServer, runs: Runs) -> None:
    server.add(service.down(), service.turn("Hi.", []))
    sleeps: list[float] = []
    assert runs.ask("Hello", sleeps=sleeps).answer.text == "Hi."
    assert len(sleeps) == 1


def test_prefixes_grow_at_their_end_only(service: Service, server: ModelServer, runs: Runs) -> None:
    # Given a message of three rounds; when the requests are compared
    server.add(*[service.turn("I look.", [look(number)]) for number in range(3)], service.turn("Done.", []))
    runs.ask("How much?")
    # Then tools and system part are the same bytes, and what comes after them starts with what was there
    parts = [json.dumps([service.tools(body), service.system(body)]) for body in server.bodies]
    assert len(set(parts)) == 1
    for earlier, later in zip(server.bodies, server.bodies[1:], strict=False):
        said = next(name for name in ("messages", "input", "contents") if name in earlier)
        if "previous_response_id" not in later:
            assert json.dumps(later[said]).startswith(json.dumps(earlier[said])[:-1])


@pytest.mark.parametrize(("first", "second"), list(permutations(SERVICES, 2)), ids=lambda service: service.model)
def test_a_conversation_changes_its_provider_between_two_messages(
    monkeypatch: pytest.MonkeyPatch, tools: list[Tool], first: Service, second: Service
) -> None:
    # Given a message answered by one provider, with thoughts, two calls at once and a declined turn
    with started(monkeypatch, first, second) as servers:
        servers[first.model].add(
            first.turn("I look.", [look(1, "ñ"), look(2)]), first.turn("", [look(3)]), first.turn("What I know.", [])
        )
        servers[second.model].add(second.turn("", [look(1)]), second.turn("Done.", []))
        runs = Runs(tools, first, second)
        runs.ask("How much?", first.model, max_rounds=1)
        # When the next one is answered by another
        ending = runs.ask("And squats?", second.model)
        # Then it is answered, and nothing that only the first understands was sent to the second (rule S5, case 23)
        assert (ending.answer.status, ending.answer.model) == ("answered", second.model)
        for request in servers[second.model].requests:
            for word in first.foreign:
                assert word not in request.raw.decode()


@pytest.mark.parametrize(("first", "second"), list(permutations(SERVICES, 2)), ids=lambda service: service.model)
def test_a_provider_that_dies_in_round_three_is_succeeded_by_the_next(
    monkeypatch: pytest.MonkeyPatch, tools: list[Tool], first: Service, second: Service
) -> None:
    # Given a first provider that is down from round three on, and a second one
    with started(monkeypatch, first, second) as servers:
        servers[first.model].add(
            first.turn("I look.", [look(1)]), first.turn("", [look(2), look(3)]), first.down(), first.down()
        )
        servers[second.model].add(second.turn("", [look(1)]), second.turn("Done.", []))
        runs = Runs(tools, first, second)
        # When the message is answered
        ending = runs.ask("How much?")
        # Then the second answers it from where the first was, and the reply says so
        assert (ending.answer.status, ending.answer.model, ending.answer.rounds) == ("answered", second.model, 3)
        assert [done.turn.model for done in runs.journal.written] == [first.model, first.model, second.model]
        for request in servers[second.model].requests:
            for word in first.foreign:
                assert word not in request.raw.decode()
    assert isinstance(runs.history[-1], Answer)
    assert sum(isinstance(entry, Round) for entry in runs.history) == 3
