import pytest

from local.gateway import find_route
from local.template import Route


def route(key: str) -> Route:
    method, path = key.split()
    return Route(method, path, "F", 29, protected=True)


ROUTES = tuple(
    route(key)
    for key in (
        "GET /conversations",
        "ANY /conversations/{id}",
        "DELETE /conversations/{id}",
        "POST /conversations/{id}/messages",
        "GET /conversations/recent",
        "GET /files/{proxy+}",
    )
)


@pytest.mark.parametrize(
    ("method", "path", "key", "parameters"),
    [
        ("GET", "/conversations", "GET /conversations", {}),
        ("POST", "/conversations/a-1/messages", "POST /conversations/{id}/messages", {"id": "a-1"}),
        ("POST", "/conversations/a%20b%2Fc/messages", "POST /conversations/{id}/messages", {"id": "a b/c"}),
        ("DELETE", "/conversations/x", "DELETE /conversations/{id}", {"id": "x"}),
        ("PATCH", "/conversations/x", "ANY /conversations/{id}", {"id": "x"}),
        ("GET", "/conversations/recent", "GET /conversations/recent", {}),
        ("GET", "/files/a/b.txt", "GET /files/{proxy+}", {"proxy": "a/b.txt"}),
    ],
)
def test_finds_the_most_specific_route(method: str, path: str, key: str, parameters: dict[str, str]) -> None:
    match = find_route(ROUTES, method, path)
    assert match is not None
    assert match.route.key == key
    assert match.parameters == parameters


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/conversations"), ("GET", "/conversations/"), ("POST", "/conversations//messages"), ("GET", "/")],
)
def test_finds_none_where_there_is_none(method: str, path: str) -> None:
    assert find_route(ROUTES, method, path) is None
