"""The demo model, driven as a loop drives it: each test plays the tools."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from local.demo_brain import TO_DO, think
from local.demo_exercises import EXERCISES
from local.demo_rules import check

type Json = dict[str, Any]
type Tools = Callable[[str, Json], Json | str]

NOTHING: Json = {}
SET: Json = {"weight_kg": 82.5, "repetitions": 5}
POUNDS: list[Json] = [{"weight_lb": 225.0, "repetitions": 5}, {"weight_lb": 245.0, "repetitions": 3}]
NAMES = tuple(TO_DO)
PROGRESS = {
    "exercise": "Barbell Bench Press",
    "start_date": "2026-10-29",
    "start_1rm_kg": 92.2,
    "best_date": "2026-11-30",
    "best_1rm_kg": 96.25,
    "change_kg": 4.05,
    "change_percent": 4.4,
}


class Conversation:
    """Plays loop and tools around the demo model, and keeps to the rules of the API."""

    def __init__(self, tools: Tools, cut: dict[str, int] | None = None) -> None:
        self._tools = tools
        self._cut = cut or {}
        self.messages: list[Json] = []
        self.calls: list[tuple[str, Json]] = []

    def ask(self, text: str, rounds: int = 10) -> str:
        """Returns the answer, which is a closing one after so many rounds."""
        self.messages.append({"role": "user", "content": text})
        for number in range(rounds + 1):
            content = self._think()
            calls = [block for block in content if block["type"] == "tool_use"]
            if not calls:
                return content[-1]["text"]
            self.messages.append({"role": "user", "content": [self._result(call, number < rounds) for call in calls]})
        content = self._think({"type": "none"})
        assert [block["type"] for block in content] == ["text"]
        return content[0]["text"]

    def _think(self, choice: Json | None = None) -> list[Json]:
        tools = [{"name": name, "input_schema": {"type": "object"}} for name in NAMES]
        request = {"model": "demo", "max_tokens": 100, "tools": tools, "messages": self.messages}
        content = think(check(request | {"tool_choice": choice or {"type": "auto"}}))
        self.messages.append({"role": "assistant", "content": content})
        return content

    def _result(self, call: Json, runs: bool) -> Json:
        if not runs:
            text = "Not executed: the step limit for this answer was reached."
            return {"type": "tool_result", "tool_use_id": call["id"], "content": text, "is_error": True}
        self.calls.append((call["name"], call["input"]))
        value = self._tools(call["name"], call["input"])
        failed = {"is_error": True} if isinstance(value, str) else {}
        text = value if isinstance(value, str) else json.dumps(value)
        if call["name"] in self._cut:
            text = f"{text[: self._cut[call['name']]]}… [cut: 9 of 99 characters left out]"
        return {"type": "tool_result", "tool_use_id": call["id"], "content": text, **failed}


def tools(name: str, arguments: Json) -> Json | str:
    match name:
        case "search_exercises":
            return {"exercises": [{"name": "Barbell Bench Press"}], "total": 1}
        case "training_history":
            return {"progress": PROGRESS | {"exercise": arguments["exercise"]}, "sessions": []}
        case "estimate_one_rep_max":
            return {"one_rep_max_kg": 93.3, "formula": "epley"}
        case "save_goal":
            return {**arguments, "repetitions": 1, "saved_on": "2026-11-30"}
        case "log_workout":
            line = {"exercise": "Barbell Bench Press", "sets": "82.5 kg x 5, 5", "estimated_1rm_kg": 96.2}
            return {"saved": True, "date": "2026-11-30", "exercises": [line | {"new_best": True}]}
        case "record_measurement":
            return {"date": "2026-11-30", **arguments, "previous": 83.1, "previous_date": "2026-11-01"}
        case "read_measurements":
            weight = {"kind": "body_weight", "unit": "kg", "value": 82.5, "date": "2026-11-30"}
            return {"measurements": [weight | {"change": -1.5, "change_from": "2026-08-30"}]}
        case _:
            return {"goals": [{"exercise": "squat", "target_weight_kg": 140, "repetitions": 3, "by": "2027-03-01"}]}


@pytest.fixture
def conversation() -> Conversation:
    return Conversation(tools)


def test_progress_takes_two_rounds_and_is_told_with_the_numbers_of_the_result(conversation: Conversation) -> None:
    answer = conversation.ask("How much did I progress on bench press this month?")
    assert conversation.calls == [
        ("search_exercises", {"query": "bench press"}),
        ("training_history", {"exercise": "Barbell Bench Press", "period": "this_month"}),
    ]
    assert all(number in answer for number in ("92.2 kg", "96.25 kg", "+4.05 kg", "+4.4 %", "2026-10-29"))


def test_it_answers_in_spanish_when_asked_in_spanish(conversation: Conversation) -> None:
    answer = conversation.ask("¿Cuánto he progresado en press banca este mes?")
    assert conversation.calls[0] == ("search_exercises", {"query": "bench press"})
    assert "ha pasado de 92,2 kg" in answer


def test_a_name_that_was_never_logged_is_tried_in_the_persons_words() -> None:
    # given
    def only_short_names(name: str, arguments: Json) -> Json | str:
        if name == "training_history" and arguments["exercise"] != "bench press":
            return "No session of that."
        return tools(name, arguments)

    conversation = Conversation(only_short_names)
    # when
    answer = conversation.ask("How much did I progress on bench press this week?")
    # then
    assert conversation.calls[-1] == ("training_history", {"exercise": "bench press", "period": "this_week"})
    assert "went from" in answer


def test_a_tool_that_fails_is_admitted() -> None:
    conversation = Conversation(lambda _name, _arguments: "The tool failed.")
    assert "could not do that: The tool failed." in conversation.ask("How much did I progress on squat?")


def test_every_exercise_one_by_one_reaches_the_limit_and_closes_honestly(conversation: Conversation) -> None:
    answer = conversation.ask("How am I doing in every exercise, one by one?", rounds=10)
    asked = [arguments["exercise"] for _, arguments in conversation.calls]
    assert asked == list(EXERCISES[:10])
    assert all(f"- {name}: " in answer for name in asked)
    assert ", ".join(EXERCISES[10:]) in answer
    assert answer.endswith("Shall I continue?")


@pytest.mark.parametrize(
    ("question", "go_on"),
    [
        ("How am I doing in every exercise?", "Yes, continue."),
        ("¿Cómo voy en todos los ejercicios, uno a uno?", "sí, continúa"),
    ],
)
def test_it_goes_on_where_it_was_and_finishes(conversation: Conversation, question: str, go_on: str) -> None:
    # given
    conversation.ask(question, rounds=10)
    # when
    answer = conversation.ask(go_on, rounds=10)
    # then
    assert [arguments["exercise"] for _, arguments in conversation.calls] == list(EXERCISES)
    assert all(f"- {name}: " in answer for name in EXERCISES)


def test_each_turn_of_a_long_run_says_what_it_is_doing(conversation: Conversation) -> None:
    conversation.ask("one by one", rounds=3)
    turns = [message["content"] for message in conversation.messages if message["role"] == "assistant"]
    assert all(turn[0]["type"] == "text" and turn[0]["text"] for turn in turns)
    assert len({turn[0]["text"] for turn in turns}) == len(turns)


@pytest.mark.parametrize(
    ("question", "call", "answer"),
    [
        (
            "What is my one-rep max if I did 80 kg x 5?",
            ("estimate_one_rep_max", {"weight_kg": 80.0, "repetitions": 5}),
            "With 80 kg x 5, your one-rep max is about 93.3 kg (Epley's formula; an estimate).",
        ),
        (
            "Estima mi repetición máxima: 82,5 kg por 3",
            ("estimate_one_rep_max", {"weight_kg": 82.5, "repetitions": 3}),
            "Con 82,5 kg x 3, tu repetición máxima es de unos 93,3 kg (fórmula de Epley; es una estimación).",
        ),
        (
            "Save a goal of 100 kg on bench press",
            ("save_goal", {"exercise": "bench press", "target_weight_kg": 100.0}),
            "Saved: 100 kg on bench press.",
        ),
        (
            "Quiero un objetivo de 120 kg en press banca",
            ("save_goal", {"exercise": "bench press", "target_weight_kg": 120.0}),
            "Guardado: 120 kg en bench press.",
        ),
        (
            "I want a goal of 120 kg on leg press",
            ("save_goal", {"exercise": "leg press", "target_weight_kg": 120.0}),
            "Saved: 120 kg on leg press.",
        ),
        (
            "Quiero ver mis objetivos",
            ("read_goals", NOTHING),
            "Tus objetivos: 140 kg x 3 en squat para el 2027-03-01.",
        ),
        (
            "Guarda un objetivo de 120 kilos en peso muerto",
            ("save_goal", {"exercise": "deadlift", "target_weight_kg": 120.0}),
            "Guardado: 120 kg en deadlift.",
        ),
        (
            "Log bench press 82.5 kg x 5, 82.5 kg x 5",
            ("log_workout", {"exercises": [{"name": "bench press", "sets": [SET, SET]}]}),
            "Logged on 2026-11-30: Barbell Bench Press 82.5 kg x 5, 5 (estimated one-rep max 96.2 kg, a new best).",
        ),
        (
            "Apunta press banca 2x5 con 82,5 kg",
            ("log_workout", {"exercises": [{"name": "bench press", "sets": [SET, SET]}]}),
            (
                "Apuntado el 2026-11-30: Barbell Bench Press 82,5 kg x 5, 5 "
                "(repetición máxima estimada 96,2 kg, un nuevo récord)."
            ),
        ),
        (
            "Please log squats: 225 lb x 5 and 245 lbs x 3",
            ("log_workout", {"exercises": [{"name": "squat", "sets": POUNDS}]}),
            "Logged on 2026-11-30: Barbell Bench Press 82.5 kg x 5, 5 (estimated one-rep max 96.2 kg, a new best).",
        ),
        (
            "I weigh 82.5 kg",
            ("record_measurement", {"kind": "body_weight", "value": 82.5, "unit": "kg"}),
            "Recorded: body weight 82.5 kg; before it was 83.1 kg (2026-11-01).",
        ),
        (
            "Apunta mi peso: 82,5 kg",
            ("record_measurement", {"kind": "body_weight", "value": 82.5, "unit": "kg"}),
            "Apuntado: peso 82,5 kg; antes era 83,1 kg (2026-11-01).",
        ),
        (
            "Log my waist, 33 inches",
            ("record_measurement", {"kind": "waist", "value": 33.0, "unit": "in"}),
            "Recorded: waist 33 in; before it was 83.1 in (2026-11-01).",
        ),
        (
            "¿Cómo va mi peso?",
            ("read_measurements", {"kind": "body_weight"}),
            "Peso 82,5 kg (2026-11-30), -1,5 kg desde el 2026-08-30.",
        ),
        (
            "What are my measurements?",
            ("read_measurements", NOTHING),
            "Body weight 82.5 kg (2026-11-30), -1.5 kg since 2026-08-30.",
        ),
        ("What are my goals?", ("read_goals", NOTHING), "Your goals: 140 kg x 3 on squat by 2027-03-01."),
    ],
)
def test_the_other_tools(conversation: Conversation, question: str, call: tuple[str, Json], answer: str) -> None:
    assert conversation.ask(question) == answer
    assert conversation.calls == [call]


@pytest.mark.parametrize(
    "question", ["How much did I progress on my deadlift?", "¿Cuánto he mejorado en mi peso muerto?"]
)
def test_a_deadlift_is_no_body_weight(conversation: Conversation, question: str) -> None:
    conversation.ask(question)
    assert conversation.calls[0] == ("search_exercises", {"query": "deadlift"})


@pytest.mark.parametrize("question", ["Log bench press 80 kg x 5 of yesterday", "Log my bench press, 3 sets x hard"])
def test_what_it_cannot_log_it_says_and_logs_nothing(conversation: Conversation, question: str) -> None:
    assert conversation.ask(question)
    assert conversation.calls == []


@pytest.mark.parametrize(
    ("text", "words"), [("Hello", "I am the demo model"), ("yes", "I am the demo model"), ("hola", "Soy el modelo")]
)
def test_anything_else_is_answered_with_what_it_can_be_asked(conversation: Conversation, text: str, words: str) -> None:
    assert words in conversation.ask(text)
    assert conversation.calls == []


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("How much did I progress on squat?", "to look the exercise up, and your history of it"),
        ("Save a goal of 100 kg on bench press", "to save the goal; it is not saved"),
        ("What are my goals?", "to look at your goals"),
        ("What is my one-rep max if I did 80 kg x 5?", "the estimate"),
        ("Log bench press 80 kg x 5", "to log the workout; it is not saved"),
        ("I weigh 80 kg", "to record the value; it is not saved"),
        ("What is my weight?", "to look at your measurements"),
    ],
)
def test_a_limit_before_anything_was_found_is_said_as_it_is(
    conversation: Conversation, question: str, left: str
) -> None:
    answer = conversation.ask(question, rounds=0)
    assert (
        answer
        == f"I reached the limit of this answer. I have found nothing yet. Still to do: {left}. Shall I continue?"
    )


def test_a_limit_in_the_middle_is_closed_with_what_was_found_and_what_is_left(conversation: Conversation) -> None:
    # when
    answer = conversation.ask("How much did I progress on bench press this month?", rounds=1)
    # then
    assert "So far: the catalogue calls it Barbell Bench Press." in answer
    assert "Still to do: your training history of Barbell Bench Press." in answer
    # and when
    assert "went from 92.2 kg" in conversation.ask("yes", rounds=1)


@pytest.mark.parametrize(
    ("question", "more", "words"),
    [
        ("How much did I progress on bench press this week?", "and squat?", "on Barbell Bench Press went from"),
        ("¿Cuánto he progresado en press banca esta semana?", "¿y sentadilla?", "ha pasado de"),
        ("How much did I progress on bench press this week?", "What about the squat?", "went from"),
    ],
)
def test_another_exercise_is_asked_for_in_one_word(
    conversation: Conversation, question: str, more: str, words: str
) -> None:
    # given
    conversation.ask(question)
    conversation.calls.clear()
    # when
    answer = conversation.ask(more)
    # then
    assert words in answer
    assert conversation.calls[0] == ("search_exercises", {"query": "squat"})
    assert conversation.calls[1][1]["period"] == "this_week"


def test_what_only_begins_like_a_further_question_is_not_answered_as_one(conversation: Conversation) -> None:
    conversation.ask("How much did I progress on bench press?")
    assert "I am the demo model" in conversation.ask("And what did I just ask?")


@pytest.mark.parametrize(
    ("question", "name", "chars", "answer"),
    [
        (
            "How much did I progress on squat?",
            "training_history",
            60,
            "The result was cut off; what could be read is today: 2026-11-30.",
        ),
        ("How much did I progress on squat?", "training_history", 90, "(the rest was cut off)."),
        ("What are my goals?", "read_goals", 80, "Your goals: 140 kg on squat (the rest was cut off)."),
        ("What are my goals?", "read_goals", 20, 'The result was cut off; what could be read is {"goals":'),
        ("Save a goal of 100 kg on squat", "save_goal", 25, "what could be read is exercise: squat."),
        ("1RM of 80 kg x 5?", "estimate_one_rep_max", 20, "The result was cut off; what could be read is "),
        ("1RM of 80 kg x 5?", "estimate_one_rep_max", 2, "The result was cut off; what could be read is "),
    ],
)
def test_of_a_result_that_was_cut_it_says_what_could_be_read(question: str, name: str, chars: int, answer: str) -> None:
    # given
    results: dict[str, Json] = {
        "search_exercises": {"exercises": []},
        "training_history": {
            "today": "2026-11-30",
            "sessions": [{"date": "2026-11-30", "top_set": "5"}, {"date": "2026-11-28", "top_set": "4"}],
        },
        "read_goals": {"goals": [{"exercise": "squat", "target_weight_kg": 140}, {"exercise": "dips", "by": None}]},
        "save_goal": {"exercise": "squat", "target_weight_kg": 100},
        "estimate_one_rep_max": {"one_rep_max_kg": 93.3},
    }
    conversation = Conversation(lambda name, _: results[name], cut={name: chars})
    # when, then
    assert answer in conversation.ask(question)


def test_the_same_request_gets_the_same_turn() -> None:
    request = {
        "model": "demo",
        "tools": [{"name": "read_goals"}],
        "messages": [{"role": "user", "content": "my goals"}],
    }
    assert think(request) == think(request)
