"""Kills who hands a message on, and who takes it up, at every point of either, and lets the queue deliver it again."""

import sys
from collections.abc import Callable, Iterator
from itertools import chain, count
from pathlib import Path

from accounts import accounts
from actor import Actor
from invariants import kept, numbers, open_rounds, unknowing_questions
from play import ATTEMPTS, Play
from points import Points, die
from processes import in_child
from report import first_of, report
from scene import Scene
from traces import Answered, Passed, Sent

from rondas.agent import QUEUE_SECONDS

IN_QUEUE = int(QUEUE_SECONDS)
"""For how long a message is kept for who comes from the queue, in seconds."""

type Act = Callable[[Actor], object]


class HandOver:
    """The sweep: one conversation for each point and recovery.

    Args:
        scene: where it takes place.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._numbers = count()

    def points(self, *, of_worker: bool) -> list[str]:
        """Returns the points of who hands on, or of who takes up, from a run that is not killed."""
        play = self._play()
        killed, _ = self._run(play, None, of_worker=of_worker)
        (passed,) = [event.points for event in play.events() if isinstance(event, Passed)]
        assert not killed
        return list(passed)

    def killed(self, point: int, *, of_worker: bool) -> Play:
        """Returns a play in which one of the two has died at a point."""
        for _ in range(ATTEMPTS):
            play = self._play()
            is_killed, _ = self._run(play, point, of_worker=of_worker)
            if is_killed:
                return play
        raise RuntimeError(f"point {point} is not reached")

    def delivered(self, play: Play) -> Iterator[str]:
        """The queue delivers what it has, too early and again later; what it has not, the app sends again."""
        before = self._scene.look(play.conversation)
        yield from numbers(before)
        yield from open_rounds(before)
        sent = any(isinstance(event, Sent) for event in play.events())
        if sent:
            self._act(play, lambda actor: actor.take_up(play.first), ahead=0)
            self._act(play, lambda actor: actor.take_up(play.first), ahead=play.later())
        else:
            play.come(play.first)
        yield from play.ends(play.first, "answered")
        yield from play.replays(play.first)
        yield from kept(before, self._scene.look(play.conversation))
        yield from self._late(play)

    def given_up(self, play: Play) -> Iterator[str]:
        """The queue gives it up; another message comes, then the letter once more."""
        before = self._scene.look(play.conversation)
        self._act(play, lambda actor: actor.give_up(play.first), ahead=play.later())
        if before.requests.get(play.first.key):  # else it was never claimed, and there is nothing to give up
            yield from play.ends(play.first, "answered", "interrupted")
        play.come(play.other)
        yield from play.ends(play.other, "answered")
        yield from kept(before, self._scene.look(play.conversation))
        yield from self._late(play)

    def sent_again(self, play: Play) -> Iterator[str]:
        """The queue has lost it; the app sends it again when nobody keeps it any more, and the letter comes late."""
        before = self._scene.look(play.conversation)
        self._act(play, lambda actor: actor.answer(play.first), ahead=IN_QUEUE + play.later())
        yield from play.ends(play.first, "answered")
        yield from kept(before, self._scene.look(play.conversation))
        yield from self._late(play)

    def _late(self, play: Play) -> Iterator[str]:
        """A letter that comes when all is over changes nothing, and brings the answer that was given."""
        before = self._scene.look(play.conversation)
        self._act(play, lambda actor: actor.take_up(play.first), ahead=2 * IN_QUEUE)
        if self._scene.look(play.conversation) != before:
            yield "a letter that came late has changed something"
        if play.first.key in before.requests:
            yield from play.over()
            last = [event for event in play.events() if isinstance(event, Answered)][-1]
            if last.key != play.first.key:
                yield "a letter that came late was not answered"
        yield from unknowing_questions(play.events())

    def _play(self) -> Play:
        return Play(self._scene, f"hand-over-{next(self._numbers)}")

    def _run(self, play: Play, point: int | None, *, of_worker: bool) -> tuple[bool, Play]:
        def work() -> None:
            play.begin()
            points = Points(() if point is None else {point}, die)
            hands_on = Actor(self._scene, "hands on", Points() if of_worker else points)
            hands_on.answer_or_hand_on(play.first)
            if of_worker:
                points.passed.clear()
                Actor(self._scene, "takes up", points).take_up(play.first)
            self._scene.record(play.conversation).add(Passed("ended", "first", tuple(points.passed)))

        return in_child(play.conversation, work) == "killed", play

    def _act(self, play: Play, act: Act, *, ahead: float) -> None:
        name = f"later+{ahead}+{len(play.events())}"

        def work() -> None:
            act(Actor(self._scene, name, ahead=ahead))

        in_child(play.conversation, work)


def main(url: str, folder: str) -> int:
    """Runs the sweep and says what it found."""
    scene = Scene(url, Path(folder), "hand-over")
    scene.open()
    sweep = HandOver(scene)
    points = [
        (of_worker, *each) for of_worker in (False, True) for each in enumerate(sweep.points(of_worker=of_worker))
    ]
    recoveries = (sweep.delivered, sweep.given_up, sweep.sent_again)
    found = (
        f"{'worker' if of_worker else 'chat'} killed {name}, {recovery.__name__}: {each}"
        for number, (of_worker, point, name) in enumerate(points)
        for recovery in [recoveries[number % len(recoveries)]]
        for each in recovery(sweep.killed(point, of_worker=of_worker))
    )
    broken = first_of(chain(found, accounts(scene)))
    return report(f"hand-over sweep: {len(points)} kill points, three recoveries in turn", broken)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
