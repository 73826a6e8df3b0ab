"""Code that does not come back is stopped (rules B2 and B3). These tests block for real, but only for moments."""

import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from rondas.interrupt import OutOfTime, out_of_time_after

A_MOMENT = 0.02
FOR_EVER = 60
A_WHILE = 5


def test_a_sleep_is_broken_into() -> None:
    # Given code that sleeps; when its time is over, then it is stopped
    with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
        time.sleep(FOR_EVER)


def test_a_wait_for_the_network_is_broken_into() -> None:
    # Given a server that accepts and says nothing
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        # When the time is over, then the read is stopped
        with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
            client.recv(1)


def test_a_loop_that_never_waits_is_broken_into() -> None:
    # Given code that only computes, even inside the regular expression engine
    with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
        re.match(r"(a+)+$", "a" * 64 + "b")


def test_code_that_swallows_everything_is_broken_into_again() -> None:
    # Given code that catches whatever comes, once
    swallowed: list[BaseException] = []
    with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
        try:
            time.sleep(FOR_EVER)
        except BaseException as error:  # noqa: BLE001
            swallowed.append(error)
        time.sleep(FOR_EVER)
    # Then the second interruption got through
    assert [type(error) for error in swallowed] == [OutOfTime]


def test_an_except_clause_for_exceptions_does_not_hold_it() -> None:
    # Given a tool that survives every exception
    with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
        while True:
            try:
                time.sleep(FOR_EVER)
            except Exception:  # noqa: BLE001
                continue


def test_code_that_comes_back_in_time_is_left_alone_for_ever() -> None:
    # Given code that is done at once
    with out_of_time_after(A_MOMENT):
        pass
    # When its time would have been over, then nothing happens: no timer is left behind
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_no_timer_is_left_behind_by_code_that_was_stopped() -> None:
    # Given code that was stopped; then no later code is interrupted in its place
    with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
        time.sleep(FOR_EVER)
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@pytest.mark.parametrize("seconds", [0, -1])
def test_without_time_the_code_does_not_even_start(seconds: float) -> None:
    # Given no time; when the block is entered, then it is over before it began
    started = False
    with pytest.raises(OutOfTime), out_of_time_after(seconds):
        started = True
    assert not started


def test_in_another_thread_the_code_runs_unguarded() -> None:
    # Given a thread that is not the main one, where no signal arrives
    done = threading.Event()

    def work() -> None:
        with out_of_time_after(FOR_EVER):
            done.set()

    # When it runs, then it runs, and sets no timer for the others
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done.is_set()
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_an_alarm_that_rings_at_the_edges_of_the_block_leaves_no_timer() -> None:
    # Given blocks that end at about the moment of their alarm, many of them
    for attempt in range(3000):
        try:
            with out_of_time_after(1e-6 * (attempt % 60 + 1)):
                sum(range(attempt % 200))
        except OutOfTime:
            pass
        # When one is over, however it ended, then nothing rings in the next
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_an_inner_block_ends_with_the_outer_one_and_the_outer_one_goes_on_after_an_inner_one() -> None:
    # Given blocks in a block
    reached: list[str] = []
    with pytest.raises(OutOfTime), out_of_time_after(10 * A_MOMENT):
        # When an inner one is over
        with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
            time.sleep(FOR_EVER)
        reached.append("after the inner one")
        # Then the outer one's time still ends, in a second one that would have more
        try:
            with out_of_time_after(FOR_EVER):
                time.sleep(FOR_EVER)
        except OutOfTime:
            reached.append("within the second")
        time.sleep(FOR_EVER)
    assert reached == ["after the inner one", "within the second"]
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_an_alarm_that_rings_at_the_edges_of_nested_blocks_leaves_no_timer() -> None:
    # Given blocks in blocks that end at about the moment of each other's alarms
    for attempt in range(3000):
        try:
            with out_of_time_after(1e-6 * (attempt % 90 + 1)):
                try:
                    with out_of_time_after(1e-6 * (attempt % 70 + 1)):
                        sum(range(attempt % 200))
                except OutOfTime:
                    pass
        except OutOfTime:
            pass
        # When all are over, however they ended, then nothing rings in the next
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # silent outside of pytest
def test_threads_of_a_stopped_block_are_stopped_and_others_are_not() -> None:
    # Given a thread that was there before, and a block that starts one and waits for it
    ended, asked = threading.Event(), threading.Event()
    before = threading.Thread(target=asked.wait)
    before.start()

    def compute() -> None:
        try:
            while True:
                pass
        finally:
            ended.set()

    # When the block is stopped
    with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
        worker = threading.Thread(target=compute, daemon=True)
        worker.start()
        worker.join()
    # Then its thread ends, and the other one does not
    assert ended.wait(A_WHILE)
    assert before.is_alive()
    asked.set()
    before.join()


def test_a_thread_that_ended_by_itself_is_not_taken_for_a_later_one() -> None:
    # Given a block that starts a thread which is done, and a bystander who may well get its number
    asked, ended = threading.Event(), threading.Event()

    def wait() -> None:
        asked.wait(FOR_EVER)
        ended.set()

    with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
        done = threading.Thread(target=int)
        done.start()
        done.join()
        bystander = threading.Thread(target=wait, daemon=True)
        _unnoticed(bystander.start)
        time.sleep(FOR_EVER)
    # When the block is stopped, then the bystander goes on
    asked.set()
    assert ended.wait(A_WHILE)


def test_a_thread_that_could_not_be_started_does_not_stand_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    # Given a block in a block, and a system that can start no more threads
    with pytest.raises(OutOfTime), out_of_time_after(5 * A_MOMENT):
        with pytest.raises(OutOfTime), out_of_time_after(A_MOMENT):
            with pytest.raises(RuntimeError, match="can't start new thread"), monkeypatch.context() as patched:
                patched.setattr(threading, "_start_joinable_thread", _no_more_threads)
                threading.Thread(target=int).start()
            time.sleep(FOR_EVER)
        # When the inner one was stopped, then the outer one is still bound
        time.sleep(FOR_EVER)


def test_an_inner_alarm_that_rings_while_it_is_set_does_not_ring_in_the_outer_block() -> None:
    # Given an outer block with time, and inner ones that have next to none
    with out_of_time_after(FOR_EVER):
        for _ in range(300):
            with suppress(OutOfTime), out_of_time_after(1e-6):
                pass
        # When they are over, then the timer is the outer one's again, and none that rings every moment
        assert signal.getitimer(signal.ITIMER_REAL)[0] > FOR_EVER / 2


def _unnoticed(start: Callable[[], None]) -> None:
    """Starts a thread from one that does not belong to the block."""
    block, out_of_time_after.innermost = out_of_time_after.innermost, None
    start()
    out_of_time_after.innermost = block


def _no_more_threads(function: object, *, handle: object, daemon: bool) -> None:
    sys.audit("_thread.start_joinable_thread", function, daemon, handle)
    raise RuntimeError("can't start new thread")
