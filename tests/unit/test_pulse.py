"""Signs of life: given again and again while a block lasts, and not after it."""

import threading

import pytest

from rondas.pulse import BEAT_SECONDS, LIFE_SECONDS, beating

SOON = 0.001


def test_it_beats_while_the_block_lasts_and_not_after_it() -> None:
    # Given somebody who counts
    beats: list[threading.Thread] = []
    third = threading.Event()

    def beat() -> None:
        beats.append(threading.current_thread())
        if len(beats) == 3:
            third.set()

    # When a block lasts for three beats
    with beating(beat, SOON):
        assert third.wait(30)
    # Then there is nobody left to give another
    assert not any(thread.is_alive() for thread in beats)


def test_a_beat_that_fails_is_followed_by_the_next(caplog: pytest.LogCaptureFixture) -> None:
    # Given a table that does not answer once
    again = threading.Event()
    times = iter([True, False])

    def beat() -> None:
        if next(times, False):
            raise TimeoutError("a secret")
        again.set()

    # When it fails, then it is tried again, and the log says so without the words of the error
    with beating(beat, SOON):
        assert again.wait(30)
    assert "no sign of life: TimeoutError" in caplog.text
    assert "secret" not in caplog.text


def test_an_error_in_the_block_ends_it_as_well() -> None:
    beats = threading.Event()
    with pytest.raises(KeyError), beating(beats.set, SOON):
        assert beats.wait(30)
        raise KeyError
    assert not [thread for thread in threading.enumerate() if thread.name == "pulse"]


def test_two_beats_may_be_lost() -> None:
    assert LIFE_SECONDS >= 3 * BEAT_SECONDS
