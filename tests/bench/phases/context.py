"""What the model is sent over a long conversation, and how much of it the provider may still have in its cache."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from bench.lineup import Peer
from bench.stage import Stage, each, question
from bench.worker import Json, PeerError
from rondas.tokens import BYTES_PER_TOKEN

MESSAGES = 60
QUICK_MESSAGES = 12
ROUNDS = 2
RESULT_CHARS = 3_000
SAMPLES = 6
ERROR_CHARS = 200

CACHED = 0.1
"""The price of a cached token, in that of another one: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching"""


def measure(stage: Stage, peers: Mapping[str, Peer], *, quick: bool) -> Json:
    """Returns for each peer the sums over a conversation, and `messages`: what some of them took.

    Each message takes two rounds of tools, with results of 3 000 characters. A peer that gives up on the way has an
    `error` beside the sums up to there.
    """
    messages = QUICK_MESSAGES if quick else MESSAGES

    def conversation(stage: Stage, name: str, peer: Peer) -> Json:
        return _conversation(stage, name, peer, messages)

    return each(stage, peers, conversation)


def _conversation(stage: Stage, name: str, peer: Peer, messages: int) -> Json:
    taken: list[list[bytes]] = []
    error = ""
    with stage.worker(name, peer) as worker:
        for _ in range(messages):
            try:
                worker.turn(name, question(ROUNDS, f" size={RESULT_CHARS}"))
            except PeerError as given_up:
                error = str(given_up).splitlines()[0][:ERROR_CHARS]
                break
            taken.append(stage.model.take())
    found = summed_up(taken, step=messages // SAMPLES)
    return {**found, "error": error} if error else found


def summed_up(taken: Sequence[Sequence[bytes]], step: int = 1) -> Json:
    """Returns the figures of a conversation.

    `cached_share` is the part of all that was sent which is, from its first byte on, the same as in the request before.
    `paid_tokens` counts that part at a tenth where the peer asks for caching.

    Args:
        taken: the bodies of the requests, message by message.
        step: of how many messages one is in `messages`.
    """
    before = ""
    figures: list[Json] = []
    for bodies in taken:
        message = {"bytes": sum(map(len, bodies)), "tokens": 0, "cached_tokens": 0}
        for body in bodies:
            prompt = as_prompt(json.loads(body))
            message["tokens"] += len(prompt) // BYTES_PER_TOKEN
            message["cached_tokens"] += shared_beginning(before, prompt) // BYTES_PER_TOKEN
            before = prompt
        figures.append(message)
    total = {key: sum(message[key] for message in figures) for key in ("bytes", "tokens", "cached_tokens")}
    asks = bool(taken) and b'"cache_control"' in taken[-1][-1]
    return {
        "messages": {str(number): figures[number - 1] for number in range(step, len(figures) + 1, step)},
        "answered": len(figures),
        **total,
        "largest_bytes": max((len(body) for bodies in taken for body in bodies), default=0),
        "cached_share": total["cached_tokens"] / total["tokens"] if total["tokens"] else 0,
        "asks_for_caching": asks,
        "paid_tokens": total["tokens"] - (1 - CACHED) * total["cached_tokens"] if asks else total["tokens"],
    }


def as_prompt(request: Json) -> str:
    """Returns what the model reads of a request, in the order in which the provider caches it."""
    read = [request.get("tools"), request.get("system"), request["messages"]]
    return json.dumps(_without_marks(read), ensure_ascii=False, separators=(",", ":"))


def _without_marks(value: Any) -> Any:
    """Leaves out the marks of what to cache, which move on from request to request and are not read."""
    if isinstance(value, dict):
        return {key: _without_marks(part) for key, part in cast("Json", value).items() if key != "cache_control"}
    if isinstance(value, list):
        return [_without_marks(part) for part in cast("list[Any]", value)]
    return value


def shared_beginning(one: str, other: str) -> int:
    """Returns how many characters two texts have in common from the first on."""
    same, differs = 0, min(len(one), len(other)) + 1
    while differs - same > 1:
        middle = (same + differs) // 2
        if one[same:middle] == other[same:middle]:
            same = middle
        else:
            differs = middle
    return same
