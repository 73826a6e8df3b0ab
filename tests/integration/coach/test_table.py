import pytest

from coach import table


def test_a_body_comes_back_as_it_was_written() -> None:
    body = '{"text": "ñ 卧推 \\u0000", "kg": 82.25}'
    table.put("ana", "W#1", body)
    assert table.get("ana", "W#1") == body
    assert table.get("ana", "W#2") is None


def test_writing_once_leaves_what_is_there() -> None:
    assert table.put_once("ana", "G#1", "first")
    assert not table.put_once("ana", "G#1", "second")
    assert table.get("ana", "G#1") == "first"


def test_only_the_range_of_the_person_is_read_in_order() -> None:
    # Given
    for user in ("ana", "an", "ana#"):
        for number in (3, 1, 2, 4):
            table.put(user, f"W#{number}", f"{user} {number}")
    # When
    bodies = list(table.read("ana", "W#2", "W#3"))
    # Then
    assert bodies == ["ana 2", "ana 3"]


def test_a_range_longer_than_a_page_is_read_to_its_end() -> None:
    # Given more than DynamoDB's 1 MB a page
    for number in range(6):
        table.put("ana", f"W#{number}", str(number) * 300_000)
    # When
    bodies = table.read("ana", "W#", "W$")
    # Then
    assert [body[0] for body in bodies] == list("012345")


def test_other_failures_of_the_table_are_not_taken_for_a_key_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COACH_TABLE_NAME", "missing")
    with pytest.raises(table.ClientError, match="ResourceNotFoundException"):
        table.put_once("ana", "G#1", "body")
