"""A message that has been claimed: the journal of its rounds, and its end.

Every write goes through the head's fence in the same transaction, so a runner that outlived its lease writes nothing
over the work of its successor (rule S3).
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rondas.history import Entry, Round, ToolCall, Turn
from rondas.loop import Ending
from rondas.store.actions import Actions
from rondas.store.heads import read_head
from rondas.store.items import is_erased
from rondas.store.meter import Meter
from rondas.store.table import ConditionFailed, StoreUnavailable, Table
from rondas.window import View

if TYPE_CHECKING:
    from rondas.store.head_actions import Action


class LeaseLost(Exception):  # noqa: N818 - names what happened
    """Another runner has taken the conversation over; this one may say nothing any more."""


class _StopAsked(LeaseLost):
    """The message is still this runner's, and the person wants no more of it."""


class ConversationErased(LeaseLost):
    """The person has erased the conversation, or is doing so; nothing more is stored in it."""


class ClaimedRun:
    """The right to answer one message, and the journal of doing so.

    Attributes:
        history: the entries to show the model, the message and its stored rounds included.
        pending: the turn a crashed runner had written ahead of its effects, whose calls run again.
        stop_asked: whether the person has asked to stop, as far as it was seen: with the claim, and with each write.
        fence: its number in the succession of runners.
    """

    def __init__(
        self,
        table: Table,
        actions: Actions,
        meter: Meter,
        *,
        key: str,
        fence: int,
        next_seq: int,
        view: View,
        pending: Turn | None,
        counted: int,
        stop_asked: bool,
    ) -> None:
        self.history = view.history
        self.pending = pending
        self.stop_asked = stop_asked
        self.fence = fence
        self._window = view.window
        self._table = table
        self._actions = actions
        self._meter = meter
        self._key = key
        self._next_seq = next_seq
        self._written_ahead = pending is not None
        self._counted = counted

    def key(self, call: ToolCall) -> str:
        """Returns the name of a call of the coming round: conversation, number of the round, call."""
        return f"{self._actions.keys.conversation}/{self._next_seq}/{call.id}"

    def write_ahead(self, turn: Turn) -> None:
        """Stores the turn as an open round.

        Raises:
            LeaseLost: another runner has taken over, or, as `ConversationErased`, the person has erased it all.
            StoreUnavailable: the table does not answer.
        """
        self._write_round(Round(turn))
        self._written_ahead = True

    def append(self, done: Round) -> None:
        """Stores a whole round, over the open one where its turn was written ahead. Raises as `write_ahead`."""
        self._write_round(done)
        self._next_seq += 1
        self._written_ahead = False

    def finish(self, ending: Ending) -> None:
        """Stores the end of the run, frees the conversation and counts the tokens, in one write.

        Tokens that were counted when the same message failed before are not counted again.

        Raises as `write_ahead`.
        """
        entries = [ending.answer] if ending.declined is None else [ending.declined, ending.answer]
        answer_seq = self._next_seq + len(entries) - 1
        state = "failed" if ending.answer.is_retryable else "done"
        tokens = ending.answer.usage.total
        self._write(
            [
                self._actions.free(self.fence, answer_seq + 1, self._window),
                *(self._put(seq, entry) for seq, entry in enumerate(entries, self._next_seq)),
                self._actions.end_key(self._key, state, answer_seq, tokens),
                *self._meter.end(),
                *self._meter.count(max(0, tokens - self._counted)),
            ]
        )

    def release(self) -> None:
        """Lets the message be taken up again at once after an error, as far as that can still be said."""
        with suppress(ConditionFailed, StoreUnavailable):
            self._table.transact([self._actions.release(self.fence, self._key), *self._meter.end()])

    def renew(self, seconds: float) -> None:
        """Holds the message for so many seconds from now; does nothing where it is another's by now.

        Raises:
            StoreUnavailable: the table does not answer.
        """
        with suppress(ConditionFailed):
            self._table.transact([self._actions.renew(self.fence, self._key, self._actions.clock() + seconds)])

    def hand_on(self, seconds: float) -> None:
        """Leaves the message to the one who comes for it from the queue, or after so many seconds to anybody.

        The person's run goes on being counted: what is handed on costs no less.

        Raises as `write_ahead`.
        """
        until = self._actions.clock() + seconds
        self._write([self._actions.hand_on(self.fence, self._key, until), *self._meter.hold(until)])

    def _put(self, seq: int, entry: Entry) -> "Action":
        if self._written_ahead and seq == self._next_seq and isinstance(entry, Round):
            return self._actions.complete_round(seq, entry, self._key)
        return self._actions.put_entry(seq, entry, self._key)

    def _write_round(self, done: Round) -> None:
        """Stores a round, and looks in passing whether to go on: that costs no request of its own."""
        put = self._put(self._next_seq, done)
        if not self.stop_asked:
            try:
                self._write([self._actions.check_going_on(self.fence, self._key), put])
            except _StopAsked:
                self.stop_asked = True
            else:
                return
        self._write([self._actions.check_fence(self.fence), put])

    def _write(self, actions: Sequence["Action"]) -> None:
        try:
            self._table.transact(actions)
        except ConditionFailed as error:
            raise self._refusal() from error
        except StoreUnavailable:
            if not self._is_written(actions):
                raise

    def _refusal(self) -> LeaseLost:
        """Looks why nothing may be written. An erased message took its key along, be the id in use again or not."""
        item, key = self._table.get([self._actions.keys.head(), self._actions.keys.request(self._key)])
        if is_erased(item) or key is None:
            return ConversationErased()
        head = read_head(item)
        return _StopAsked() if (head.fence, head.stop_key) == (self.fence, self._key) else LeaseLost()

    def _is_written(self, actions: Sequence["Action"]) -> bool:
        """Whether a write whose answer never came is there all the same: all of it is, where one entry of it is."""
        entry: Any = next((action["Put"]["Item"] for action in actions if "Put" in action), None)
        return entry is not None and self._table.get([{"pk": entry["pk"], "sk": entry["sk"]}]) == [entry]
