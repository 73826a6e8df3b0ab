"""What happens in one conversation, and what is seen in the end."""

from collections.abc import Iterator
from itertools import count

from actor import LATER, Actor
from invariants import broken
from processes import in_child
from scene import Scene
from script import message
from traces import Answered, Asked, Event

from rondas.store.claim import Message

ATTEMPTS = 3
"""So often a client comes again where the engine was too slow to answer."""


class Play:
    """One conversation with two messages, of which something happens to the first.

    Attributes:
        first: the message whose run is disturbed.
        other: the message that may come in between.
    """

    def __init__(self, scene: Scene, conversation: str) -> None:
        self.first = message(conversation, "first")
        self.other = message(conversation, "other", steps=1)
        self.scene = scene
        self.conversation = conversation
        self._times = count(1)

    def begin(self) -> None:
        """Lets there be an earlier message, in the process that goes on with the first one."""
        Actor(self.scene, "earlier").answer(message(self.conversation, "earlier", steps=0))

    def later(self) -> int:
        """Returns by how many seconds a clock must be ahead to be past every lease so far."""
        return next(self._times) * LATER

    def come(self, *messages: Message) -> None:
        """Lets messages come, one after the other, in a new process."""
        ahead = self.later()

        def work() -> None:
            for each in messages:
                actor = Actor(self.scene, f"{each.key}+{ahead}", ahead=ahead)
                for _ in range(ATTEMPTS):
                    if actor.answer(each):
                        break

        in_child(self.conversation, work)

    def events(self) -> list[Event]:
        """Returns what is recorded so far."""
        return list(self.scene.record(self.conversation))

    def ends(self, of: Message, *how: str) -> Iterator[str]:
        """The message has an answer, the last one given being one of these."""
        given = [event.answer for event in self.events() if isinstance(event, Answered) and event.key == of.key]
        if not given or (given[-1].reason or given[-1].status) not in how:
            yield f"message {of.key} got {given[-1:]}"

    def replays(self, *messages: Message) -> Iterator[str]:
        """The same messages again get the same answers, and no model is asked."""
        before = self.events()
        self.come(*messages)
        new = self.events()[len(before) :]
        if any(isinstance(event, Asked) for event in new):
            yield "the model was asked for an answer that is stored"
        for each in messages:
            given = [
                [e.answer for e in part if isinstance(e, Answered) and e.key == each.key] for part in (before, new)
            ]
            if len(given[1]) != 1 or given[0][-1:] != given[1]:
                yield f"message {each.key} again got {given[1]} instead of {given[0][-1:]}"

    def over(self) -> Iterator[str]:
        """All invariants, now that nothing more happens."""
        yield from broken(self.scene.look(self.conversation), self.events())
