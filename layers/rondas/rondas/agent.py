"""The use case: a message in, an answer out, whatever happens between: claim, loop, store."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from math import inf

from rondas.budget import GATEWAY_SECONDS, STORE_RESERVE_SECONDS, Budget
from rondas.handover import HandedOn, Handover, Nowhere
from rondas.history import Answer
from rondas.interrupt import OutOfTime, out_of_time_after, stop_alarm
from rondas.loop import Ending, Loop, Unfinished
from rondas.model import Model
from rondas.pulse import LIFE_SECONDS, beating
from rondas.replies import language_of
from rondas.settings import Settings
from rondas.store.claim import Gone, Message
from rondas.store.conversations import Conversations, Replayed
from rondas.store.run import ClaimedRun, ConversationErased, LeaseLost
from rondas.store.table import StoreUnavailable
from rondas.toolbox import Toolbox
from rondas.watcher import Watchers

QUEUE_SECONDS = 5400.0
"""How long a message that was handed on is kept for the worker: longer than all deliveries of the queue together."""


@dataclass(frozen=True, slots=True)
class _Job:
    """A message to answer, and by when; `beat` is given where it comes from the queue."""

    message: Message
    budget: Budget
    accept_language: str
    hands_on: bool = False
    beat: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An assistant that can be asked.

    Attributes:
        model: what it thinks with.
        toolbox: what it can do.
        conversations: where it remembers.
        settings: its limits.
        handover: the way to the worker, who has more time.
        watchers: who looks on while it works.
    """

    model: Model
    toolbox: Toolbox
    conversations: Conversations
    settings: Settings
    handover: Handover = field(default_factory=Nowhere)
    watchers: Watchers = field(default_factory=Watchers)

    def answer(self, message: Message, *, remaining: float | None = None, accept_language: str = "") -> Answer:
        """Answers a message, once: the same message again gets the same answer.

        Args:
            message: the message, clean.
            remaining: seconds until the runtime ends the process; None where nothing does.
            accept_language: the language the app asks for, as in the HTTP header; may be empty.

        Raises:
            Refused: the message is not taken now; nothing was stored and no model was called.
            LeaseLost: another runner has taken this message over and will answer it.
            StoreUnavailable: the table does not answer.
        """
        return self._do(_Job(message, self._budget(remaining, GATEWAY_SECONDS), accept_language))

    def answer_or_hand_on(
        self, message: Message, *, wait: float, remaining: float | None = None, accept_language: str = ""
    ) -> Answer | None:
        """Answers a message within `wait` seconds, or hands it on to the worker and returns None.

        Raises:
            HandoverFailed: the queue does not take it; what was done is stored, and the same message goes on there.
            Refused, LeaseLost, StoreUnavailable: as `answer`.
        """
        budget = self._budget(remaining, GATEWAY_SECONDS).only(wait)
        try:
            return self._do(_Job(message, budget, accept_language, hands_on=True))
        except Unfinished:
            return None

    def take_up(self, handed: HandedOn, *, remaining: float | None = None, beat: Callable[[], None]) -> Answer:
        """Answers a message that was handed on: goes on after its last stored round, as after a crash.

        Args:
            handed: which.
            remaining: seconds until the runtime ends the process; None where nothing does.
            beat: is called again and again as long as this runner lives.

        Raises:
            Gone, ConversationErased: the message is not there any more; its run is counted no more.
            Refused, LeaseLost, StoreUnavailable: as `answer`.
        """
        budget = self._budget(remaining, inf)
        try:
            message = self.conversations.message(handed.person, handed.conversation_id, handed.message_id)
            return self._do(_Job(message, budget, handed.accept_language, beat=beat))
        except (Gone, ConversationErased):
            self.conversations.end_count(handed.person, handed.conversation_id)
            raise

    def _budget(self, remaining: float | None, gateway: float) -> Budget:
        seconds, closing = self.settings.time_budget_seconds, self.settings.closing_reserve_seconds
        return Budget.start(seconds, closing, remaining, gateway=gateway)

    def _do(self, job: _Job) -> Answer:
        """Answers the message. Raises `Unfinished` where it was handed on."""
        started = job.budget.clock()
        stop_alarm()  # nothing of an earlier message may ring in this one
        self.watchers.on_message(job.message)
        try:
            with out_of_time_after(job.budget.over_in()):
                found = self._claim_and_run(job)
        except OutOfTime:  # model and tools end before: it is the table that holds the run
            raise StoreUnavailable("no answer in time") from None
        except Unfinished:
            self.watchers.on_handed_on(job.budget.clock() - started)
            raise
        if isinstance(found, Ending):
            self.watchers.on_answer(found.answer, job.budget.clock() - started)
        return found.answer

    def _claim_and_run(self, job: _Job) -> Replayed | Ending:
        from_queue = job.beat is not None
        seconds = (job.budget.over_in() if job.hands_on else job.budget.left()) + STORE_RESERVE_SECONDS
        lease = LIFE_SECONDS if from_queue else seconds
        claimed = self.conversations.claim(job.message, seconds=seconds, lease=lease, from_queue=from_queue)
        return claimed if isinstance(claimed, Replayed) else self._run(claimed, job)

    def _run(self, claimed: ClaimedRun, job: _Job) -> Ending:
        """Runs the loop and stores its end; an error of ours gives the message back at once, to be taken up again."""
        loop = Loop(
            model=self.model,
            tools=self.toolbox.for_user(job.message.user),
            history=claimed.history,
            budget=job.budget,
            journal=claimed,
            max_rounds=self.settings.max_tool_rounds,
            language=language_of(job.message.text, job.accept_language),
            hands_on=job.hands_on,
            watcher=self.watchers,
        )
        try:
            with self._signs_of_life(claimed, job):
                return self._finish(loop, claimed, job)
        except (LeaseLost, OutOfTime, Unfinished):  # it is another's now, or there is no time to give it back
            raise
        except BaseException:
            claimed.release()
            raise

    def _finish(self, loop: Loop, claimed: ClaimedRun, job: _Job) -> Ending:
        try:
            ending = loop.run(claimed.pending)
        except Unfinished:
            self._hand_on(claimed, job)
            raise
        claimed.finish(ending)
        return ending

    def _hand_on(self, claimed: ClaimedRun, job: _Job) -> None:
        """Sends the message first and lets go of it then: what dies between the two, the queue brings back."""
        message = job.message
        handed = HandedOn(
            person=message.user,
            conversation_id=message.conversation,
            message_id=message.key,
            accept_language=language_of(message.text, job.accept_language),  # the header may say anything
        )
        self.handover.send(handed, claimed.fence)
        claimed.hand_on(QUEUE_SECONDS)

    @staticmethod
    def _signs_of_life(claimed: ClaimedRun, job: _Job) -> AbstractContextManager[None]:
        """Holds the lease, and the message in the queue, for as long as the process lives."""
        tell_queue = job.beat
        if tell_queue is None:
            return nullcontext()

        def beat() -> None:
            claimed.renew(LIFE_SECONDS)
            tell_queue()

        return beating(beat)
