"""What may happen to a message that comes in, decided from what is stored (rule S1). Pure: no database, no clock.

A conversation's head says who holds it. A request key says what became of a message. Together they give one of four
verdicts, or one of three refusals.
"""

import hashlib
from dataclasses import dataclass, field
from typing import Literal

from rondas.window import Window

type KeyState = Literal["open", "done", "failed"]
"""`open`: being answered, or left behind by a crash. `failed`: no model could answer; the same key may try again."""


IN_QUEUE = "queue"
"""The owner of a message that was handed on and that nobody has come for yet."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message that came in.

    Attributes:
        user: who sent it: the `sub` the identity provider vouches for, and nothing else.
        conversation: where it belongs.
        key: names it for ever: the app's idempotency key, or one made for it.
        text: what the person wrote.
    """

    user: str
    conversation: str
    key: str
    text: str

    def body_hash(self) -> str:
        """Returns what tells whether two messages with one key are the same."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Head:
    """The conversation's head as read.

    Attributes:
        next_seq: the number of the next entry, rounds of an open message not counted.
        fence: grows with every claim; a runner with an older one can write nothing (rule S3).
        lease_until: until when the holder may be alive, in seconds since the epoch; 0 when nobody holds it.
        open_key: the request key of the message being answered; empty when there is none.
        open_seq: the number of that message.
        owner: which claim holds it; each claim has a name of its own, and the queue has `IN_QUEUE`.
        stop_key: the request key of a message that is to be answered no further.
        window: the part of the conversation that the model was shown last (rule S6).
    """

    next_seq: int = 0
    fence: int = 0
    lease_until: float = 0.0
    open_key: str = ""
    open_seq: int = 0
    owner: str = ""
    stop_key: str = ""
    window: Window = field(default_factory=Window)

    @property
    def exists(self) -> bool:
        """Whether the conversation is stored: every claim raises the fence above 0."""
        return self.fence > 0

    @property
    def is_queued(self) -> bool:
        """Whether its message waits for the one who comes for it from the queue."""
        return self.owner == IN_QUEUE


@dataclass(frozen=True, slots=True)
class KnownKey:
    """A request key as read.

    Attributes:
        state: of its message.
        body_hash: of its message's body.
        message_seq: where the message is.
        answer_seq: where its answer is.
        tokens: what an earlier end of the message took, which is counted already.
    """

    state: KeyState
    body_hash: str
    message_seq: int
    answer_seq: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Fresh:
    """Store the message and answer it. `crashed` says that an earlier message was left open and is closed first."""

    crashed: bool


@dataclass(frozen=True, slots=True)
class Resume:
    """The message is stored already: go on from its last stored round."""

    message_seq: int


@dataclass(frozen=True, slots=True)
class Replay:
    """The message is answered already: return that answer."""

    answer_seq: int


type Verdict = Fresh | Resume | Replay


class Refused(Exception):  # noqa: N818 - names what happens to the request
    """The message is not taken now; nothing was stored, no model was called."""


class InProgress(Refused):
    """The same message is being answered right now. Attributes: `retry_after`, in seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("this message is being answered; ask again with the same key")
        self.retry_after = retry_after


class ConversationBusy(Refused):
    """Another message of the conversation is being answered. Attributes: `retry_after`, in seconds."""

    def __init__(self, retry_after: float) -> None:
        super().__init__("another message of this conversation is being answered")
        self.retry_after = retry_after


class KeyReused(Refused):
    """The key belongs to a message with another text."""

    def __init__(self) -> None:
        super().__init__("this idempotency key was used for another text")


class Gone(Refused):
    """The message from the queue is not there any more: its conversation was erased, or it ended long ago."""

    def __init__(self) -> None:
        super().__init__("this message is not there any more")


def decide(head: Head, known: KnownKey | None, message: Message, now: float, *, from_queue: bool = False) -> Verdict:
    """Returns what to do with a message.

    Args:
        head: the conversation; `Head()` where there is none yet.
        known: what is stored under its key, if anything.
        message: the message.
        now: seconds since the epoch. A hint only: safety comes from the fence, not from clocks.
        from_queue: whether this is the one that a message in the queue waits for.

    Raises:
        InProgress: the same key is being answered.
        ConversationBusy: another key is being answered.
        KeyReused: the same key came with another body.
        Gone: a message from the queue is not known.
    """
    if from_queue and not known:
        raise Gone
    is_free = not head.open_key or (from_queue and head.is_queued)
    held_for = 0.0 if is_free else head.lease_until - now
    if known and known.body_hash != message.body_hash():
        raise KeyReused
    # One that failed may be tried again when its app sends it again. The queue brings it again by mistake alone, and
    # what the app has been told stays true.
    if known and (known.state == "done" or (from_queue and known.state == "failed")):
        return Replay(known.answer_seq)
    if held_for > 0:
        raise InProgress(held_for) if head.open_key == message.key else ConversationBusy(held_for)
    if known and known.state == "failed":
        is_last = not head.open_key and head.next_seq == known.answer_seq + 1
        return Resume(known.message_seq) if is_last else Replay(known.answer_seq)
    if known:  # where the head was read before the key was opened, taking it fails, and both are read again
        return Resume(known.message_seq)
    return Fresh(crashed=bool(head.open_key))
