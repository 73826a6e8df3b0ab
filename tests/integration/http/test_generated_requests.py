"""Whatever is sent: no fault of ours, every answer in the document, nothing stored by what is refused."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

from http_door import Door
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ids = (
    st.sampled_from(["c-1", "c-2", "c" * 64])
    | st.from_regex(r"\A[A-Za-z0-9_-]{1,64}\Z")
    | st.text(min_size=1, max_size=70)
)
junk = st.text(max_size=40)
numbers = st.integers(-2, 2000).map(str) | junk
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
texts = st.sampled_from(["hola", "x" * 8001, " ", "\ud800", "\x00\x1b"]) | st.text(max_size=200)
messages = st.fixed_dictionaries({"text": texts | values}, optional={"more": values})
bodies = st.one_of(
    st.fixed_dictionaries({"text": texts}).map(lambda body: json.dumps(body).encode()),
    messages.map(lambda body: json.dumps(body).encode()),
    values.map(lambda body: json.dumps(body).encode()),
    st.binary(max_size=40),
    st.sampled_from(
        [b"[" * 100_000, b'{"text":' + b"9" * 5000 + b"}", b'{"text":"\\ud800"}', b'{"text":"a","text":"b"}']
    ),
)
headers = st.fixed_dictionaries(
    {},
    optional={
        "idempotency_key": st.uuids().map(str) | junk,
        "accept_language": st.sampled_from(["es", "en-GB,es;q=0.3", "*", ";q=", "fr"]) | junk,
        "content_type": st.sampled_from(["application/json", "text/plain", "application/octet-stream"]) | junk,
    },
)
queries = st.fixed_dictionaries({}, optional={"limit": numbers, "after": numbers, "cursor": junk, "x": junk}).map(
    urlencode
)


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    method, path = draw(
        st.sampled_from(
            [*[("POST", "/{}/messages"), ("GET", ""), ("GET", "/{}/messages"), ("DELETE", "/{}")] * 3, ("PUT", "/{}")]
        )
    )
    return {
        "method": method,
        "path": "/conversations" + path.format(quote(draw(ids).encode("utf-8", "replace"), safe="")),
        "body": draw(bodies) if method == "POST" or draw(st.booleans()) else b"",
        "user": draw(st.sampled_from([*["ana", "bob", "auth0|5f#C"] * 3, "", None])),
        "query": draw(queries),
        **draw(headers),
    }


def test_whatever_is_sent_is_answered_as_the_document_says(door: Door, say: Callable[[str], None]) -> None:
    statuses: Counter[int] = Counter()

    @settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
    @given(requests())
    def ask(request: dict[str, Any]) -> None:
        answer = door.ask(**request)
        assert answer.status < 500
        statuses[answer.status] += 1

    ask()
    say(f"generated requests: {statuses.total()}, by status {dict(sorted(statuses.items()))}")
