"""What one person may use: tokens in a day, and runs at the same time. Pure: no database, no clock.

The first bounds what a person can cost, the second by how much that bound can be missed: tokens are known when a run
ends, so those of the runs that are under way come on top.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rondas.store.claim import Refused

DAY_SECONDS = 86_400

type Limit = Literal["tokens", "runs"]


class OverAllowance(Refused):
    """The person has used what they may. Attributes: `limit`; `retry_after`, in seconds."""

    limit: Limit

    def __init__(self, retry_after: float) -> None:
        super().__init__(f"the person has used the {self.limit} they may")
        self.retry_after = retry_after


class QuotaExceeded(OverAllowance):
    """The tokens of the day are used up; `retry_after` reaches to the next one, which begins at midnight UTC."""

    limit = "tokens"


class TooManyRuns(OverAllowance):
    """As many messages of theirs are being answered as may be; `retry_after` reaches to the end of the first lease."""

    limit = "runs"


@dataclass(frozen=True, slots=True)
class Used:
    """What a person uses, as read.

    Attributes:
        tokens: of this day, as far as they are counted.
        begun: grows by one with every run; what was read once is out of date when it has grown.
        leases: of each conversation with a run that has not said that it ended: until when it may be alive, in
            milliseconds since the epoch.
    """

    tokens: int = 0
    begun: int = 0
    leases: Mapping[str, int] = field(default_factory=dict[str, int])

    def others(self, conversation: str) -> dict[str, int]:
        """Returns the leases of the other conversations: whoever takes one over holds no second one."""
        return {name: until for name, until in self.leases.items() if name != conversation}


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one person may use.

    Attributes:
        daily_tokens: read and written by the model in one day, in UTC; 0 for any number.
        runs: messages that are being answered at the same time; 0 for any number.
    """

    daily_tokens: int = 0
    runs: int = 0

    def check_tokens(self, used: Used, now: float) -> None:
        """Raises `QuotaExceeded` where none are left. `now` is in seconds since the epoch."""
        if 0 < self.daily_tokens <= used.tokens:
            raise QuotaExceeded(DAY_SECONDS - now % DAY_SECONDS)

    def runs_left(self, used: Used, conversation: str, now: float) -> int:
        """Returns how many more runs may be begun, one in `conversation` included: one at least.

        Raises:
            TooManyRuns: none.
        """
        alive = sorted(until / 1000 for until in used.others(conversation).values() if until / 1000 > now)
        if len(alive) >= self.runs:
            raise TooManyRuns(alive[0] - now)
        return self.runs - len(alive)
