"""GET the person's conversations, as an app does."""

import base64
import json

import pytest
from conversations_function import ConversationsApi


def ids(page: object) -> list[str]:
    assert isinstance(page, dict)
    return [each["id"] for each in page["conversations"]]  # pyright: ignore[reportUnknownVariableType]


def test_a_person_without_conversations_gets_an_empty_list(api: ConversationsApi) -> None:
    answer = api.conversations()
    assert (answer.status, answer.body) == (200, {"conversations": [], "next": None})


def test_a_conversation_is_listed_with_its_title_and_its_times(api: ConversationsApi) -> None:
    # Given a conversation of two messages
    api.told("¿Cuánto he progresado en press de banca?")
    api.told("¿Y en sentadilla? 🦵")
    # When it is listed
    (listed,) = api.conversations().body["conversations"]
    # Then it has the name of its first message, and the time of its last
    created, updated = listed.pop("created_at"), listed.pop("updated_at")
    assert listed == {"id": "c-1", "title": "¿Cuánto he progresado en press de banca?"}
    assert created < updated


def test_the_last_active_comes_first_also_while_its_message_is_being_answered(api: ConversationsApi) -> None:
    # Given three conversations
    for name in ("a", "b", "c"):
        api.told("hello", conversation=name)
    assert ids(api.conversations().body) == ["c", "b", "a"]
    # When a message comes to the oldest
    api.claim("more", conversation="a")
    # Then it is on top at once
    assert ids(api.conversations().body) == ["a", "c", "b"]


def test_a_page_at_a_time_gives_each_conversation_once(api: ConversationsApi) -> None:
    # Given six conversations
    for number in range(6):
        api.told("hello", conversation=f"c-{number}")
    # When they are read two at a time
    first = api.conversations(limit=2).body
    second = api.conversations(limit=2, cursor=first["next"]).body
    third = api.conversations(limit=2, cursor=second["next"]).body
    # Then three full pages hold all, and the last one knows that it is
    assert [ids(page) for page in (first, second, third)] == [["c-5", "c-4"], ["c-3", "c-2"], ["c-1", "c-0"]]
    assert third["next"] is None


def test_conversations_of_the_same_moment_are_all_listed(api: ConversationsApi) -> None:
    # Given conversations whose last messages came in the same millisecond
    for number in range(4):
        api.clock.advance(-1)
        api.told("hello", conversation=f"c-{number}")
    # When they are read one at a time
    seen: list[str] = []
    page = api.conversations(limit=1).body
    seen += ids(page)
    while page["next"]:
        page = api.conversations(limit=1, cursor=page["next"]).body
        seen += ids(page)
    # Then none is left out and none comes twice
    assert sorted(seen) == [f"c-{number}" for number in range(4)]


def test_a_cursor_outlives_the_conversation_it_names(api: ConversationsApi) -> None:
    # Given a cursor that points after a conversation
    for name in ("a", "b", "c"):
        api.told("hello", conversation=name)
    cursor = api.conversations(limit=2).body["next"]
    # When that one is erased, then the list goes on all the same
    api.delete("b")
    assert ids(api.conversations(cursor=cursor).body) == ["a"]


def test_a_list_is_one_request(api: ConversationsApi) -> None:
    for number in range(30):
        api.told("hello", conversation=f"c-{number}")
    with api.requests() as made:
        assert len(api.conversations().body["conversations"]) == 30
    assert made == ["Query"]


def test_no_cursor_leads_to_another_person_s_conversations(api: ConversationsApi) -> None:
    # Given a cursor of Ana's, and one made up from all that Bob may know of her
    for name in ("a", "b", "c"):
        api.told("hello", conversation=name)
    api.told("mine", user="bob", conversation="d")
    (first, *_), given = api.conversations(limit=1).body["conversations"], api.conversations(limit=1).body["next"]
    made_up = _encoded([first["updated_at"], "c"])
    # When Bob uses them, then he sees what is his, before that moment or after it, and nothing else
    for cursor in (given, made_up, _encoded(["9999-01-01T00:00:00.000Z", "a"])):
        answer = api.conversations(user="bob", cursor=cursor)
        assert answer.status == 200
        assert set(ids(answer.body)) <= {"d"}


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "%",
        "garbage",
        "ñandú",
        "💪",
        "A" * 5000,
        base64.urlsafe_b64encode(b"\xff\xfe").decode(),
        pytest.param(json.dumps(["2026-01-01T00:00:00.000Z", "a"]), id="not encoded"),
    ],
)
def test_a_cursor_that_is_none_is_refused(api: ConversationsApi, cursor: str) -> None:
    answer = api.conversations(cursor=cursor)
    assert (answer.status, answer.body["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    "inside",
    [
        None,
        7,
        [],
        {},
        ["2026-01-01T00:00:00.000Z"],
        ["yesterday", "a"],
        ["2026-01-01T00:00:00.000Z", "a#b"],
        ["2026-01-01T00:00:00.000Z", ""],
        ["2026-01-01T00:00:00.000Z", "x" * 65],
        ["2026-01-01T00:00:00.000Z", "a", "U#bob"],
        ["2026-01-01T00:00:00.000Z", ["a"]],
        {"pk": "U#bob", "sk": "C#a"},
        "9" * 5000,
    ],
)
def test_a_cursor_with_anything_else_inside_is_refused(api: ConversationsApi, inside: object) -> None:
    answer = api.conversations(cursor=_encoded(inside))
    assert (answer.status, answer.body["code"]) == (400, "invalid_request")


def _encoded(inside: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(inside, separators=(",", ":")).encode()).decode().rstrip("=")
