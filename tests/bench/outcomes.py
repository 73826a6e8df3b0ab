"""What became of a message that went wrong, as a person reads it."""

from bench.lineup import NAMES
from bench.markdown import MISSING, cell, table
from bench.peers.task import ANSWER
from bench.worker import Json

WHOLE_RUN, REST_OF_IT = 11, 6
"""Model calls of a message with ten rounds, and of its rest after the fifth."""

KEPT = 5


def outcomes(results: Json) -> str:
    """Returns the section of limits, kills and double sends, of the phases that were run."""
    phases = {
        "limit": ("limit of ten, and a model that never stops", limit),
        "crash": ("killed in round 5", crash),
        "double": ("sent twice at once", double),
    }
    run = {phase: one for phase, one in phases.items() if phase in results}
    names = list(results[next(iter(run))])
    rows = [[NAMES[name], *(tell(results[phase][name]) for phase, (_, tell) in run.items())] for name in names]
    return f"## When something happens\n\n{table(['', *(title for title, _ in run.values())], rows, figures=False)}"


def limit(one: Json) -> str:
    """Tells what came of the limit."""
    gets = "the model's closing words" if one["gets"] == ANSWER else _quoted(one["gets"])
    return f"{one['model_calls']} model calls; the caller gets {gets}; {_next(one['next'])}"


def crash(one: Json) -> str:
    """Tells what came of a kill."""
    calls = one["same"]["model_calls"]
    again = {REST_OF_IT: "goes on after round 5", WHOLE_RUN: "is run from its beginning"}.get(calls, "is answered")
    same = (
        f"the same message {again} ({calls} model calls)" if one["same"]["answered"] else _broken(one["same"]["error"])
    )
    kept = f"{one['next']['results']} of {KEPT} rounds kept"
    return f"{kept}; {_next(one['next'])}; {same}"


def double(one: Json) -> str:
    """Tells what came of a message that was sent twice."""
    waited = f", {one['told_to_wait']} told to wait" if one["told_to_wait"] else ""
    errors = f", the other gets {_quoted(one['errors'][0])}" if one["errors"] else ""
    made = f"{one['model_calls']} model calls, {one['answered']} answered{waited}{errors}"
    stored = f"the question is stored {_times(one['next']['questions'])}, with {one['next']['results']} of 2 results"
    return f"{made}; {stored}; {_next(one['next'])}"


def _next(after: Json) -> str:
    return "the next message works" if after["answered"] else _broken(after["error"])


def _broken(error: str) -> str:
    return f"**the conversation is broken**: {cell(error)}"


def _quoted(text: str) -> str:
    kind, colon, rest = text.partition(": ")
    return f"{kind}: {cell(rest, 70)}" if colon and " " not in kind.removeprefix("an error") else f"“{cell(text, 90)}”"


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, MISSING)
