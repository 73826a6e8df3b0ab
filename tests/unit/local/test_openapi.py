"""The OpenAPI document: it is what the routes say, it names every error, and its examples are true."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from conformity import check_value, document
from openapi_spec_validator import validate

from local.api_errors import ERRORS
from local.api_page import page_of
from local.openapi import DOCUMENT, SETTINGS
from local.payload import Request
from local.template import ROOT, Template
from rondas.http.problems import Code

type Json = dict[str, Any]

README = (ROOT / "README.md").read_text(encoding="utf-8")


def python(code: str, *path: str) -> str:
    """What a process of its own prints, which has imported nothing before."""
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=SETTINGS | {"PYTHONPATH": ":".join(["events", "layers/rondas", *path]), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return ran.stdout


def operations() -> Iterator[tuple[str, str, Json]]:
    for path, known in document()["paths"].items():
        for method, operation in known.items():
            yield method.upper(), path, operation


def test_the_checked_in_document_is_the_one_that_the_routes_give() -> None:
    made = python("from local.openapi import text; print(text(), end='')")
    assert DOCUMENT.read_text(encoding="utf-8") == made, "run `make openapi` and look at what has changed"


def test_it_is_openapi_3_1() -> None:
    assert document()["openapi"].startswith("3.1")
    validate(document())


def test_it_names_the_routes_of_the_template_and_each_asks_for_a_token() -> None:
    routes = Template.read().routes
    assert {(method, path) for method, path, _ in operations()} == {(route.method, route.path) for route in routes}
    assert all(route.protected for route in routes)
    assert document()["security"] == [{"jwt": []}]


def test_every_example_is_what_its_schema_asks_for() -> None:
    checked = 0
    for _, _, operation in operations():
        contents = [answer.get("content", {}) for answer in operation["responses"].values()]
        contents.append(operation.get("requestBody", {}).get("content", {}))
        for media in [media for content in contents for media in content.values()]:
            examples = [each["value"] for each in media.get("examples", {}).values()]
            for example in examples or [media["example"]]:
                check_value(media["schema"], example)
                checked += 1
    assert checked > 40


def test_every_code_is_documented() -> None:
    assert {error.code for error in ERRORS} == set(get_args(Code.__value__))


@pytest.mark.parametrize("status", ["409", "429", "503"])
def test_where_waiting_helps_the_document_says_for_how_long(status: str) -> None:
    ours = [operation["responses"][status] for _, _, operation in operations() if status in operation["responses"]]
    for answer in ours:
        assert ("Retry-After" in answer.get("headers", {})) == ("application/problem+json" in answer["content"])


def test_the_readme_tells_an_app_to_do_the_same() -> None:
    # Given the table of the README
    rows = re.findall(r"^\| ([\d, ]+) \| `(\w+)` \| (.*) \|$", README, re.MULTILINE)
    told = {(int(status), code, app) for statuses, code, app in rows for status in statuses.split(", ")}
    # When it is held against what the document is made from, then no row differs, is missing or too many
    assert told == {(error.status, error.code, error.app) for error in ERRORS}


def test_nobody_waits_for_the_document_while_a_function_starts_and_answers() -> None:
    code = """
import app, json, sys
class Context:
    def get_remaining_time_in_millis(self): return 9000
event = {"rawPath": "/conversations", "headers": {}, "requestContext": {"http": {"method": "GET"}, "stage": "$default"}}
assert app.handler(event, Context())["statusCode"] == 401
print(json.dumps(list(sys.modules)))
"""
    known = python(code, "functions/conversations")
    assert "event_handler.openapi.params" in known
    assert "event_handler.openapi.models" not in known


def test_the_page_needs_nothing_from_the_internet() -> None:
    page = page_of(Request("GET", "/docs"))
    assert page
    html = page.body.decode()
    assert dict(page.headers)["content-type"].startswith("text/html")
    assert not re.search(r"""<(script|link|img|iframe)[^>]*\s(src|href)=""", html)
    assert html.rstrip().endswith("</html>")


def test_the_page_asks_the_server_it_came_from() -> None:
    answer = page_of(Request("GET", "/docs", "format=json"))
    assert answer
    assert b'"servers": [{"url": "/"}]' in answer.body


@pytest.mark.parametrize(("method", "path"), [("POST", "/docs"), ("GET", "/docs/x"), ("GET", "/conversations")])
def test_nothing_else_is_the_page(method: str, path: str) -> None:
    assert page_of(Request(method, path)) is None
