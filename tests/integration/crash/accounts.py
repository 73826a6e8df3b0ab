"""What the person of the scene has used, beside what is stored: whatever happened, all of it is counted, and once."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from scene import Scene

from rondas.history import Answer
from rondas.store.items import read_entry, read_number

if TYPE_CHECKING:
    from rondas.store.items import Item


def accounts(scene: Scene) -> Iterator[str]:
    """Yields what is wrong when all messages of a scene are answered. Days count together: some clocks are ahead."""
    counted = 0
    spent: dict[tuple[str, str], int] = {}
    for item in _items(scene):
        sort_key = item["sk"].get("S", "")
        if sort_key.startswith("Q#"):
            counted += read_number(item, "tokens")
        if sort_key.startswith("M#"):
            stored = read_entry(item)
            if isinstance(stored.entry, Answer):  # the last one to a message tells of the whole of it
                spent[item["pk"].get("S", ""), stored.key] = stored.entry.usage.total
    if counted != sum(spent.values()):
        yield f"{counted} tokens are counted, and {sum(spent.values())} were spent"


def _items(scene: Scene) -> "Iterator[Item]":
    """Reads the whole table: each partition in the order of its sort keys."""
    for page in scene.parent.get_paginator("scan").paginate(TableName=scene.table, ConsistentRead=True):
        yield from page["Items"]
