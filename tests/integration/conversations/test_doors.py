"""Who may come in, and what is refused: the same on every route."""

from typing import Any

import pytest
from chat_function import Chat
from conversations_function import ConversationsApi, Got
from doubles import asks

from rondas.history import settle

ROUTES = [
    ("GET", "/conversations"),
    ("GET", "/conversations/c-1/messages"),
    ("DELETE", "/conversations/c-1"),
]
OF_ONE = ROUTES[1:]


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize("user", [None, "", " "])
def test_without_a_verified_person_nothing_is_read(
    api: ConversationsApi, method: str, path: str, user: str | None
) -> None:
    api.told("hello", user="ana")
    with api.requests() as made:
        answer = api.request(method, path, user=user)
    assert (answer.status, answer.body["code"], made) == (401, "unauthorized", [])


@pytest.mark.parametrize(("method", "path"), OF_ONE)
@pytest.mark.parametrize("running", [False, True])
def test_another_person_s_conversation_is_exactly_like_one_that_does_not_exist(
    api: ConversationsApi, method: str, path: str, running: bool
) -> None:
    # Given a conversation of Ana's, one that is erased, and none at all
    api.told("hers", settle(asks("look"), "found", "done"))
    if running:
        api.claim("hers, running")

    def as_bob(at: str) -> tuple[Got, list[str]]:
        with api.requests() as made:
            answer = api.request(method, at, user="bob")
        return answer, made

    # When Bob asks for each, then answer and requests to the table are the same, byte by byte
    assert as_bob(path) == as_bob(path.replace("c-1", "none"))


@pytest.mark.parametrize(("method", "path"), OF_ONE)
def test_an_erased_conversation_is_exactly_like_one_that_never_was(
    api: ConversationsApi, method: str, path: str
) -> None:
    api.told("hello")
    api.delete()

    def asked(at: str) -> tuple[Got, list[str]]:
        with api.requests() as made:
            return api.request(method, at), made

    assert asked(path) == asked(path.replace("c-1", "none"))


@pytest.mark.parametrize("user", ["ana#C#c-1", "U#ana", "ana%23", "*", "ana\x00"])
def test_a_name_that_looks_like_a_key_leads_nowhere(api: ConversationsApi, user: str) -> None:
    api.told("hers", user="ana")
    assert api.read(user=user).status == 404
    assert api.conversations(user=user).body["conversations"] == []
    assert api.delete(user=user).status == 204
    assert api.read(user="ana").status == 200


@pytest.mark.parametrize(("method", "path"), OF_ONE)
@pytest.mark.parametrize(
    ("name", "status"),
    [("a b", 422), ("x" * 65, 422), ("ñ", 422), ("a.b", 422), ("💪", 404), ("a#b", 404), ("a/b", 404)],
)
def test_a_malformed_id_is_refused_before_the_table_is_asked(
    api: ConversationsApi, method: str, path: str, name: str, status: int
) -> None:
    with api.requests() as made:
        answer = api.request(method, path.replace("c-1", name))
    assert (answer.status, made) == (status, [])
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("path", "query"),
    [
        *[
            (path, {"limit": limit})
            for path in ("/conversations", "/conversations/c-1/messages")
            for limit in ("0", "-1", "1001", "abc", "", "1.5", "9" * 5000, "1e2", "null")
        ],
        *[
            ("/conversations/c-1/messages", {"after": after})
            for after in ("-1", "abc", "", "1.5", "1000000000", "9" * 5000, "M#1")
        ],
    ],
)
def test_a_page_that_cannot_be_is_refused_with_the_name_of_what_is_wrong(
    api: ConversationsApi, path: str, query: dict[str, Any]
) -> None:
    answer = api.request("GET", path, **query)
    assert (answer.status, answer.body["code"]) == (422, "invalid_request")
    assert answer.body["detail"].startswith(f"{next(iter(query))}: ")


@pytest.mark.parametrize(
    ("header", "detail"),
    [
        ("es-ES,es;q=0.9", "limit: debe ser como mínimo 1."),
        ("fr, es;q=0.5, en;q=0.1", "limit: debe ser como mínimo 1."),
        ("en-GB", "limit: should be at least 1."),
        ("fr", "limit: should be at least 1."),
        ("", "limit: should be at least 1."),
    ],
)
def test_errors_are_in_the_language_the_app_asks_for(api: ConversationsApi, header: str, detail: str) -> None:
    answer = api.conversations(limit=0, headers={"accept-language": header})
    assert answer.body["detail"] == detail


SPANISH = {"accept-language": "es"}


@pytest.mark.parametrize(
    ("event", "detail"),
    [
        ({"body": "{"}, "El cuerpo no es JSON válido."),
        ({"body": "{}"}, "text: falta."),
        ({"body": "[]"}, "cuerpo: debe ser un objeto JSON."),
        ({"body": '{"text":"a","more":1}'}, "more: no se conoce aquí."),
        ({"text": 7}, "text: debe ser un texto."),
        ({"text": " "}, "text: no hay nada a lo que responder."),
        ({"text": "x" * 8001}, "text: 8001 caracteres son demasiados; se admiten 8000."),
        ({"key": "k"}, "idempotency-key: debe ser un UUID."),
        ({"conversation": "a b"}, "conversation_id: debe ajustarse a ^[A-Za-z0-9_-]{1,64}$."),
        ({"user": None}, "Inicia sesión: la petición no trae una identidad verificada."),
        ({"rawPath": "/nowhere"}, "No hay nada en esta dirección."),
        ({"body": "abc", "isBase64Encoded": True}, "El cuerpo no es texto UTF-8."),
    ],
)
def test_the_errors_of_a_message_are_in_spanish_as_well(chat: Chat, event: dict[str, Any], detail: str) -> None:
    assert chat.post(headers=SPANISH, **event).body["detail"] == detail


def test_a_conversation_that_is_not_there_is_told_in_spanish_as_well(api: ConversationsApi) -> None:
    assert api.read(headers=SPANISH).body == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "code": "not_found",
        "detail": "No tienes ninguna conversación así.",
    }


def test_a_fault_of_ours_shows_nothing_of_the_inside(api: ConversationsApi) -> None:
    with api.requests(most=0):
        answer = api.read(headers=SPANISH)
    assert (answer.status, answer.body["code"]) == (500, "internal")
    assert answer.body["detail"] == "Algo ha fallado por nuestra parte. Envía de nuevo la misma petición."
    assert "BrokenOff" not in answer.raw
