"""What keeps a function from starting, in one line that names the place."""

import traceback
from pathlib import Path

from local.template import ROOT


class InitError(Exception):
    """The function cannot be imported: a setting is wrong, or its code. The message says which."""


def init_error(error: Exception, code: Path) -> InitError:
    """Returns what a failed import says to a person.

    Args:
        error: what was raised. A settings error speaks for itself; another needs its place and kind to be understood.
        code: the function's folder; a place in it is where the mistake is, whoever noticed it.
    """
    words = " ".join(str(error).split())
    if type(error).__name__ == "SettingsError":
        return InitError(words)
    if isinstance(error, SyntaxError) and error.filename:
        return InitError(f"{_shown(error.filename)}:{error.lineno}: {type(error).__name__}: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if Path(frame.filename).is_relative_to(code)), frames[-1])
    return InitError(f"{_shown(place.filename)}:{place.lineno}: {type(error).__name__}: {words}")


def _shown(filename: str) -> str:
    path = Path(filename)
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else filename
