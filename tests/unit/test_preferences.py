"""What of a `Prefer` header is understood (RFC 7240)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rondas.http.preferences import Preferences, read_preferences


@pytest.mark.parametrize(
    ("header", "understood"),
    [
        (None, Preferences()),
        ("", Preferences()),
        ("respond-async", Preferences(respond_async=True)),
        ("Respond-Async", Preferences(respond_async=True)),
        ("respond-async, wait=10", Preferences(respond_async=True, wait=10)),
        ("wait=10,respond-async", Preferences(respond_async=True, wait=10)),
        ('respond-async, wait="10"', Preferences(respond_async=True, wait=10)),
        ("respond-async ; why=not , wait = 3", Preferences(respond_async=True, wait=3)),
        ("respond-async, wait=0", Preferences(respond_async=True, wait=0)),
        ("respond-async, wait=9999", Preferences(respond_async=True, wait=9999)),
        ("wait=10", Preferences(wait=10)),
        ("respond-async, wait=abc", Preferences(respond_async=True)),
        ("respond-async, wait=-1", Preferences(respond_async=True)),
        ("respond-async, wait=1.5", Preferences(respond_async=True)),
        ("respond-async, wait=", Preferences(respond_async=True)),
        ("respond-async, wait=٣", Preferences(respond_async=True)),
        ("respond-async, wait=3, wait=9", Preferences(respond_async=True, wait=3)),
        ("handling=lenient, return=minimal, respond-async", Preferences(respond_async=True)),
        ('note="respond-async, wait=3"', Preferences()),
        ('note; why="respond-async, wait=3"', Preferences()),
        ('respond-async; why="later, wait=3", wait=4', Preferences(respond_async=True, wait=4)),
        ('note="never closed, respond-async', Preferences()),
        ("respond-asynchronously", Preferences()),
        ("x-respond-async", Preferences()),
    ],
)
def test_known_preferences_are_read_and_all_others_ignored(header: str | None, understood: Preferences) -> None:
    assert read_preferences(header) == understood


@given(st.text(max_size=200))
def test_no_header_is_a_mistake(header: str) -> None:
    read_preferences(header)


@pytest.mark.parametrize(
    ("wait", "applied"),
    [
        (None, "respond-async"),
        (10, "respond-async, wait=10"),
        (25, "respond-async, wait=25"),
        (9999, "respond-async"),
    ],
)
def test_a_wait_is_applied_where_the_time_of_a_message_allows_it(wait: int | None, applied: str) -> None:
    assert Preferences(respond_async=True, wait=wait).applied(25) == applied
