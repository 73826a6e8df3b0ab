"""`make chat`: a conversation in the terminal, through the function and its tables as in the cloud."""

import importlib
import sys
import uuid
from contextlib import suppress

from local.console import Console, be_lenient
from local.engine import EngineError
from local.environment import PERSON, prepared
from local.event import message_event
from local.function import Loaded
from local.run import fail, function_of, invoke, load_watched, nobody_reads_on
from local.start_errors import InitError
from local.template import Template, TemplateError

PROMPT = "\nyou> "
ENDINGS = {"exit", "quit", "salir"}


def main() -> int:
    """Talks until the person leaves; returns the exit code."""
    console = Console()
    be_lenient(sys.stdin)
    with suppress(ImportError):
        importlib.import_module("readline")  # arrow keys, where there are any
    try:
        template = Template.read()
        with prepared(template, names_models=True):
            _talk(load_watched(function_of(message_event("", "", PERSON), template), console), console)
    except (EngineError, InitError, TemplateError) as error:
        return fail(error)
    except KeyboardInterrupt:
        print()
    except BrokenPipeError:
        return nobody_reads_on()
    return 0


def _talk(chat: Loaded, console: Console) -> None:
    conversation = str(uuid.uuid4())
    print('Ask away. "exit" or Ctrl-D ends.', flush=True)
    while (text := _line()) is not None:
        if text:
            invoke(chat, message_event(conversation, text, PERSON), console, echo=False)


def _line() -> str | None:
    """Returns what the person writes; None when they are leaving."""
    try:
        text = input(PROMPT).strip()
    except EOFError:
        print()
        return None
    if not sys.stdin.isatty():
        print(text, flush=True)  # no terminal has shown what was typed
    return None if text.lower() in ENDINGS else text


if __name__ == "__main__":
    sys.exit(main())
