"""An error of ours as the log may have it: what and where it was, without its words, which may be a person's.

Over HTTP the resolver answers what is raised. What a function for a queue raises, Lambda itself writes to the log, with
the error's text: an argument that could not be read, a row that was not expected.
"""

import traceback
from collections.abc import Generator
from contextlib import contextmanager


class UnexpectedError(Exception):
    """Stands for an error whose words are nobody's business."""


def place(error: BaseException) -> str:
    """Returns where an error was raised: the last three steps, the innermost first."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    return " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(frames))


@contextmanager
def wordless(*known: type[Exception]) -> Generator[None]:
    """Raises `UnexpectedError` in place of every error but those `known`, whose texts are ours."""
    try:
        yield
    except known:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is
        raise UnexpectedError(f"{type(error).__name__} at {place(error)}") from None
