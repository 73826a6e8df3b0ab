"""Kills a run at every point of it, and lets the same message or another one come after it."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from accounts import accounts
from actor import Actor
from invariants import kept, numbers, open_rounds, unknowing_questions
from play import ATTEMPTS, Play
from points import Points, die
from processes import in_child
from report import first_of, report
from scene import Scene, Stored
from traces import Passed


@dataclass(frozen=True)
class Kind:
    """A kind of run to be killed: in a new conversation or in one with a message in it, up to which point."""

    name: str
    is_new: bool
    until: str | None = None


KINDS = (Kind("later message", is_new=False), Kind("first message", is_new=True, until="before the model 1"))
"""Runs differ in how they begin; of the second kind only that is swept."""


class Sweep:
    """The sweep: one conversation for each point and recovery.

    Args:
        scene: where it takes place.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._numbers = count()

    def points(self, kind: Kind) -> list[str]:
        """Returns the points of a run, from one that is not killed."""
        play, _ = self._run(kind, None)
        (passed,) = [event.points for event in play.events() if isinstance(event, Passed)]
        return list(passed[: passed.index(kind.until)] if kind.until else passed)

    def retried(self, kind: Kind, point: int) -> Iterator[str]:
        """Kills a run; the same message comes again, twice. Yields what is broken."""
        play = self._killed(kind, point)
        before = self._scene.look(play.conversation)
        yield from _right_after(before)
        play.come(play.first)
        yield from play.ends(play.first, "answered")
        yield from play.replays(play.first)
        yield from kept(before, self._scene.look(play.conversation))
        yield from _over(play)

    def overtaken(self, kind: Kind, point: int) -> Iterator[str]:
        """Kills a run; another message comes, then the same one again, then both. Yields what is broken."""
        play = self._killed(kind, point)
        before = self._scene.look(play.conversation)
        yield from _right_after(before)
        play.come(play.other, play.first)
        yield from play.ends(play.other, "answered")
        yield from play.ends(play.first, "answered", "interrupted")
        yield from play.replays(play.first, play.other)
        yield from kept(before, self._scene.look(play.conversation))
        yield from _over(play)

    def _killed(self, kind: Kind, point: int) -> Play:
        for _ in range(ATTEMPTS):  # where the engine is slow, a run may end before its point
            play, is_killed = self._run(kind, point)
            if is_killed:
                return play
        raise RuntimeError(f"point {point} of the {kind.name} is not reached")

    def _run(self, kind: Kind, point: int | None) -> tuple[Play, bool]:
        play = Play(self._scene, f"sweep-{next(self._numbers)}")

        def work() -> None:
            if not kind.is_new:
                play.begin()
            points = Points(() if point is None else {point}, die)
            Actor(self._scene, "killed", points).answer(play.first)
            self._scene.record(play.conversation).add(Passed("killed", "first", tuple(points.passed)))

        return play, in_child(play.conversation, work) == "killed"


def _right_after(stored: Stored) -> Iterator[str]:
    """What must hold at any moment, here right after the death."""
    yield from numbers(stored)
    yield from open_rounds(stored)


def _over(play: Play) -> Iterator[str]:
    yield from play.over()
    yield from unknowing_questions(play.events())


def main(url: str, folder: str) -> int:
    """Runs the sweep and says what it found."""
    scene = Scene(url, Path(folder), "sweep")
    scene.open()
    sweep = Sweep(scene)
    points = [(kind, *point) for kind in KINDS for point in enumerate(sweep.points(kind))]
    recoveries = (
        f"{kind.name}, killed {name}, {recovery.__name__}: {each}"
        for kind, point, name in points
        for recovery in (sweep.retried, sweep.overtaken)
        for each in recovery(kind, point)
    )
    broken = first_of(chain(recoveries, accounts(scene)))
    return report(f"crash sweep: {len(points)} kill points, 2 recoveries each", broken)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
