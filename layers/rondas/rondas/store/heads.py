"""A conversation's head and a message's request key, as they are read from the table."""

from typing import TYPE_CHECKING, cast

from rondas.store.claim import Head, KeyState, KnownKey
from rondas.store.items import read_number
from rondas.window import Window

if TYPE_CHECKING:
    from rondas.store.items import Item


def read_head(item: "Item | None") -> Head:
    """Returns the head of a conversation; that of a new one where there is none."""
    if item is None:
        return Head()
    return Head(
        next_seq=read_number(item, "next_seq"),
        fence=read_number(item, "fence"),
        lease_until=read_number(item, "lease_until") / 1000,
        open_key=_text(item, "open_key"),
        open_seq=read_number(item, "open_seq"),
        owner=_text(item, "owner"),
        stop_key=_text(item, "stop_key"),
        window=Window(read_number(item, "window_start"), read_number(item, "whole_from")),
    )


def read_key(item: "Item | None", now: float) -> KnownKey | None:
    """Returns what is known of a request key; nothing where it is forgotten at `now`, in seconds since the epoch."""
    if item is None or 0 < read_number(item, "ttl") < int(now):  # whole seconds, as the table compares them
        return None
    return KnownKey(
        state=cast("KeyState", _text(item, "state")),
        body_hash=_text(item, "body_hash"),
        message_seq=read_number(item, "message_seq"),
        answer_seq=read_number(item, "answer_seq"),
        tokens=read_number(item, "tokens"),
    )


def _text(item: "Item", name: str) -> str:
    return item.get(name, {}).get("S", "")
