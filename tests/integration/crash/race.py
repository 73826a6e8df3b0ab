"""Many processes, few conversations: some killed, some asleep past their lease, some with clocks that are ahead.

What happens is drawn from a seed; in which order the engine sees it is not, and must not matter.
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random

from accounts import accounts
from actor import LATER, Actor
from invariants import broken
from points import Fate, Points, die
from processes import Child, fork, in_child, until_quiet
from report import first_of, report
from scene import Scene
from script import message
from sleepers import wake
from traces import Answered, Slept

from rondas.store.claim import Message

SEEDS = range(1, 9)
WORKERS = 12
CONVERSATIONS = 4
MESSAGES_EACH = 2
TRIES = 12
"""So often a worker comes again that is told to."""
LAST_TRIES = 5

FATES = ("nothing", "nothing", "death", "death", "sleep")


@dataclass(frozen=True)
class Part:
    """What one process is to do: answer messages, until its fate strikes at a point."""

    name: str
    messages: tuple[Message, ...]
    ahead: float
    fate: str
    point: int
    seed: int

    def play(self, scene: Scene, sleep: Fate) -> None:
        """Answers the messages as a client makes it: again where it is told to come again, and not for ever."""
        rng = Random(self.seed)
        actor = Actor(scene, self.name, Points({self.point}), self.ahead, moody=rng)
        actor.points.fate = {"nothing": None, "death": die, "sleep": actor.falling_asleep(sleep)}[self.fate]
        for each in self.messages:
            for _ in range(TRIES):
                answer = actor.answer(each)
                if actor.slept:
                    return  # what it wakes up to, it does alone
                if answer and not answer.is_retryable:
                    break
                time.sleep(rng.uniform(0.01, 0.06))


class Race:
    """One schedule.

    Args:
        scene: where it takes place.
        seed: from which all of it is drawn.

    Attributes:
        seed: as given.
        messages: all that were sent, by key.
        deaths: how many processes were killed.
        naps: how many slept.
    """

    def __init__(self, scene: Scene, seed: int) -> None:
        self.messages: dict[str, Message] = {}
        self.deaths = 0
        self.naps = 0
        self.seed = seed
        self._scene = scene
        self._conversations = [f"race-{seed}-{number}" for number in range(CONVERSATIONS)]
        self._rng = Random(seed)

    def run(self) -> Iterator[str]:
        """Runs it. Yields what is broken."""
        workers = [self._start(part) for part in self._workers()]
        asleep = until_quiet(workers)
        successors: list[Child] = []
        for child in asleep:
            successors.append(self._start(self._successor(len(successors), self._asleep_at(child))))
            until_quiet(successors[-1:])
        asleep += [child for child in successors if not child.end]
        self.naps = len(asleep)
        self._rng.shuffle(asleep)
        for child in asleep:
            yield from wake(child, self._scene, self._asleep_at(child).conversation)
        self.deaths = [child.end for child in workers + successors].count("killed")
        yield from self._last_pass()
        for conversation in self._conversations:
            yield from broken(self._scene.look(conversation), list(self._scene.record(conversation)))

    def _workers(self) -> Iterator[Part]:
        """Each two of them send the same messages."""
        for pair in range(WORKERS // 2):
            keys = [f"k{pair}-{number}" for number in range(MESSAGES_EACH)]
            messages = tuple(self._send(self._rng.choice(self._conversations), key) for key in keys)
            for twin in "ab":
                ahead = self._rng.choice((0, 0, 0, 1, 2, 3)) * LATER
                yield self._part(f"worker{pair}{twin}", messages, ahead, points=70)

    def _successor(self, number: int, message: Message) -> Part:
        """One whose clock is past every lease, with the message of the sleeper or another one."""
        if self._rng.random() < 0.5:
            message = self._send(message.conversation, f"s{number}")
        return self._part(f"successor{number}", (message,), (10 + number) * LATER, points=25)

    def _send(self, conversation: str, key: str) -> Message:
        self.messages[key] = message(conversation, key)
        return self.messages[key]

    def _part(self, name: str, messages: tuple[Message, ...], ahead: float, *, points: int) -> Part:
        fate, point, seed = self._rng.choice(FATES), self._rng.randrange(points), self._rng.randrange(1_000_000)
        return Part(name, messages, ahead, fate, point, seed)

    def _start(self, part: Part) -> Child:
        return fork(part.name, lambda sleep: part.play(self._scene, sleep))

    def _asleep_at(self, child: Child) -> Message:
        for conversation in self._conversations:
            for event in self._scene.record(conversation):
                if isinstance(event, Slept) and event.run == child.name:
                    return self.messages[event.key]
        raise ValueError(f"{child.name} does not sleep")

    def _last_pass(self) -> Iterator[str]:
        """Sends every message again, one after the other, until each has an answer that stays."""
        for number, each in enumerate(self.messages.values()):

            def work(number: int = number, each: Message = each) -> None:
                for attempt in range(LAST_TRIES):
                    ahead = (60 + LAST_TRIES * number + attempt) * LATER
                    answer = Actor(self._scene, f"last{number}-{attempt}", ahead=ahead).answer(each)
                    if answer and not answer.is_retryable:
                        return

            in_child(f"last{number}", work)
            answers = [
                event.answer
                for event in self._scene.record(each.conversation)
                if isinstance(event, Answered) and event.run.startswith(f"last{number}-")
            ]
            if not answers:
                yield f"message {each.key} gets no answer"


def main(url: str, folder: str) -> int:
    """Runs all schedules and says what it found."""
    scene = Scene(url, Path(folder), "race")
    scene.open()
    races = [Race(scene, seed) for seed in SEEDS]
    schedules = (f"seed {race.seed}: {each}" for race in races for each in race.run())
    broken = first_of(chain(schedules, accounts(scene)))
    messages, deaths, naps = (
        sum(numbers) for numbers in zip(*((len(race.messages), race.deaths, race.naps) for race in races), strict=True)
    )
    what = f"{len(races)} schedules (seeds {SEEDS[0]} to {SEEDS[-1]}), {messages} messages"
    return report(f"race: {what}, {deaths} kills, {naps} sleepers", broken)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
