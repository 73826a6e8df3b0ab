"""What must hold when all is over, whoever was killed, asleep or late: rules S1 to S4, of the table and the record.

Each check yields what it finds broken, in a sentence. None of them knows how the harness does it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from scene import Stored
from script import USAGE, asked_for, question_of, step_of
from traces import Answered, Asked, Began, Claimed, Event, Failed

from rondas.history import Answer, Entry, Round, UserMessage
from rondas.store.items import StoredEntry


def broken(stored: Stored, events: Sequence[Event]) -> Iterator[str]:
    """Yields what is broken in a conversation whose messages have all been retried until they had an end."""
    yield from numbers(stored)
    yield from rounds_are_whole(entry.entry for entry in stored.entries)
    yield from _messages(stored)
    yield from _is_free(stored)
    yield from _effects(stored, events)
    yield from _questions(stored, events)
    yield from _claims(events)
    yield from _answers(stored, events)


def numbers(stored: Stored) -> Iterator[str]:
    """The entries are numbered without a gap."""
    found = [entry.seq for entry in stored.entries]
    if found != list(range(len(found))):
        yield f"the entries are numbered {found}"


def open_rounds(stored: Stored) -> Iterator[str]:
    """At any moment, only the last round may be open, and only for its effects (rules S2 and S4)."""
    for seq in stored.open_seqs:
        entry = stored.entries[seq].entry
        if seq != len(stored.entries) - 1 or not _saves(entry):
            yield f"round {seq} is stored without its results"


def kept(before: Stored, after: Stored) -> Iterator[str]:
    """What is stored whole stays as it is."""
    for entry in before.entries:
        if entry.seq not in before.open_seqs and entry not in after.entries:
            yield f"entry {entry.seq} was stored, and is no more what it was: {entry.entry}"


def rounds_are_whole(entries: Iterable[Entry]) -> Iterator[str]:
    """Each call has one result, in the order of the calls."""
    for entry in entries:
        if isinstance(entry, Round) and [call.id for call in entry.turn.calls] != [r.call_id for r in entry.results]:
            yield f"{entry.turn.text}: the results are not those of the calls"


def messages(entries: Iterable[StoredEntry]) -> list[list[StoredEntry]]:
    """Returns the entries of each message: what the person wrote and all up to the next."""
    found: list[list[StoredEntry]] = []
    for entry in entries:
        if isinstance(entry.entry, UserMessage) or not found:
            found.append([])
        found[-1].append(entry)
    return found


def as_shown(entries: Sequence[Entry]) -> list[Entry]:
    """Returns what the model should be shown of what is stored, all of it being small."""
    shown: list[Entry] = []
    groups = messages(StoredEntry(seq, entry, "", "") for seq, entry in enumerate(entries))
    for group in groups:
        person, *rest = (each.entry for each in group)
        kept = [each for each in rest if not (isinstance(each, Answer) and each.is_retryable)]
        end = rest[-1] if rest and group is not groups[-1] else None
        if isinstance(end, Answer) and end.is_retryable:
            if not kept:
                continue  # nothing was done and nothing was said
            kept.append(end)
        shown += [person, *kept]
    return shown


def _messages(stored: Stored) -> Iterator[str]:
    groups = messages(stored.entries)
    keys = [group[0].key for group in groups]
    if len(set(keys)) != len(keys):
        yield f"a message is stored twice: {keys}"
    if set(keys) != set(stored.requests):
        yield f"the messages are {keys}, and the request keys {sorted(stored.requests)}"
    for group in groups:
        for problem in _message(group, stored, is_last=group is groups[-1]):
            yield f"message {group[0].key}: {problem}"


def _message(group: Sequence[StoredEntry], stored: Stored, *, is_last: bool) -> Iterator[str]:
    key, steps = asked_for(group[0].entry)
    if any(entry.key != key for entry in group):
        yield "entries of another message lie in it"
    rounds = [entry.entry for entry in group if isinstance(entry.entry, Round)]
    if [step_of(each.turn.text) for each in rounds] != [(number, key) for number in range(1, len(rounds) + 1)]:
        yield f"its rounds are {[each.turn.text for each in rounds]}"
    *accounts, end = [entry.entry for entry in group if isinstance(entry.entry, Answer)] or [None]
    if not end or group[-1].entry is not end:
        yield "it does not end with an answer"
        return
    if not all(isinstance(account, Answer) and account.is_retryable for account in accounts):
        yield "it has several final answers"
    if end.status == "answered":
        if len(rounds) != steps or end.rounds != steps or not end.text.startswith(f"answer to {key} by "):
            yield f"it is answered after {len(rounds)} rounds with {end}"
        if end.usage != sum((USAGE for _ in range(steps)), USAGE):
            yield f"it is billed {end.usage}"
    elif end.reason == "interrupted" and not is_last:
        unknown = any(result.outcome == "unknown" for each in rounds for result in each.results)
        if ("took effect" in end.text) != unknown:
            yield f"the person is told {end.text!r}"
    elif not end.is_retryable:
        yield f"it ended with {end}"
    yield from _request_key(group, stored.requests.get(key, {}), end)


def _request_key(group: Sequence[StoredEntry], request: dict[str, str], end: Answer) -> Iterator[str]:
    state = "failed" if end.is_retryable else "done"
    expected = {"state": state, "message_seq": str(group[0].seq), "answer_seq": str(group[-1].seq)}
    found = {name: request.get(name) for name in expected}
    if found != expected:
        yield f"its key is {found}, not {expected}"


def _is_free(stored: Stored) -> Iterator[str]:
    left = stored.head.keys() & {"lease_until", "open_key", "open_seq"}
    if left:
        yield f"the head still has {sorted(left)}"
    if int(stored.head.get("next_seq", 0)) != len(stored.entries):
        yield f"the head's next entry is {stored.head.get('next_seq')} of {len(stored.entries)}"


def _effects(stored: Stored, events: Sequence[Event]) -> Iterator[str]:
    for group in messages(stored.entries):
        key = group[0].key
        effects = stored.effects.get(key, [])
        begun = {event.call_key for event in events if isinstance(event, Began) and event.key == key}
        results = [
            result
            for entry in group
            if isinstance(entry.entry, Round) and _saves(entry.entry)
            for call, result in zip(entry.entry.turn.calls, entry.entry.results, strict=False)
            if call.name == "save"
        ]
        end = group[-1].entry
        if len(effects) > 1:
            yield f"message {key} had its effect {len(effects)} times: {effects}"
        expected = min(1, asked_for(group[0].entry)[1])
        if isinstance(end, Answer) and end.status == "answered" and len(effects) != expected:
            yield f"message {key} is answered and had {len(effects)} effects"
        for result in results:
            if result.outcome == "done" and not any(f'"{effect}"' in result.text for effect in effects):
                yield f"message {key} tells of an effect that is not there: {result.text}"
        if begun and [result.outcome for result in results] not in (["done"], ["unknown"]):
            yield f"message {key} had begun an effect, of which is told: {results}"
    strangers = stored.effects.keys() - {group[0].key for group in messages(stored.entries)}
    if strangers:
        yield f"there are effects of messages that are not stored: {strangers}"


def _questions(stored: Stored, events: Sequence[Event]) -> Iterator[str]:
    """Who asks sees all that is stored, or nothing comes of it; no turn that is stored is asked for again."""
    replies = {question_of(_words(entry.entry)) for entry in stored.entries}
    for asked in (event for event in events if isinstance(event, Asked)):
        people = [entry for entry in asked.shown if isinstance(entry, UserMessage)]
        if not people or asked_for(people[-1])[0] != asked.key or not isinstance(asked.shown[-1], UserMessage | Round):
            yield f"question {asked.ask} is not about message {asked.key}"
        yield from rounds_are_whole(asked.shown)
        if asked.ask in replies and list(asked.shown) != as_shown(asked.stored):
            yield f"question {asked.ask} was asked without knowing what was stored, and its reply is stored"


def unknowing_questions(events: Iterable[Event]) -> Iterator[str]:
    """Where one process runs at a time, nobody asks without knowing all that is stored."""
    for asked in events:
        if isinstance(asked, Asked) and list(asked.shown) != as_shown(asked.stored):
            yield f"question {asked.ask} was asked without knowing what was stored"


def _claims(events: Sequence[Event]) -> Iterator[str]:
    fences = [event.fence for event in events if isinstance(event, Claimed)]
    if len(set(fences)) != len(fences):
        yield f"two runs held the same fence: {fences}"
    for event in events:
        if isinstance(event, Failed) and event.error == "LeaseLost" and event.found <= event.held:
            yield f"{event.run} lost its lease to nobody"


def _answers(stored: Stored, events: Sequence[Event]) -> Iterator[str]:
    """Whoever was given an answer was given the one that is stored; only who was told to try again may get another."""
    ends = {group[0].key: group for group in messages(stored.entries)}
    for event in events:
        if not isinstance(event, Answered):
            continue
        group = [entry.entry for entry in ends.get(event.key, [])]
        allowed = [each for each in group if isinstance(each, Answer) and each.is_retryable]
        if group and isinstance(group[-1], Answer):
            allowed += [group[-1], replace(group[-1], reason="")] if group[-1].is_retryable else [group[-1]]
        if event.answer not in allowed:
            yield f"{event.run} was given another answer to {event.key} than the stored one: {event.answer}"


def _saves(entry: Entry) -> bool:
    return isinstance(entry, Round) and any(call.name == "save" for call in entry.turn.calls)


def _words(entry: Entry) -> str:
    return entry.turn.text if isinstance(entry, Round) else entry.text
