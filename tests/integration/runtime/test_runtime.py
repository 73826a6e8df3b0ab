"""One deadline for everything, in Lambda's own runtime (rules B1 to B5): whatever holds a run, the person is answered.

The cases run side by side; what each caller got, and after how many seconds, stands in the summary.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from uuid import uuid4

import pytest
from fakes.hostile import CLOSING_WORDS, silent

from local.start_errors import InitError
from rondas.fit import MAX_TURN_CHARS
from rondas.history import Answer as StoredAnswer
from rondas.history import Entry, Round, UserMessage
from rondas.repair import repaired
from rondas.replies import NOT_EXECUTED, STOPPED, fixed_reply

from .conftest import TIMEOUT_SECONDS, Answer, Chat

type Start = Callable[..., Chat]
type Say = Callable[[str], None]

SILENT = ["silent", "drip", "drip_head"]
BROKEN = ["close", "redirect", "endless", "nonsense"]
STUCK = ["sleep", "compute", "match", "survive", "listen", "threads"]
TOOLS = [f"tool {name}" for name in STUCK]
OUT_OF_TIME = fixed_reply("time_limit", "en")


@pytest.fixture(scope="module")
def answers(chat: Start) -> Iterator[dict[str, "Future[Answer]"]]:
    """All cases at once, each in a conversation of its own."""
    with silent("https") as tls, silent("http") as table, ThreadPoolExecutor(4) as starters, ExitStack() as stack:
        # As many callers as slots: nobody waits for one, as nobody does in the cloud.
        usual, slow_tls, no_table, late = (
            (starters.submit(chat, slots, timeout, **variables), stack.enter_context(ThreadPoolExecutor(slots)))
            for slots, timeout, variables in (
                (4, TIMEOUT_SECONDS, {}),
                (1, TIMEOUT_SECONDS, {"ANTHROPIC_BASE_URL": tls}),
                (1, TIMEOUT_SECONDS, {"AWS_ENDPOINT_URL_DYNAMODB": table}),
                (1, 3, {}),
            )
        )
        cases = dict.fromkeys([*SILENT, *BROKEN, *TOOLS, "huge"], usual) | {
            "tls": slow_tls,
            "table": no_table,
            "late": late,
        }
        yield {
            case: callers.submit(start.result().post, f"case: {case}", _name(case))
            for case, (start, callers) in cases.items()
        }


@pytest.fixture(scope="module")
def usual(chat: Start) -> Chat:
    """One slot: every message meets the process of the one before."""
    return chat(1)


@pytest.mark.parametrize("case", [*SILENT, "tls"])
def test_a_model_that_never_comes_to_an_end_is_left_at_the_deadline(
    case: str, answers: dict[str, "Future[Answer]"], usual: Chat, say: Say
) -> None:
    # Given a service that is silent, drips, or never finishes the handshake; when a person asks
    answer = _told(case, answers, say)
    # Then the reply is honest, and stored
    assert (answer.status, answer.body["status"], answer.body["reply"]) == (200, "time_limit", OUT_OF_TIME)
    assert [type(entry) for entry in _valid(usual.history(_name(case)))] == [UserMessage, StoredAnswer]


@pytest.mark.parametrize("case", BROKEN)
def test_a_model_that_breaks_off_is_a_calm_503_with_a_time_to_come_back(
    case: str, answers: dict[str, "Future[Answer]"], usual: Chat, say: Say
) -> None:
    # Given a service that hangs up, sends elsewhere, never ends its answer, or talks nonsense; when a person asks
    answer = _told(case, answers, say)
    # Then the app is told that the same message may come again, and when
    assert (answer.status, answer.body["code"]) == (503, "model_unavailable")
    assert answer.body["detail"] == fixed_reply("failed", "en")
    assert int(answer.headers["retry-after"]) > 0
    assert [type(entry) for entry in _valid(usual.history(_name(case)))] == [UserMessage, StoredAnswer]


@pytest.mark.parametrize("tool", STUCK)
def test_a_tool_that_does_not_come_back_is_stopped_and_the_model_closes(
    tool: str, answers: dict[str, "Future[Answer]"], usual: Chat, say: Say
) -> None:
    # Given a turn that asks for such a tool and for another one; when the tool is stopped
    answer = _told(f"tool {tool}", answers, say)
    # Then the model has its closing words
    assert (answer.status, answer.body["status"], answer.body["reply"]) == (200, "time_limit", CLOSING_WORDS)
    # And the history says what is known of each call
    _, done, _ = _valid(usual.history(_name(f"tool {tool}")))
    assert isinstance(done, Round)
    assert [(result.text, result.outcome) for result in done.results] == [
        (STOPPED, "unknown"),
        (NOT_EXECUTED["time_limit"], "not_executed"),
    ]


def test_a_reply_of_six_megabytes_is_cut_to_what_can_be_stored(
    answers: dict[str, "Future[Answer]"], usual: Chat, say: Say
) -> None:
    answer = _told("huge", answers, say)
    assert (answer.status, answer.body["status"]) == (200, "truncated")
    assert answer.body["reply"] == "x" * MAX_TURN_CHARS
    _valid(usual.history("huge"))


def test_a_table_that_does_not_answer_is_left_before_the_runtime_ends_the_process(
    answers: dict[str, "Future[Answer]"], say: Say
) -> None:
    # Given a table that takes connections and is silent; when a person asks
    answer = _told("table", answers, say)
    # Then the app is told so, and when to come back
    assert (answer.status, answer.body["code"]) == (500, "internal")


def test_started_with_three_seconds_left_it_answers_and_stores(
    answers: dict[str, "Future[Answer]"], usual: Chat, say: Say
) -> None:
    # Given a runtime that leaves less than the closing reserve and the store's; when a person asks
    answer = _told("late", answers, say)
    # Then the run goes straight to its close (rule B4)
    assert (answer.status, answer.body["status"]) == (200, "time_limit")
    assert [type(entry) for entry in _valid(usual.history("late"))] == [UserMessage, StoredAnswer]


def test_nothing_of_a_stopped_tool_runs_on_in_the_next_invocation(usual: Chat) -> None:
    # Given a process in which threads of a tool had to be stopped
    assert usual.post("case: tool threads", "witness").body["status"] == "time_limit"
    # When it answers the next messages
    counted = [_counted(usual), _counted(usual)]
    # Then it does so as if nothing had been, and nobody counts any more
    assert counted[0] == counted[1]


def test_a_run_that_the_runtime_had_to_kill_is_resumed_by_the_same_message(usual: Chat, say: Say) -> None:
    # Given a tool with an effect that not even the alarm reaches
    key = str(uuid4())
    killed = usual.post("case: tool deaf_once", "killed", key)
    # When the runtime has killed the process at its own time-out
    assert (killed.status, killed.body) == (500, {"message": "Internal Server Error"})
    assert [type(entry) for entry in usual.history("killed")] == [UserMessage, Round]
    # And the app sends the message again, as often as it is told to
    while (answer := usual.post("case: tool deaf_once", "killed", key)).status == 409:
        assert answer.body["code"] == "in_progress"
        time.sleep(int(answer.headers["retry-after"]))
    # Then it is answered, the call has run again under its own key, and nothing is there twice
    assert (answer.status, answer.body["status"], answer.body["rounds"]) == (200, "answered", 1)
    _, done, _ = _valid(usual.history("killed"))
    assert isinstance(done, Round)
    assert [result.text for result in done.results] == ['{"number":42}', '{"number":1}']
    say(f"runtime: killed after {killed.seconds:.1f} s, resumed by the same message")


def test_a_wrong_setting_ends_the_start_with_its_name(chat: Start) -> None:
    with pytest.raises(InitError, match=r"^MODELS: should be provider:model"):
        chat(1, MODELS="nonsense")


def test_sixty_messages_in_four_slots_are_all_answered_once(chat: Start) -> None:
    # Given four slots, when sixty messages come at once
    four = chat(4)
    with ThreadPoolExecutor(60) as callers:
        texts = ["case: tool note"] * 60
        found = list(callers.map(four.post, texts, [f"many-{number}" for number in range(60)]))
    # Then every one is answered with a round of its own
    assert {(answer.status, answer.body.get("status"), answer.body.get("rounds")) for answer in found} == {
        (200, "answered", 1)
    }
    assert len(_valid(four.history("many-59"))) == 3


def _name(case: str) -> str:
    return case.replace(" ", "-")


def _told(case: str, answers: dict[str, "Future[Answer]"], say: Say) -> Answer:
    answer = answers[case].result()
    say(f"runtime: {case:<14} {answer.status} {answer.body.get('code') or answer.body.get('status')}"
        f" after {answer.seconds:.2f} s")  # fmt: skip
    return answer


def _valid(history: list[Entry]) -> list[Entry]:
    """Returns a history that needs no repair and ends with words."""
    assert repaired(history).mended == 0
    assert isinstance(history[-1], StoredAnswer)
    assert history[-1].text
    return history


def _counted(chat: Chat) -> str:
    chat.post("case: tool witness", conversation := str(uuid4()))
    done = chat.history(conversation)[1]
    assert isinstance(done, Round)
    return done.results[0].text
