"""The claim: one conditional transaction that takes the conversation, the request key and the message (rule S1)."""

import logging
import secrets
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from rondas.history import Answer, Round, UserMessage
from rondas.repair import repaired
from rondas.store.actions import Actions
from rondas.store.allowance import Allowance, OverAllowance
from rondas.store.claim import Fresh, Gone, Head, Message, Replay, Resume, decide
from rondas.store.closing import Closing, closing
from rondas.store.heads import read_head, read_key
from rondas.store.items import Keys, StoredEntry, is_erased, read_entry
from rondas.store.meter import Meter
from rondas.store.reading import answer_of, newest_first
from rondas.store.run import ClaimedRun, ConversationErased, LeaseLost
from rondas.store.table import ConditionFailed, StoreUnavailable, Table
from rondas.watcher import Mishap
from rondas.window import View, view

if TYPE_CHECKING:
    from rondas.store.head_actions import Action

logger = logging.getLogger(__name__)

CLAIM_ATTEMPTS = 5
"""Each lost race means that another request won it, so few are enough."""

LEASE_MARGIN_SECONDS = 1.0

SHORT_ENTRY_TOKENS = 20
"""A page holds as many entries as fit the token budget if all are as short as this: one page mostly does."""

FIRST_FENCE_BITS = 64
"""A new conversation's first fence is drawn: a counter would give a runner of one that was erased its number again."""

MAX_PAGE_ENTRIES = 10_000
"""More than a megabyte holds, which is where DynamoDB ends a page. It refuses a limit beyond 32 bits."""

UNLIMITED = Allowance()


@dataclass(frozen=True, slots=True)
class Replayed:
    """A message that was answered before: that answer."""

    answer: Answer


class Conversations:
    """The conversations in the table.

    Args:
        table: where they lie.
        token_budget: about how many tokens of history a model is shown.
        clock: seconds since the epoch.
        on_mishap: is told when a run that had died is taken over, and when a history is mended.
        allowance: what each person may use.
        on_refused: is told of each message that is not taken because its person has used that.
    """

    def __init__(
        self,
        table: Table,
        token_budget: int,
        clock: Callable[[], float] = time.time,
        *,
        on_mishap: Callable[[Mishap], None] = lambda _: None,
        allowance: Allowance = UNLIMITED,
        on_refused: Callable[[OverAllowance], None] = lambda _refused: None,
    ) -> None:
        self._table = table
        self._token_budget = token_budget
        self._clock = clock
        self._on_mishap = on_mishap
        self._allowance = allowance
        self._on_refused = on_refused

    def claim(
        self, message: Message, *, seconds: float, lease: float | None = None, from_queue: bool = False
    ) -> ClaimedRun | Replayed:
        """Claims a message before anything is spent on it.

        Args:
            message: the message; its text is clean.
            seconds: how long the run may last.
            lease: seconds after which, and a little margin, anybody may take it over, where the run says again and
                again that it lives; `seconds` where it does not.
            from_queue: whether the message was handed on, and this is the one that it waits for.

        Raises:
            InProgress: the same message is being answered.
            ConversationBusy: another message of the conversation is being answered.
            KeyReused: the key was used for another text.
            QuotaExceeded: the person's tokens of the day are used up, and the message is a new one.
            TooManyRuns: as many messages of the person are being answered as may be.
            ConversationErased: the conversation is being erased.
            Gone: the message is from the queue, and not there any more.
            LeaseLost: it was taken over before the conversation could be read.
            StoreUnavailable: the table does not answer.
        """
        try:
            return self._claim(message, seconds, seconds if lease is None else lease, from_queue=from_queue)
        except OverAllowance as refused:
            self._on_refused(refused)
            raise

    def message(self, user: str, conversation: str, key: str) -> Message:
        """Returns a message that was claimed before.

        Raises:
            Gone: it is not there any more.
            StoreUnavailable: the table does not answer.
        """
        keys = Keys(user, conversation)
        head, item = self._table.get([keys.head(), keys.request(key)])
        known = read_key(item, self._clock())
        if is_erased(head) or known is None:
            raise Gone
        (stored,) = self._table.get([keys.entry(known.message_seq)])
        entry = read_entry(stored).entry if stored else None
        if not isinstance(entry, UserMessage):
            raise Gone
        return Message(user, conversation, key, entry.text)

    def end_count(self, user: str, conversation: str) -> None:
        """Counts a run no more whose message is gone: one in the queue may count for more than an hour (rule S9).

        Does nothing where the conversation was begun anew and a message of it is at work: that one is counted under the
        same name.
        """
        keys = Keys(user, conversation)
        end = Meter(self._table.name, keys, self._allowance, self._clock).end()
        if end:
            with suppress(ConditionFailed, StoreUnavailable):  # else it ends by itself
                self._table.transact([Actions(self._table.name, keys, self._clock).check_idle(), *end])

    def _claim(self, message: Message, seconds: float, lease: float, *, from_queue: bool) -> ClaimedRun | Replayed:
        keys = Keys(message.user, message.conversation)
        actions = Actions(self._table.name, keys, self._clock)
        meter = Meter(self._table.name, keys, self._allowance, self._clock)
        owner = uuid.uuid4().hex
        for attempt in range(CLAIM_ATTEMPTS):
            now = self._clock()
            items = self._table.get([keys.head(), keys.request(message.key), *meter.items(now)])
            if items[0] and is_erased(items[0]):
                raise ConversationErased
            head, known, used = read_head(items[0]), read_key(items[1], now), meter.read(items[2:])
            counted = known.tokens if known else 0
            if head.owner == owner:  # an earlier attempt was carried out, and its answer was lost
                return self._run(actions, meter, message, head, fence=head.fence, counted=counted)
            verdict = decide(head, known, message, now, from_queue=from_queue)
            started = self._clock() + LEASE_MARGIN_SECONDS
            until = started + lease
            fence = _next_fence(head)
            try:
                match verdict:
                    case Replay(answer_seq):
                        return Replayed(answer_of(self._table, keys, answer_seq))
                    case Resume(message_seq):  # it was taken before: it is answered although no tokens are left
                        # What is in the queue was let in when it came: it is counted, and no more refused.
                        begin = (meter.hold if from_queue else partial(meter.begin, used))(started + seconds)
                        self._resume(
                            actions, head, message, message_seq, fence=fence, owner=owner, until=until, begin=begin
                        )
                    case Fresh(crashed):
                        self._allowance.check_tokens(used, now)
                        begin = meter.begin(used, started + seconds)
                        end = self._end_of_crashed(actions, meter, head) if crashed else None
                        self._start(actions, head, message, end, fence=fence, owner=owner, until=until, begin=begin)
            except ConditionFailed:
                continue  # somebody else was faster, or we ourselves were: look again
            except StoreUnavailable:
                if attempt:
                    raise
                continue  # it may have been carried out all the same: look
            return self._run(actions, meter, message, head, fence=fence, counted=counted)
        raise StoreUnavailable("too many requests for one conversation at once")

    def _resume(
        self,
        actions: Actions,
        head: Head,
        message: Message,
        message_seq: int,
        *,
        fence: int,
        owner: str,
        until: float,
        begin: Sequence["Action"],
    ) -> None:
        lease = actions.take_lease(
            head, message, fence=fence, owner=owner, until=until, message_seq=message_seq, next_seq=head.next_seq
        )
        self._table.transact([lease, actions.reopen_key(message.key), *begin])
        if not head.is_queued:  # else nobody died: it was left to this runner
            self._on_mishap("takeover")

    def _start(
        self,
        actions: Actions,
        head: Head,
        message: Message,
        end: Closing | None,
        *,
        fence: int,
        owner: str,
        until: float,
        begin: Sequence["Action"],
    ) -> None:
        seq = end.next_seq if end else head.next_seq
        self._table.transact(
            [
                actions.take_lease(
                    head, message, fence=fence, owner=owner, until=until, message_seq=seq, next_seq=seq + 1
                ),
                actions.open_key(message, seq),
                actions.put_entry(seq, UserMessage(message.text), message.key),
                *(end.actions if end else ()),
                *begin,
            ]
        )
        if end:
            self._on_mishap("takeover")

    def _end_of_crashed(self, actions: Actions, meter: Meter, head: Head) -> Closing:
        stored = list(self._newest_first(actions.keys, from_seq=head.open_seq))[::-1]
        return closing(actions, meter, head, stored)

    def _run(
        self, actions: Actions, meter: Meter, message: Message, head: Head, *, fence: int, counted: int
    ) -> ClaimedRun:
        """Reads what the model is to see, up to the message and whatever an earlier runner left after it."""
        first = StoredEntry(0, UserMessage(message.text), "", message.key)
        stored = self._newest_first(actions.keys, from_seq=head.window.start) if head.exists else iter([first])
        newest = next(stored, first)
        if newest.key not in ("", message.key) or (isinstance(newest.entry, Answer) and not newest.entry.is_retryable):
            raise LeaseLost  # this runner slept between its claim and this look, and its message is over
        pending = newest.entry.turn if isinstance(newest.entry, Round) and newest.entry.is_open else None
        shown = stored if pending else chain([newest], stored)  # a turn whose calls are to run again is not shown
        seen = view(((each.seq, each.entry) for each in shown), head.window, self._token_budget)
        good = repaired(seen.history)
        if good.mended:
            self._on_mishap("repair")
            logger.warning("history repaired: %s entries", good.mended)
        return ClaimedRun(
            self._table,
            actions,
            meter,
            key=message.key,
            fence=fence,
            next_seq=newest.seq if pending else newest.seq + 1,
            view=View(seen.window, good.history),
            pending=pending,
            counted=counted,
            stop_asked=head.stop_key == message.key,
        )

    def _newest_first(self, keys: Keys, *, from_seq: int) -> Iterator[StoredEntry]:
        page_items = min(max(1, self._token_budget // SHORT_ENTRY_TOKENS), MAX_PAGE_ENTRIES)
        return newest_first(self._table, keys, from_seq=from_seq, page_items=page_items)


def _next_fence(head: Head) -> int:
    """Returns a fence that no runner has had under this id, not even of a conversation that was erased since."""
    return head.fence + 1 if head.exists else 1 + secrets.randbits(FIRST_FENCE_BITS)
