"""The use case: a message in, an answer out, whatever happens between: claim, loop, store."""

from dataclasses import dataclass, field

from rondas.budget import STORE_RESERVE_SECONDS, Budget
from rondas.history import Answer
from rondas.interrupt import OutOfTime, out_of_time_after, stop_alarm
from rondas.loop import Ending, Loop
from rondas.model import Model
from rondas.replies import Language, language_of
from rondas.settings import Settings
from rondas.store.claim import Message
from rondas.store.conversations import Conversations, Replayed
from rondas.store.run import ClaimedRun, LeaseLost
from rondas.store.table import StoreUnavailable
from rondas.toolbox import Toolbox
from rondas.watcher import Watchers


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An assistant that can be asked.

    Attributes:
        model: what it thinks with.
        toolbox: what it can do.
        conversations: where it remembers.
        settings: its limits.
        watchers: who looks on while it works.
    """

    model: Model
    toolbox: Toolbox
    conversations: Conversations
    settings: Settings
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
        budget = Budget.start(self.settings.time_budget_seconds, self.settings.closing_reserve_seconds, remaining)
        started = budget.clock()
        stop_alarm()  # nothing of an earlier message may ring in this one
        self.watchers.on_message(message)
        try:
            with out_of_time_after(budget.over_in()):
                found = self._answer(message, budget, language_of(message.text, accept_language))
        except OutOfTime:  # model and tools end before: it is the table that holds the run
            raise StoreUnavailable("no answer in time") from None
        if isinstance(found, Ending):
            self.watchers.on_answer(found.answer, budget.clock() - started)
        return found.answer

    def _answer(self, message: Message, budget: Budget, language: Language) -> Replayed | Ending:
        claimed = self.conversations.claim(message, seconds=budget.left() + STORE_RESERVE_SECONDS)
        return claimed if isinstance(claimed, Replayed) else self._run(claimed, message, budget, language)

    def _run(self, claimed: ClaimedRun, message: Message, budget: Budget, language: Language) -> Ending:
        """Runs the loop and stores its end; an error of ours gives the message back at once, to be taken up again."""
        loop = Loop(
            model=self.model,
            tools=self.toolbox.for_user(message.user),
            history=claimed.history,
            budget=budget,
            journal=claimed,
            max_rounds=self.settings.max_tool_rounds,
            language=language,
            watcher=self.watchers,
        )
        try:
            ending = loop.run(claimed.pending)
            claimed.finish(ending)
        except (LeaseLost, OutOfTime):  # the message is another's now, or there is no time to give it back
            raise
        except BaseException:
            claimed.release()
            raise
        return ending
