"""DELETE a conversation: nothing of it stays, whatever goes on meanwhile, and however often it is cut off (rule S9)."""

from typing import Any

import pytest
from chat_function import Chat
from conversations_function import ConversationsApi, load_app, texts
from doubles import asks
from fakes.anthropic import message

from rondas.history import Answer, UserMessage, settle
from rondas.loop import Ending
from rondas.store import erase as erasing
from rondas.store.run import ConversationErased, LeaseLost
from rondas.store.table import Page, Table


def test_an_erased_conversation_leaves_nothing_and_other_ones_stay(api: ConversationsApi) -> None:
    # Given two conversations, and one of the same name of another person
    api.told("stays", conversation="other")
    api.told("stays too", user="bob")
    left = api.stored()
    api.told("goes", settle(asks("look"), "found", "done"))
    # When one is erased
    answer = api.delete()
    # Then it is gone, item by item, and the others are as they were
    assert (answer.status, answer.raw) == (204, "")
    assert api.stored() == left
    assert api.read().status == 404
    assert [each["id"] for each in api.conversations().body["conversations"]] == ["other"]
    assert texts(api.read("other").body) == ["stays", "Yes."]
    assert texts(api.read(user="bob").body) == ["stays too", "Yes."]


def test_erasing_again_is_calm(api: ConversationsApi) -> None:
    api.told("goes")
    assert [api.delete().status for _ in range(3)] == [204, 204, 204]


def test_what_never_was_is_erased_without_a_write(api: ConversationsApi) -> None:
    with api.requests() as made:
        assert api.delete("never").status == 204
    assert made == ["BatchGetItem"]
    assert api.stored() == []


def test_nobody_erases_another_person_s_conversation(api: ConversationsApi) -> None:
    # Given a conversation of Ana's
    api.told("hers")
    before = api.stored()
    # When Bob erases what has its name, then it looks to him as if it were not there, and stays
    with api.requests() as made:
        assert api.delete(user="bob").status == 204
    assert made == ["BatchGetItem"]
    assert api.stored() == before


@pytest.mark.parametrize("then", ["append", "write_ahead", "finish", "release"])
def test_a_run_that_goes_on_stores_nothing_more(api: ConversationsApi, then: str) -> None:
    # Given a message that is being answered
    run = api.claim("goes")
    run.append(settle(asks("look"), "found", "done"))
    # When the conversation is erased meanwhile
    assert api.delete().status == 204
    # Then the run is told so with its next write, and nothing is stored
    late: dict[str, Any] = {
        "append": lambda: run.append(settle(asks("late"), "late", "done")),
        "write_ahead": lambda: run.write_ahead(asks("late")),
        "finish": lambda: run.finish(Ending(Answer("late"))),
    }
    if then == "release":
        run.release()
    else:
        with pytest.raises(ConversationErased):
            late[then]()
    assert api.stored() == []
    assert api.read().status == 404


def test_a_runner_of_the_erased_conversation_cannot_write_into_one_of_the_same_name(api: ConversationsApi) -> None:
    # Given a run whose conversation was erased, and a new one of the same name
    old = api.claim("old")
    api.delete()
    new = api.claim("new")
    # When the old runner writes, then it is told that its message is gone
    with pytest.raises(ConversationErased):
        old.append(settle(asks("late"), "late", "done"))
    # And the new one begins at the beginning, with nothing of the old
    assert new.history == [UserMessage("new")]
    new.finish(Ending(Answer("Hello.")))
    assert [(each["seq"], each["text"]) for each in api.read().body["messages"]] == [(0, "new"), (1, "Hello.")]


def test_a_runner_that_was_only_overtaken_is_told_so(api: ConversationsApi) -> None:
    # Given a run that outlived its lease, and the same message taken up again
    old = api.claim("hello", key="k")
    api.clock.advance(60)
    api.claim("hello", key="k")
    # When it writes, then it is not told that the conversation is erased, for its message will be answered
    with pytest.raises(LeaseLost) as lost:
        old.append(settle(asks("late"), "late", "done"))
    assert not isinstance(lost.value, ConversationErased)


REQUESTS = 8  # look, begin, then three pages, each read and deleted


@pytest.mark.parametrize("last", range(2, REQUESTS))
def test_an_erase_that_is_cut_off_shows_nothing_and_goes_on_when_it_is_repeated(
    api: ConversationsApi, monkeypatch: pytest.MonkeyPatch, last: int
) -> None:
    # Given a conversation of several pages
    monkeypatch.setattr(erasing, "PAGE_ITEMS", 3)
    api.told("hello", *[settle(asks("look"), "found", "done") for _ in range(4)])
    # When its erase breaks off behind one of its requests, from the one on that begins it
    with api.requests(most=last):
        assert api.delete().status == 500
    # Then nothing of it can be read, listed or answered
    assert api.stored() != []
    assert api.read().status == 404
    assert api.conversations().body["conversations"] == []
    for key in ("key of hello", "another key"):
        with pytest.raises(ConversationErased):
            api.claim("hello", key=key)
    # And when it is repeated, nothing stays
    with api.requests(most=REQUESTS):
        assert api.delete().status == 204
    assert api.stored() == []


def test_an_erase_that_takes_too_long_says_that_it_is_to_be_repeated(
    api: ConversationsApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given a conversation that is too long for the time there is
    monkeypatch.setattr(erasing, "PAGE_ITEMS", 3)
    api.told("hello", *[settle(asks("look"), "found", "done") for _ in range(3)])
    left = iter([9.0, 6.0, 2.9])
    monkeypatch.setattr(api.app, "seconds_left", lambda _app: next(left))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    # When it is erased, then the app is told to come again, and the conversation is missing already
    answer = api.delete()
    assert (answer.status, answer.body["code"], answer.headers["Retry-After"]) == (409, "in_progress", "1")
    assert api.read().status == 404
    # And then it ends
    monkeypatch.undo()
    assert api.delete().status == 204


def test_an_erase_that_slept_touches_nothing_of_a_new_conversation(
    api: ConversationsApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given an erase that falls asleep between the look at a page and its transaction
    api.told("old")
    whole = Table.page

    def asleep(self: Table, *args: Any, **more: Any) -> Page:
        page = whole(self, *args, **more)
        monkeypatch.setattr(Table, "page", whole)
        # While it sleeps, another one ends its work, and the person begins again under the same name
        assert api.delete().status == 204
        api.told("new")
        return page

    monkeypatch.setattr(Table, "page", asleep)
    # When it wakes up
    assert api.delete().status == 204
    # Then what is new is untouched, though it has the keys of the old
    assert texts(api.read().body) == ["new", "Yes."]


def test_a_message_that_is_claimed_meanwhile_is_erased_as_well(
    api: ConversationsApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Given an erase that has looked at the head when a message is claimed
    api.told("old")
    whole = Table.get

    def looked(self: Table, keys: Any) -> Any:
        head = whole(self, keys)
        monkeypatch.setattr(Table, "get", whole)
        api.claim("faster")
        return head

    monkeypatch.setattr(Table, "get", looked)
    # When it goes on, then it begins again with what is there now
    assert api.delete().status == 204
    assert api.stored() == []


def test_a_message_sent_to_a_conversation_that_is_being_erased_does_not_begin_it_anew(chat: Chat) -> None:
    # Given a message that is being answered while its conversation is erased
    api = ConversationsApi(load_app(), chat.client)

    def meanwhile(_: object) -> Any:
        assert api.delete("c-1").status == 204
        return message("Too late.")

    chat.model.add(meanwhile)
    # When its run ends
    answer = chat.post("hello")
    # Then the app is not told to send it again
    assert (answer.status, answer.body["code"]) == (404, "not_found")
    assert "Retry-After" not in answer.headers
    # And nothing of it stays; what its person may use is not given back
    assert chat.stored() == ["Q#runs"]
