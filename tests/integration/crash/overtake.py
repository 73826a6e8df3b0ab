"""Every way in which a sleeper and its successor can follow each other, request by request, without chance.

A run falls asleep before each of its requests to the table; so does one that takes up what a dead one has left. Another
one, whose clock is past the lease, comes with the same message or with another one, and stops before it takes the
conversation, or after it has, or before its effect, or goes to its end. Then the sleeper wakes for one request, the
successor goes to its end, and the sleeper to its own.
"""

import sys
from collections.abc import Iterator
from itertools import chain, count, pairwise, product
from pathlib import Path

from accounts import accounts
from actor import Actor
from play import Play
from points import Fate, Points, die
from processes import Child, fork, in_child, until_quiet
from report import first_of, report
from scene import Scene
from sleepers import held_by, wake
from traces import Failed, Passed

from rondas.store.claim import Message

STOPS = ("before TransactWriteItems 1", "before the model 1", "before PutItem 1", "never")
"""Where the successor stops."""

CLAIM = 3
"""So many requests of a run are its claim, in which a run that takes up a message differs from the first one.

Such a one sleeps in the middle of it, or with all of it done while its successor believes that nothing is.
"""


class Overtake:
    """The succession: one conversation for each way.

    Args:
        scene: where it takes place.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._numbers = count()

    def requests(self) -> list[str]:
        """Returns the points before the requests of a run."""
        play = self._play()

        def work() -> None:
            play.begin()
            points = Points()
            Actor(self._scene, "alone", points).answer(play.first)
            self._scene.record(play.conversation).add(Passed("alone", "first", tuple(points.passed)))

        in_child(play.conversation, work)
        (passed,) = [event.points for event in play.events() if isinstance(event, Passed)]
        wired = {name.removeprefix("unanswered ") for name in passed if name.startswith("unanswered ")}
        return [name for name in passed if name.startswith("before ") and name.removeprefix("before ") in wired]

    def follow(self, naps: tuple[str, ...], stop: str, *, same: bool, resumed: bool = False) -> Iterator[str]:
        """Lets one succession happen; `resumed`, after a death. Yields what is broken."""
        play = self._play()
        message = play.first if same else play.other
        if resumed:
            self._start(play, "dead", play.first, ("before the model 2",), fate=die)
        sleeper = self._start(play, "sleeper", play.first, naps, play.later() if resumed else 0)
        if stop == "never" and not sleeper.end and held_by(sleeper, self._scene, play.conversation):
            yield from self._is_refused(play, message)
        successor = self._start(play, "successor", message, (stop,), play.later())
        for child in (sleeper, successor, sleeper):
            if not child.end:
                yield from wake(child, self._scene, play.conversation)
        play.come(*dict.fromkeys((message, play.first)))
        yield from play.ends(message, "answered")
        yield from play.ends(play.first, "answered", "interrupted")
        yield from play.replays(*dict.fromkeys((message, play.first)))
        yield from play.over()

    def _is_refused(self, play: Play, message: Message) -> Iterator[str]:
        """While the lease lasts, a message is refused before anything is spent on it (rule S1)."""
        before = play.events()

        def work() -> None:
            Actor(self._scene, "early").answer(message)

        in_child(play.conversation, work)
        new = [event.error if isinstance(event, Failed) else type(event).__name__ for event in play.events()]
        if new[len(before) :] != ["InProgress" if message is play.first else "ConversationBusy"]:
            yield f"while the lease lasts, message {message.key} meets {new[len(before) :]}"

    def _play(self) -> Play:
        return Play(self._scene, f"overtake-{next(self._numbers)}")

    def _start(
        self, play: Play, run: str, message: Message, at: tuple[str, ...], ahead: float = 0, *, fate: Fate | None = None
    ) -> Child:
        def work(sleep: Fate) -> None:
            if not ahead:
                play.begin()
            actor = Actor(self._scene, run, Points(at), ahead)
            actor.points.fate = fate or actor.falling_asleep(sleep)
            actor.answer(message)

        child = fork(run, work)
        until_quiet([child])
        return child


def main(url: str, folder: str) -> int:
    """Goes through all successions and says what it found."""
    scene = Scene(url, Path(folder), "overtake")
    scene.open()
    overtake = Overtake(scene)
    requests = [*overtake.requests(), "never"]
    ways = [
        *product(pairwise(requests), STOPS, (True, False), (False,)),
        *product([*pairwise(requests[1 : CLAIM + 1]), (requests[1], requests[CLAIM])], STOPS, (True, False), (True,)),
    ]
    successions = (
        f"{'resumed, ' if resumed else ''}asleep {at[0]}, {'the same' if same else 'another'} stops {stop}: {each}"
        for at, stop, same, resumed in ways
        for each in overtake.follow(at, stop, same=same, resumed=resumed)
    )
    broken = first_of(chain(successions, accounts(scene)))
    return report(f"overtaking: {len(ways)} successions", broken)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
