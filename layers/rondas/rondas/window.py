"""Which part of a conversation the model is shown (rule S6)."""

from collections.abc import Iterable, Sequence

from rondas.history import Answer, Entry, Round, UserMessage, settle
from rondas.replies import INTERRUPTED

BYTES_PER_TOKEN = 4
"""A cheap estimate that is right enough for English, Spanish and JSON, and not far off for letters of three bytes."""


def estimated_tokens(entry: Entry) -> int:
    """Returns about how many tokens an entry costs the model, without counting its opaque part."""
    match entry:
        case UserMessage(text) | Answer(text):
            texts = [text]
        case Round(turn, results):
            texts = [turn.text, *(result.text for result in results)]
            texts += [part for call in turn.calls for part in (call.name, call.arguments)]
    return sum(len(text.encode("utf-8", "replace")) for text in texts) // BYTES_PER_TOKEN + 4


def newest_that_fit(newest_first: Iterable[Entry], token_budget: int) -> list[Entry]:
    """Takes entries from the newest back until the budget is used, and returns them in order.

    The first one is always a person's message, so no call is split from its results and no answer from its question.
    The newest message is taken whatever it costs. Stops reading as soon as it knows enough.
    """
    taken: list[Entry] = []
    whole = 0  # how many of the taken entries lie at or after the oldest person's message that fits
    tokens = 0
    for entry in newest_first:
        tokens += estimated_tokens(entry)
        if whole and tokens > token_budget:
            break
        taken.append(entry)
        if isinstance(entry, UserMessage):
            whole = len(taken)
            if tokens > token_budget:
                break
    return taken[:whole][::-1]


def for_model(entries: Sequence[Entry]) -> list[Entry]:
    """Returns the entries as the model should see them: what failed without a trace is left out, open calls settled.

    A message for which no model could be reached and no tool ran would only teach the model to fail. One for which
    tools ran stays, with the account of how it ended. An account of a failure goes where the same message was taken up
    again: where it is followed by more of that message, or by nothing, for then it is being answered now.
    """
    shown: list[Entry] = []
    for index, entry in enumerate(entries):
        if isinstance(entry, Answer) and entry.is_retryable:
            if not isinstance(entries[index + 1] if index + 1 < len(entries) else None, UserMessage):
                continue
            if shown and isinstance(shown[-1], UserMessage):
                shown.pop()
                continue
        if isinstance(entry, Round) and entry.is_open:
            entry = settle(entry.turn, INTERRUPTED, "unknown", after=entry.results)  # noqa: PLW2901
        shown.append(entry)
    return shown
