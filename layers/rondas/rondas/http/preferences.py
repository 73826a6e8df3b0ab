"""`Prefer: respond-async, wait=N` (RFC 7240): whether the app wants to be let go, and how long it waits before that."""

import re
from dataclasses import dataclass
from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Header

Prefer = Annotated[
    str | None,
    Header(
        alias="Prefer",
        description="`respond-async`: be let go at once with 202, and ask for the answer later. With `wait=N` as well: "
        "be let go only when the answer is not there within N seconds.",
    ),
]

_QUOTED = r'"(?:[^"\\]|\\.?)*+(?:"|\Z)'
"""A quoted string; one that nobody closes reaches to the end."""

# Begins with no blanks: those between two preferences are passed over, each looked at once.
_PREFERENCE = re.compile(rf"([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*(?:=\s*({_QUOTED}|[^\s;,\"]*))?(?:{_QUOTED}|[^,])*")
_SECONDS = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Preferences:
    """What of the header is understood.

    Attributes:
        respond_async: whether the answer may come later.
        wait: whole seconds the app waits for it before that; None where it named none that are any.
    """

    respond_async: bool = False
    wait: int | None = None

    @property
    def patience(self) -> float:
        """Returns the seconds until the app is let go."""
        return float(self.wait or 0)

    def applied(self, most: float) -> str:
        """Returns what is done of it, for `Preference-Applied`, where nobody waits longer than `most` seconds."""
        is_waited = self.wait is not None and self.wait <= most
        return f"respond-async, wait={self.wait}" if is_waited else "respond-async"


def read_preferences(header: str | None) -> Preferences:
    """Reads the header. What is unknown is ignored, as is a `wait` that is no number; of two, the first one counts.

    Never raises: a preference is a wish, and no mistake in it makes a request wrong (RFC 7240, section 2).
    """
    found: dict[str, str] = {}
    for preference in _PREFERENCE.finditer(header or ""):
        found.setdefault(preference[1].lower(), (preference[2] or "").strip('"'))
    wait = found.get("wait", "")
    return Preferences("respond-async" in found, int(wait) if _SECONDS.fullmatch(wait) else None)
