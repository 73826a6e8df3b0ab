"""Which part of a conversation the model is shown (rule S6).

What a provider has cached of a request serves the next one only as far as both begin with the same bytes. So a window
stays where it is while the conversation grows in it. When its content no longer fits the token budget, it moves once,
and so far that half of the budget is free: first tool results are shortened, the oldest first; where that is not
enough, the oldest messages are left out. Where it stands is kept on the conversation's head: every process sees the
same, and knows without looking where to begin to read.

It moves between messages only. What a run adds is bounded by its rounds and by what a round may hold, and changing
what was sent before would cost more than it saves: the cache, OpenAI's memory of the run, and Claude's thoughts, which
are refused after another history (trap 1). A run that outgrows the model fails as one that may be tried again, and
then its own rounds are within reach: their results are shortened as well, but for the last round, which the model has
not answered yet.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile

from rondas.history import Answer, Entry, Round, UserMessage, current_message, settle
from rondas.repair import EARLIER
from rondas.replies import INTERRUPTED
from rondas.tokens import estimated_tokens

SHORT_CHARS = 600
"""A tool result up to this long stays whole."""

SHORT_PART = 4
"""Of a longer one, this part of it stays. So no more than about four times what is shown ever has to be read."""

_NOTE_TOKENS = estimated_tokens(UserMessage(f"{EARLIER}\n\n"))


@dataclass(frozen=True, slots=True)
class Window:
    """Where the shown part of a conversation begins, by the numbers of its entries. Neither ever goes back.

    Attributes:
        start: the first entry that is shown: a person's message.
        whole_from: the first entry whose tool results are shown whole.
    """

    start: int = 0
    whole_from: int = 0


@dataclass(frozen=True, slots=True)
class View:
    """What the model is shown, and through which window."""

    window: Window
    history: list[Entry]


@dataclass(frozen=True, slots=True)
class _Pane:
    """An entry and its shortened form, each with what it costs."""

    seq: int
    whole: Entry
    short: Entry
    whole_tokens: int
    short_tokens: int


def view(newest_first: Iterable[tuple[int, Entry]], window: Window, token_budget: int) -> View:
    """Returns what the model is to be shown, and the window through which it is seen: the given one, or one moved on.

    The message being answered is shown whatever it costs.

    Args:
        newest_first: the entries with their numbers, from the newest back to the beginning of the window. No more is
            read than can be shown. Answers at the end only say that the message was tried before.
        window: the one that the last message was answered with.
        token_budget: about how many tokens may be shown.
    """
    room = token_budget - _NOTE_TOKENS
    panes = _within_reach(dropwhile(_is_answer, newest_first), room)
    if _tokens(panes, window) > room:
        window = _moved(panes, window, room // 2)
    shown = [pane.whole if pane.seq >= window.whole_from else pane.short for pane in panes if pane.seq >= window.start]
    history = for_model(shown)
    return View(window, _introduced(history) if window.start else history)


def _is_answer(numbered: tuple[int, Entry]) -> bool:
    return isinstance(numbered[1], Answer)


def _within_reach(newest_first: Iterable[tuple[int, Entry]], room: int) -> list[_Pane]:
    """Reads back to a person's message at least, and on until even the shortened results no longer fit.

    There always is such a message: the claim that let anybody read has written it.
    """
    panes: list[_Pane] = []
    tokens = 0
    has_message = False
    for seq, entry in newest_first:
        short = shortened(entry)
        whole_tokens = estimated_tokens(entry)
        short_tokens = whole_tokens if short is entry else estimated_tokens(short)
        panes.append(_Pane(seq, entry, short, whole_tokens, short_tokens))
        tokens += short_tokens
        has_message = has_message or isinstance(entry, UserMessage)
        if has_message and tokens > room:
            break
    return panes[::-1]


def _tokens(panes: Sequence[_Pane], window: Window) -> int:
    return sum(
        pane.whole_tokens if pane.seq >= window.whole_from else pane.short_tokens
        for pane in panes
        if pane.seq >= window.start
    )


def _moved(panes: Sequence[_Pane], window: Window, target: int) -> Window:
    """Moves the window on until it costs no more than `target`, or only the message being answered is left in it."""
    tokens = _tokens(panes, window)
    whole_from = window.whole_from
    for pane in panes[:-1]:  # the newest entry stays whole
        if tokens <= target:
            return Window(window.start, whole_from)
        if pane.seq >= whole_from:
            tokens -= pane.whole_tokens - pane.short_tokens
            whole_from = pane.seq + 1
    current = current_message([pane.whole for pane in panes])
    for index, pane in enumerate(panes):
        if index == current or (tokens <= target and isinstance(pane.whole, UserMessage)):
            return Window(pane.seq, whole_from)
        tokens -= pane.short_tokens
    return Window(window.start, whole_from)


def shortened(entry: Entry) -> Entry:
    """Returns a round with the beginnings of its long results only; every other entry as it is."""
    if not isinstance(entry, Round) or all(len(result.text) <= SHORT_CHARS for result in entry.results):
        return entry
    return replace(entry, results=tuple(replace(result, text=_beginning(result.text)) for result in entry.results))


def _beginning(text: str) -> str:
    kept = max(SHORT_CHARS, len(text) // SHORT_PART)
    mark = f"... [shortened: {len(text) - kept} characters of this old result left out; read it again if needed]"
    return f"{text[:kept]}{mark}" if kept + len(mark) < len(text) else text


def _introduced(history: list[Entry]) -> list[Entry]:
    """Says in one line that something is left out, before the first words of the person: every service takes it there.

    It never changes, for it stands at the beginning of all that could be cached.
    """
    if not history or not isinstance(first := history[0], UserMessage):
        return history  # damaged; its repair says the same
    return [UserMessage(f"{EARLIER}\n\n{first.text}"), *history[1:]]


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
