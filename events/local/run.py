"""`make run`: invokes a function with the events of a file and prints the rounds as they happen and the answers."""

import argparse
import io
import os
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from local.console import FIRST_SERVER_ERROR, OK, Console, show_warnings
from local.engine import EngineError
from local.environment import of_function, prepared, set_defaults
from local.event import EventError, arriving, queue_of, read_events, route_key
from local.function import Loaded, load
from local.json_values import Json
from local.start_errors import InitError
from local.template import ROOT, TEMPLATE, Function, Template, TemplateError

SAMPLE = ROOT / "events" / "ask.json"
INTERRUPTED = 130  # as a shell says it: 128 and the number of SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="run", description=__doc__)
    parser.add_argument("event", nargs="?", type=Path, default=SAMPLE, help="a JSON file: an event or a list of them")
    parser.add_argument("--template", type=Path, default=TEMPLATE)
    options = parser.parse_args(arguments)
    try:
        events = read_events(options.event)
        template = Template.read(options.template)
    except (EventError, TemplateError) as error:
        return fail(error, code=2)
    console = Console()
    try:
        with prepared(template, names_models=True):
            functions = [function_of(event, template) for event in events]
            loaded = {name: load_watched(found, console) for name, found in {f.name: f for f in functions}.items()}
            return max(
                invoke(loaded[function.name], arriving(event), console)
                for function, event in zip(functions, events, strict=True)
            )
    except (EngineError, InitError) as error:
        return fail(error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return nobody_reads_on()


def function_of(event: Json, template: Template) -> Function:
    """Returns the function that gets an event: the one that reads its queue, or the one behind its route.

    Raises:
        InitError: there is none.
    """
    if queue := queue_of(event):
        names = [source.function for source in template.sources if source.queue == queue]
    else:
        names = [route.function for route in template.routes if route.key == route_key(event)]
    if not names:
        missing = f"function that reads {queue}" if queue else f"route {route_key(event)}"
        raise InitError(f"the template has no {missing}")
    return template.functions[names[0]]


def load_watched(function: Function, console: Console) -> Loaded:
    """Loads a function, with the console looking on where there is something to see.

    Raises:
        InitError: it cannot be imported.
    """
    as_json = bool(os.environ.get("LOG_LEVEL") or os.environ.get("POWERTOOLS_LOG_LEVEL"))  # who asks for it, gets it
    set_defaults({"POWERTOOLS_LOG_LEVEL": os.environ.get("LOG_LEVEL") or "WARNING"})
    set_defaults({"POWERTOOLS_METRICS_DISABLED": "true"} | of_function(function))
    loaded = load(function)
    if agent := getattr(loaded.module, "agent", None):
        if not as_json:
            show_warnings(console)
        agent.watchers.add(console)
    return loaded


def invoke(loaded: Loaded, event: Json, console: Console, *, echo: bool = True) -> int:
    """Invokes the function with an event and prints what comes; returns 1 if the function failed, else 0."""
    console.begin(event if echo else None, loaded.function.name)
    started = time.monotonic()
    payload: Json | None = None
    error = ""
    try:
        with _prints_on_standard_error():  # standard output is for the person
            payload = loaded.invoke(event)
    except Exception as failure:  # noqa: BLE001 - what Lambda does: the invocation failed, the runner has not
        error = f"{type(failure).__name__}: {failure}"
    seconds = time.monotonic() - started
    if queue_of(event):
        console.delivered(error, seconds)
        return 1 if error else 0
    response = {"statusCode": FIRST_SERVER_ERROR, "body": error} if error else payload or {}
    console.response(response, seconds)
    return 0 if int(response.get("statusCode", OK)) < FIRST_SERVER_ERROR else 1


class _Prints(io.TextIOBase):
    """What a function prints, handed on without its metrics, which nobody collects here."""

    rest = ""

    def write(self, text: str) -> int:
        *lines, self.rest = (self.rest + text).split("\n")
        for line in lines:
            if not line.startswith('{"_aws":'):
                print(line, file=sys.stderr)
        return len(text)


@contextmanager
def _prints_on_standard_error() -> Generator[None]:
    prints = _Prints()
    with redirect_stdout(prints):
        yield
    if prints.rest:
        prints.write("\n")


def nobody_reads_on() -> int:
    """Ends quietly when standard output was closed, as by `head`; returns the exit code."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for the last flush
    return 1


def fail(error: Exception, code: int = 1) -> int:
    """Prints an error for a person and returns the exit code."""
    print(f"error: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
