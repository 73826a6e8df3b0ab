"""A conversation as it should be: what the store says of it is held against this twin in memory."""

from dataclasses import dataclass, field


@dataclass
class Twin:
    """The twin of one conversation.

    Attributes:
        entries: in words, in their order.
        states: what became of each key.
        holder: the key of the message that is being answered, or was when its runner died.
        lease_until: until when its runner may be alive.
        ahead: the last round was written ahead of its effects.
        rounds: of the message that came last.
        erasing: an erase has begun, and none has ended.
        changes: of who holds the head: claims, erases that begin, erases that end.
        spent: the tokens of each message that has ended.
        spent_erased: those of messages that ended and were erased later; an erase gives nothing back.
        counted_until: until when the conversation counts among the person's runs. An erase leaves that alone.
    """

    entries: list[str] = field(default_factory=list[str])
    states: dict[str, str] = field(default_factory=dict[str, str])
    holder: str = ""
    lease_until: float = 0.0
    ahead: bool = False
    rounds: int = 0
    erasing: bool = False
    changes: int = 0
    spent: dict[str, int] = field(default_factory=dict[str, int])
    spent_erased: int = 0
    counted_until: float = 0.0

    @property
    def exists(self) -> bool:
        """Whether anything of it is stored, be it the rest that an erase has left."""
        return bool(self.entries) or self.erasing

    def tokens(self) -> int:
        """Returns what its person has to be charged for it."""
        return self.spent_erased + sum(self.spent.values())

    def expects(self, key: str, now: float) -> str:
        """Returns what happens to a message with that key, as far as the conversation alone decides it."""
        if self.erasing:
            return "erased"
        if self.states.get(key) == "done":
            return "replay"
        if self.holder and self.lease_until > now:
            return "in_progress" if self.holder == key else "busy"
        if self.states.get(key) == "failed":
            last = not self.holder and self.entries[-1] == f"failed {key}"
            return "run" if last else "replay"
        return "run"

    def take(self, key: str, until: float, round_tokens: int) -> None:
        """A runner takes the conversation for a message; one whose runner has died is closed first."""
        self.changes += 1
        if self.holder and self.holder != key:
            if self.ahead:
                self.entries[-1] = "round"
            self.entries.append(f"interrupted {self.holder}")
            self.states[self.holder] = "done"
            self.spent[self.holder] = max(self.spent.get(self.holder, 0), self.rounds * round_tokens)
            self.ahead = False
        if key not in self.states:
            self.entries.append(f"user {key}")
            self.rounds = 0
        self.states[key] = "open"
        self.holder, self.lease_until, self.counted_until = key, until, until

    def store_round(self) -> None:
        """A round is stored, over the one that was written ahead if there is one."""
        if self.ahead:
            self.entries[-1] = "round"
        else:
            self.entries.append("round")
            self.rounds += 1
        self.ahead = False

    def write_ahead(self) -> None:
        """A round is written ahead of its effects."""
        self.entries.append("open")
        self.rounds += 1
        self.ahead = True

    def finish(self, status: str, tokens: int) -> None:
        """The message is answered, or no model could answer it; it took so many tokens since it was sent first."""
        self.entries.append(f"{'answer' if status == 'done' else 'failed'} {self.holder}")
        self.states[self.holder] = status
        self.spent[self.holder] = tokens
        self.holder, self.counted_until = "", 0.0

    def release(self) -> None:
        """The runner gives up, and anybody may take the message up at once."""
        self.lease_until = self.counted_until = 0.0

    def begin_erase(self) -> None:
        """The conversation is missing for everybody from now on; tokens of a message that goes on are never known."""
        self.spent_erased, self.spent = self.tokens(), {}
        self.entries, self.states = [], {}
        self.holder, self.ahead, self.erasing = "", False, True
        self.changes += 1

    def end_erase(self) -> None:
        """Nothing of it is stored any more."""
        self.erasing = False
        self.changes += 1
