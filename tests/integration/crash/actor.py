"""One process that answers messages with the real agent, comes past points, and keeps the record."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from points import Deed, Fate, Points
from pydantic import BaseModel
from scene import Scene
from script import next_turn
from traces import Answered, Asked, Began, Claimed, Failed, Sent, Slept
from wire import watch

from rondas import agent
from rondas.agent import Agent
from rondas.handover import HandedOn
from rondas.history import Answer, Entry, Turn
from rondas.model import ModelUnavailable
from rondas.settings import Settings
from rondas.store.allowance import Allowance
from rondas.store.claim import Message, Refused
from rondas.store.closing import give_up
from rondas.store.conversations import Conversations, Replayed
from rondas.store.items import Keys
from rondas.store.run import ClaimedRun, LeaseLost
from rondas.store.table import StoreUnavailable, Table
from rondas.toolbox import Toolbox
from rondas.tools import Arguments, Tool, ToolContext, tool

SETTINGS = Settings(table_name="conversations", models="fake:model", time_budget_seconds=120)
agent.GATEWAY_SECONDS = 150  # a machine under load is not to be taken for a model that is slow

MUCH = Allowance(daily_tokens=10**9, runs=1_000)
"""More than any program uses: nobody is refused, and everything is counted."""

LATER = 150
"""Longer than any lease, in seconds: whose clock is that far ahead takes over whoever holds the conversation."""


class What(Arguments):
    """What to look at, or what to save."""

    what: str


class Receipt(BaseModel):
    """What a tool tells the model: for an effect, the key under which it is stored."""

    receipt: str


@dataclass
class Actor:
    """A process of the scene, made after the fork.

    Attributes:
        scene: where it plays.
        run: its name, which no other process has.
        points: where it may be stopped.
        ahead: by how many seconds its clock is ahead.
        hands_on_after: the rounds after which it hands a message on that it may hand on.
        moody: decides at each question whether the model can be reached; without it, always.
        fence: the one it holds for the message; 0 before it has claimed it.
        message: the one it is answering.
        slept: whether it has been asleep.
    """

    scene: Scene
    run: str
    points: Points = field(default_factory=Points)
    ahead: float = 0
    hands_on_after: int = 1
    moody: Random | None = None
    fence: int = 0
    message: Message | None = None
    slept: bool = False
    _asks: int = 0

    def __post_init__(self) -> None:
        self._table = Table(self.scene.table, self.scene.actor)
        self._agent = Agent(
            model=self,
            toolbox=Toolbox(self._tools()),
            conversations=_Observed(self._table, 60_000, self._clock, self._claimed),
            settings=SETTINGS,
            handover=self,
        )
        watch(self.scene.actor, self.points)

    def answer(self, message: Message) -> Answer | None:
        """Answers a message; None where it is refused or lost, as the person is told by a status of HTTP."""
        return self._noted(message, lambda: self._agent.answer(message))

    def answer_or_hand_on(self, message: Message) -> Answer | None:
        """Answers a message in a few rounds, or hands it on."""
        limits = {"max_tool_rounds": self.hands_on_after}
        impatient = replace(self._agent, settings=SETTINGS.model_copy(update=limits))
        return self._noted(message, lambda: impatient.answer_or_hand_on(message, wait=SETTINGS.time_budget_seconds))

    def take_up(self, message: Message) -> Answer | None:
        """Answers a message that the queue has delivered."""
        handed = HandedOn(person=message.user, conversation_id=message.conversation, message_id=message.key)
        return self._noted(message, lambda: self._agent.take_up(handed, beat=lambda: None))

    def give_up(self, message: Message) -> Answer | None:
        """Closes a message that the queue has delivered too often."""
        keys = Keys(message.user, message.conversation)
        return self._noted(message, lambda: give_up(self._table, keys, message.key, MUCH, self._clock))

    def send(self, message: HandedOn, fence: int) -> None:
        """The queue: takes a message, and keeps it whatever becomes of who sent it."""
        del fence
        self.points.reach("the queue", "before")
        self.scene.record(message.conversation_id).add(Sent(self.run, message.message_id))
        self.points.reach("the queue", "after")

    def _noted(self, message: Message, ask: Callable[[], Answer | None]) -> Answer | None:
        self.message = message
        self.fence = 0
        record = self.scene.record(message.conversation)
        try:
            answer = ask()
        except (Refused, LeaseLost, StoreUnavailable) as error:
            found = self.scene.look(message.conversation, self.scene.onlooker).fence
            record.add(Failed(self.run, message.key, type(error).__name__, self.fence, found))
            return None
        if answer:
            record.add(Answered(self.run, message.key, answer))
        return answer

    def _clock(self) -> float:
        return time.time() + self.ahead

    def falling_asleep(self, sleep: Fate) -> Fate:
        """Returns the fate of falling asleep, and of noting with which fence."""

        def fall_asleep(deed: Deed | None) -> None:
            self.slept = True
            message = self._current()
            self.scene.record(message.conversation).add(Slept(self.run, message.key, self.fence))
            sleep(deed)

        return fall_asleep

    def reply(self, history: Sequence[Entry], *, seconds: float, closing: str | None = None) -> Turn:
        """The model: notes what it is shown and what is stored, and follows the script."""
        message = self._current()
        self.points.reach("the model", "before")
        stored = tuple(each.entry for each in self.scene.entries(message.conversation, self.scene.onlooker))
        self._asks += 1
        ask = f"{self.run}.{self._asks}"
        self.scene.record(message.conversation).add(Asked(self.run, message.key, ask, tuple(history), stored))
        if closing:
            raise ValueError("no run of these tests comes to a limit")
        if self.moody and self.moody.random() < 0.1:
            raise ModelUnavailable("moody")
        turn = next_turn(history, ask)
        self.points.reach("the model", "after")
        return turn

    def _tools(self) -> list[Tool]:
        @tool
        def look(arguments: What) -> Receipt:
            """Looks at something."""
            self.points.reach("look", "before")
            self.points.reach("look", "after")
            return Receipt(receipt=f"seen {arguments.what}")

        @tool(effect=True)
        def save(arguments: What, context: ToolContext) -> Receipt:
            """Saves something, once for each call."""
            message = self._current()
            self.points.reach("save", "before")
            self.scene.record(message.conversation).add(Began(self.run, message.key, context.key))
            self._save_once(message, context.key)
            self.points.reach("save", "after")
            return Receipt(receipt=context.key)

        return [look, save]

    def _save_once(self, message: Message, call_key: str) -> None:
        client = self.scene.actor
        item = {"pk": {"S": message.conversation}, "sk": {"S": call_key}, "message": {"S": message.key}}
        try:
            client.put_item(TableName=self.scene.effects, Item=item, ConditionExpression="attribute_not_exists(pk)")
        except client.exceptions.ConditionalCheckFailedException:
            return  # it had its effect before

    def _claimed(self, run: ClaimedRun) -> None:
        message = self._current()
        self.fence = run.fence
        self.scene.record(message.conversation).add(Claimed(self.run, message.key, self.fence))

    def _current(self) -> Message:
        if not self.message:
            raise ValueError("nobody asked")
        return self.message


class _Observed(Conversations):
    """Conversations that tell of each claim."""

    def __init__(
        self, table: Table, budget: int, clock: Callable[[], float], claimed: Callable[[ClaimedRun], None]
    ) -> None:
        super().__init__(table, budget, clock, allowance=MUCH)
        self._claimed = claimed

    def claim(
        self, message: Message, *, seconds: float, lease: float | None = None, from_queue: bool = False
    ) -> ClaimedRun | Replayed:
        claimed = super().claim(message, seconds=seconds, lease=lease, from_queue=from_queue)
        if isinstance(claimed, ClaimedRun):
            self._claimed(claimed)
        return claimed
