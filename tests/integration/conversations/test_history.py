"""GET the history of a conversation, as an app does: whole, page by page, and while a message is being answered."""

import pytest
from conversations_function import ConversationsApi, texts
from doubles import asks

from rondas.history import UNAVAILABLE, Answer, Round, ToolCall, ToolResult, Turn, settle
from rondas.loop import Ending
from rondas.store import reading
from rondas.store.table import Page, Table


def test_an_answered_message_is_what_was_asked_each_step_and_the_reply(api: ConversationsApi) -> None:
    # Given a message that took a round with two tools
    calls = (ToolCall("t1", "search_exercises", '{"query":"press banca"}'), ToolCall("t2", "log", '{"kg": 80'))
    results = (ToolResult("t1", '{"found":1}'), ToolResult("t2", "arguments: no JSON", "failed"))
    api.told("¿Cuánto levanté? 🏋️", Round(Turn("Miro.", calls), results), answer="80 kg, ¡campeón!")
    # When its history is read
    page = api.read()
    # Then each entry is an item, in order, with its number, its time and its tools
    assert page.status == 200
    at = page.body["messages"][0]["created_at"]
    assert at.endswith("Z")
    assert page.body == {
        "messages": [
            {
                "seq": 0,
                "role": "user",
                "text": "¿Cuánto levanté? 🏋️",
                "status": None,
                "created_at": at,
                "tool_calls": [],
            },
            {
                "seq": 1,
                "role": "assistant",
                "text": "Miro.",
                "status": None,
                "created_at": at,
                "tool_calls": [
                    {
                        "id": "t1",
                        "name": "search_exercises",
                        "arguments": {"query": "press banca"},
                        "result": '{"found":1}',
                        "outcome": "done",
                    },
                    {"id": "t2", "name": "log", "arguments": {}, "result": "arguments: no JSON", "outcome": "failed"},
                ],
            },
            {
                "seq": 2,
                "role": "assistant",
                "text": "80 kg, ¡campeón!",
                "status": "answered",
                "created_at": at,
                "tool_calls": [],
            },
        ],
        "next": None,
    }


def test_letters_are_sent_as_they_are(api: ConversationsApi) -> None:
    api.told("¿Qué tal, Íñigo? 💪")
    assert "¿Qué tal, Íñigo? 💪" in api.read().raw
    assert "¿Qué tal, Íñigo? 💪" in api.conversations().raw


def test_a_page_at_a_time_gives_each_item_once(api: ConversationsApi) -> None:
    # Given three messages: six items
    for number in range(3):
        api.told(f"question {number}", answer=f"answer {number}")
    # When they are read two at a time
    first = api.read(limit=2).body
    second = api.read(limit=2, after=first["next"]).body
    third = api.read(limit=2, after=second["next"]).body
    # Then three full pages hold all, and the last one knows that it is
    assert [texts(page) for page in (first, second, third)] == [
        [f"question {number}", f"answer {number}"] for number in range(3)
    ]
    assert third["next"] is None


def test_after_the_last_item_there_is_nothing_and_nothing_more(api: ConversationsApi) -> None:
    api.told("question")
    assert api.read(after=1).body == {"messages": [], "next": None}
    assert api.read(after=999_999_999).body == {"messages": [], "next": None}


def test_an_app_that_asks_again_sees_each_round_of_a_running_message(api: ConversationsApi) -> None:
    # Given an app that shows what it knows, by number, and asks after the last item that is not running
    shown: dict[int, tuple[str, str | None, list[str | None]]] = {}

    def catch_up() -> None:
        done = [seq for seq, (_, status, _) in shown.items() if status != "running"]
        page = (api.read(after=max(done)) if done else api.read()).body
        assert page["next"] is None
        for item in page["messages"]:
            shown[item["seq"]] = item["text"], item["status"], [call["result"] for call in item["tool_calls"]]

    # When a message runs, and the app asks between any two of its writes
    run = api.claim("Log 80 kg")
    catch_up()
    assert list(shown) == [0]
    run.append(settle(asks("look", text="I look."), "found", "done"))
    catch_up()
    assert shown[1] == ("I look.", None, ["found"])
    turn = asks("save", text="I save.")
    run.write_ahead(turn)
    catch_up()
    catch_up()
    # Then a round with an effect is there while it runs
    assert shown[2] == ("I save.", "running", [None])
    assert api.read(after=1).body["messages"][0]["tool_calls"][0]["outcome"] == "unknown"
    # And again when it is done
    run.append(settle(turn, "saved", "done"))
    catch_up()
    assert shown[2] == ("I save.", None, ["saved"])
    run.finish(Ending(Answer("Saved."), settle(asks("more"), "Not executed", "not_executed")))
    catch_up()
    # And at the end the app knows what a fresh look shows
    assert list(shown) == [0, 1, 2, 3, 4]
    assert shown[4] == ("Saved.", "answered", [])
    assert [text for text, _, _ in shown.values()] == texts(api.read().body)


def test_the_status_of_a_reply_says_how_the_message_ended(api: ConversationsApi) -> None:
    run = api.claim("hello")
    run.finish(Ending(Answer("Sorry.", "failed", UNAVAILABLE)))
    assert api.read().body["messages"][-1]["status"] == "failed"


def test_an_item_that_comes_into_sight_late_is_not_missed(
    api: ConversationsApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a write of two entries of which a reader sees the second one first, as the table may have it
    api.told("question", answer="answer")
    whole = Table.page

    def late(self: Table, *args: object, **more: object) -> Page:
        monkeypatch.setattr(Table, "page", whole)
        page = self.page(*args, **more)  # pyright: ignore[reportArgumentType]
        return Page(page.items[1:], page.last)

    monkeypatch.setattr(Table, "page", late)
    # When the history is read, then both are there
    assert texts(api.read().body) == ["question", "answer"]


def test_a_history_with_a_hole_is_shown_as_it_is(api: ConversationsApi) -> None:
    # Given a history from which somebody has taken an entry out
    for number in range(2):
        api.told(f"question {number}", answer=f"answer {number}")
    api.client.delete_item(TableName="conversations", Key={"pk": {"S": "U#ana#C#c-1"}, "sk": {"S": "M#000000001"}})
    # When it is read, then what is left is shown
    assert texts(api.read().body) == ["question 0", "question 1", "answer 1"]


def test_a_page_fits_into_an_answer_of_lambda_s(api: ConversationsApi, monkeypatch: pytest.MonkeyPatch) -> None:
    # Given entries that are too much for one page, one of them even alone
    monkeypatch.setattr(reading, "PAGE_BYTES", 1000)
    api.told("question", answer="x" * 600)
    api.told("another", answer="y" * 5000)
    # When they are read, then each page holds what fits, at least one, and none is left out
    pages: list[list[str]] = []
    cursor: dict[str, str] = {}
    while True:
        page = api.read(**cursor).body
        pages.append([text[:8] for text in texts(page)])
        if page["next"] is None:
            break
        cursor = {"after": page["next"]}
    assert pages == [["question", "xxxxxxxx", "another"], ["yyyyyyyy"]]


@pytest.mark.parametrize("items", [2, 60])
def test_a_page_takes_two_requests_however_long_the_conversation_is(api: ConversationsApi, items: int) -> None:
    for number in range(items // 2):
        api.told(f"question {number}")
    with api.requests() as made:
        assert len(api.read(after=items - 2).body["messages"]) == 1
    assert made == ["Query", "BatchGetItem"]
