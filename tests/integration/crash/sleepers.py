"""What a process may do that wakes up: change nothing that is stored and, after its lease, nothing at all (rule S3)."""

from collections.abc import Iterator

from invariants import kept
from processes import Child
from scene import Scene
from traces import Slept


def wake(child: Child, scene: Scene, conversation: str) -> Iterator[str]:
    """Wakes a process while no other one runs; yields what it changes and may not."""
    held = held_by(child, scene, conversation)
    before = scene.look(conversation)
    child.wake()
    after = scene.look(conversation)
    yield from kept(before, after)
    if 0 < held < before.fence:
        for name in ("head", "entries", "requests"):
            if getattr(before, name) != getattr(after, name):
                yield f"{child.name} woke up after its lease and changed the {name}: {getattr(after, name)}"


def held_by(child: Child, scene: Scene, conversation: str) -> int:
    """Returns the fence that a process held when it last fell asleep; 0 where it held none."""
    naps = [event for event in scene.record(conversation) if isinstance(event, Slept) and event.run == child.name]
    return naps[-1].held
