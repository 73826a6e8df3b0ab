"""The claim: one conditional transaction that takes the conversation, the request key and the message (rule S1)."""

import logging
import secrets
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, cast

from rondas.history import Answer, Entry, Round, UserMessage, settle, total_usage
from rondas.repair import repaired
from rondas.replies import INTERRUPTED, Language, interrupted_reply, language_of
from rondas.store.actions import Actions
from rondas.store.allowance import Allowance, OverAllowance
from rondas.store.claim import Fresh, Head, KeyState, KnownKey, Message, Replay, Resume, decide
from rondas.store.items import MAX_SEQ, Keys, StoredEntry, entry_sort_key, is_erased, read_entry, read_number
from rondas.store.meter import Meter
from rondas.store.run import ClaimedRun, ConversationErased, LeaseLost
from rondas.store.table import ConditionFailed, StoreUnavailable, Table
from rondas.watcher import Mishap
from rondas.window import View, Window, view

if TYPE_CHECKING:
    from rondas.store.actions import Action
    from rondas.store.items import Item

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

    def claim(self, message: Message, *, seconds: float) -> ClaimedRun | Replayed:
        """Claims a message before anything is spent on it.

        Args:
            message: the message; its text is clean.
            seconds: how long the run may last; after that, and a little margin, anybody may take it over.

        Raises:
            InProgress: the same message is being answered.
            ConversationBusy: another message of the conversation is being answered.
            KeyReused: the key was used for another text.
            QuotaExceeded: the person's tokens of the day are used up, and the message is a new one.
            TooManyRuns: as many messages of the person are being answered as may be.
            ConversationErased: the conversation is being erased.
            LeaseLost: it was taken over before the conversation could be read.
            StoreUnavailable: the table does not answer.
        """
        try:
            return self._claim(message, seconds)
        except OverAllowance as refused:
            self._on_refused(refused)
            raise

    def _claim(self, message: Message, seconds: float) -> ClaimedRun | Replayed:
        keys = Keys(message.user, message.conversation)
        actions = Actions(self._table.name, keys, self._clock)
        meter = Meter(self._table.name, keys, self._allowance, self._clock)
        owner = uuid.uuid4().hex
        for attempt in range(CLAIM_ATTEMPTS):
            now = self._clock()
            items = self._table.get([keys.head(), keys.request(message.key), *meter.items(now)])
            if items[0] and is_erased(items[0]):
                raise ConversationErased
            head, known, used = _head(items[0]), _known(items[1], now), meter.read(items[2:])
            counted = known.tokens if known else 0
            if head.owner == owner:  # an earlier attempt was carried out, and its answer was lost
                return self._run(actions, meter, message, head, fence=head.fence, counted=counted)
            verdict = decide(head, known, message, now)
            until = self._clock() + seconds + LEASE_MARGIN_SECONDS
            fence = _next_fence(head)
            try:
                match verdict:
                    case Replay(answer_seq):
                        return Replayed(self._answer(keys, answer_seq))
                    case Resume(message_seq):  # it was taken before: it is answered although no tokens are left
                        begin = meter.begin(used, until)
                        self._resume(
                            actions, head, message, message_seq, fence=fence, owner=owner, until=until, begin=begin
                        )
                    case Fresh(crashed):
                        self._allowance.check_tokens(used, now)
                        begin = meter.begin(used, until)
                        closing = self._close_crashed(actions, meter, head) if crashed else _Closing(head.next_seq)
                        self._start(actions, head, message, closing, fence=fence, owner=owner, until=until, begin=begin)
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
        self._on_mishap("takeover")

    def _start(
        self,
        actions: Actions,
        head: Head,
        message: Message,
        closing: "_Closing",
        *,
        fence: int,
        owner: str,
        until: float,
        begin: Sequence["Action"],
    ) -> None:
        seq = closing.next_seq
        self._table.transact(
            [
                actions.take_lease(
                    head, message, fence=fence, owner=owner, until=until, message_seq=seq, next_seq=seq + 1
                ),
                actions.open_key(message, seq),
                actions.put_entry(seq, UserMessage(message.text), message.key),
                *closing.actions,
                *begin,
            ]
        )
        if closing.actions:
            self._on_mishap("takeover")

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
        )

    def _close_crashed(self, actions: Actions, meter: Meter, head: Head) -> "_Closing":
        """Closes a message whose runner died and that nobody resumed: what was done stays, what is unknown is said."""
        stored = list(self._newest_first(actions.keys, from_seq=head.open_seq))[::-1]
        newest = stored[-1]
        rounds = [each.entry for each in stored if isinstance(each.entry, Round)]
        counted = max((each.entry.usage.total for each in stored if isinstance(each.entry, Answer)), default=0)
        closing: list[Action] = []
        unknown = bool(rounds) and rounds[-1].is_open
        if unknown:
            rounds[-1] = settle(rounds[-1].turn, INTERRUPTED, "unknown", after=rounds[-1].results)
            closing.append(actions.complete_round(newest.seq, rounds[-1], head.open_key))
        answer = Answer(
            interrupted_reply(_language(stored[0].entry), effect_unknown=unknown),
            "failed",
            "interrupted",
            len(rounds),
            usage=total_usage(rounds),
        )
        answer_seq = newest.seq + 1
        closing.append(actions.put_entry(answer_seq, answer, head.open_key))
        closing.append(actions.end_key(head.open_key, "done", answer_seq, answer.usage.total))
        closing.extend(meter.count(max(0, answer.usage.total - counted)))
        return _Closing(answer_seq + 1, tuple(closing))

    def _newest_first(self, keys: Keys, *, from_seq: int) -> Iterator[StoredEntry]:
        newest, oldest = entry_sort_key(MAX_SEQ), entry_sort_key(from_seq)
        page_items = min(max(1, self._token_budget // SHORT_ENTRY_TOKENS), MAX_PAGE_ENTRIES)
        return map(read_entry, self._table.newest_first(keys.partition(), newest, oldest, page_items=page_items))

    def _answer(self, keys: Keys, seq: int) -> Answer:
        (item,) = self._table.get([keys.entry(seq)])
        entry = read_entry(item).entry if item else None
        if not isinstance(entry, Answer):
            raise StoreUnavailable("the answer of a finished message is missing")
        # The conversation has gone on: this message stays unanswered, however often it comes.
        return replace(entry, reason="") if entry.is_retryable else entry


@dataclass(frozen=True, slots=True)
class _Closing:
    """The end of a crashed message: the number of the entry after it, and what is written for it."""

    next_seq: int
    actions: tuple["Action", ...] = ()


def _language(entry: Entry) -> Language:
    return language_of(entry.text if isinstance(entry, UserMessage) else "")


def _next_fence(head: Head) -> int:
    """Returns a fence that no runner has had under this id, not even of a conversation that was erased since."""
    return head.fence + 1 if head.exists else 1 + secrets.randbits(FIRST_FENCE_BITS)


def _head(item: "Item | None") -> Head:
    if item is None:
        return Head()
    return Head(
        next_seq=read_number(item, "next_seq"),
        fence=read_number(item, "fence"),
        lease_until=read_number(item, "lease_until") / 1000,
        open_key=item.get("open_key", {}).get("S", ""),
        open_seq=read_number(item, "open_seq"),
        owner=item.get("owner", {}).get("S", ""),
        window=Window(read_number(item, "window_start"), read_number(item, "whole_from")),
    )


def _known(item: "Item | None", now: float) -> KnownKey | None:
    if item is None or 0 < read_number(item, "ttl") < int(now):  # whole seconds, as the table compares them
        return None
    return KnownKey(
        state=cast("KeyState", item["state"].get("S", "")),
        body_hash=item["body_hash"].get("S", ""),
        message_seq=read_number(item, "message_seq"),
        answer_seq=read_number(item, "answer_seq"),
        tokens=read_number(item, "tokens"),
    )
