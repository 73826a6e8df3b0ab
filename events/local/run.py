"""`make run`: invokes the chat function with a sample event and prints the rounds as they happen and the reply."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from local.console import FIRST_SERVER_ERROR, OK, Console
from local.engine import EngineError
from local.environment import of_function, prepared, set_defaults
from local.event import EventError, read_events
from local.function import InitError, Loaded, load
from local.json_values import Json
from local.template import ROOT, TEMPLATE, Template, TemplateError

SAMPLE = ROOT / "events" / "ask.json"


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
        with prepared(template):
            chat = load_chat(template, console)
            return max(invoke(chat, event, console) for event in events)
    except (EngineError, InitError) as error:
        return fail(error)


def load_chat(template: Template, console: Console) -> Loaded:
    """Loads the function behind the first route for messages, with the console looking on.

    Raises:
        InitError: it cannot be imported, or there is none.
    """
    posts = [route for route in template.routes if route.method == "POST" and route.path.endswith("/messages")]
    if not posts:
        raise InitError("the template has no route POST …/messages")
    function = template.functions[posts[0].function]
    if not os.environ.get("LOG_LEVEL"):
        set_defaults({"POWERTOOLS_LOG_LEVEL": "WARNING"})  # what went well, the console says
    set_defaults(of_function(function))
    loaded = load(function)
    loaded.module.agent.watchers.add(console)
    return loaded


def invoke(loaded: Loaded, event: Json, console: Console, *, echo: bool = True) -> int:
    """Invokes the function with an event and prints what comes; returns 1 if the function failed, else 0."""
    console.begin(event if echo else None)
    started = time.monotonic()
    try:
        with redirect_stdout(sys.stderr):  # standard output is for the person
            response = loaded.invoke(event)
    except Exception as error:  # noqa: BLE001 - what Lambda does: the invocation failed, the runner has not
        response = {"statusCode": FIRST_SERVER_ERROR, "body": f"{type(error).__name__}: {error}"}
    console.response(response, time.monotonic() - started)
    return 0 if int(response.get("statusCode", OK)) < FIRST_SERVER_ERROR else 1


def fail(error: Exception, code: int = 1) -> int:
    """Prints an error for a person and returns the exit code."""
    print(f"error: {error}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
