"""The boundary between the model and the tools: what comes in is checked, what goes out is cut and cleaned.

Nothing the model does wrong and nothing a tool does wrong ends the run (rule L10): each becomes a result that says
what was wrong and what would be right.
"""

import inspect
import json
import logging
import traceback
from collections.abc import Iterable, Iterator
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from rondas.excerpt import written
from rondas.history import ToolCall, ToolResult
from rondas.interrupt import OutOfTime, out_of_time_after
from rondas.render import Unfit, rendered
from rondas.text import cut, readable
from rondas.tools import Tool, ToolContext, ToolMistake

logger = logging.getLogger(__name__)

DEFAULT_MAX_CHARS = 12_000
"""About 2 600 tokens of prose, 3 300 of names in JSON, 4 600 of dates and numbers in JSON.

Measured on such results with four tokenizers (cl100k, o200k, Claude 2's, DeepSeek's): 4.6 to 4.7, 3.4 to 4.0 and 2.6 to
2.7 characters a token. A recorded call says the same: Gemini counts 72 tokens for 192 characters of arguments.
"""

_OWN_FAULT = "The tool failed for a reason of its own, not because of its arguments."
_UNKNOWN_EFFECT = "Whether it took effect is unknown."
_UNSHOWN = "The tool ran to its end, but its result cannot be shown, for a reason of its own."

_MOST_PROBLEMS = 5


class Toolbox:
    """The tools of an app, in the order in which they are shown to the model.

    Args:
        tools: the tools.
        max_chars: beyond this a result is cut.

    Raises:
        TypeError: two tools have the same name.
    """

    def __init__(self, tools: Iterable[Tool], *, max_chars: int = DEFAULT_MAX_CHARS) -> None:
        self._tools: dict[str, Tool] = {}
        self._max_chars = max_chars
        for tool in tools:
            if tool.name in self._tools:
                raise TypeError(f"there are two tools called {tool.name}")
            self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool]:
        return iter(self._tools.values())

    def for_user(self, user: str) -> "UserTools":
        """Returns the tools as one person's run may use them."""
        return UserTools(self, user)

    def has_effect(self, name: str) -> bool:
        """Whether the tool changes something; an unknown one changes nothing."""
        tool = self._tools.get(name)
        return tool is not None and tool.effect

    def run(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Runs one call and returns its result, which may be the account of a mistake.

        Raises:
            OutOfTime: the tool did not come back within `context.seconds`.
        """
        try:
            tool, arguments = self._checked(call)
            with out_of_time_after(context.seconds):
                text = rendered(tool, tool.function(arguments, context), self._limit(tool))
        except ToolMistake as mistake:
            return ToolResult(call.id, cut(readable(str(mistake)), self._max_chars), "failed")
        except Unfit as unfit:
            return self._unshown(call, unfit)
        except (OutOfTime, KeyboardInterrupt):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever else a tool raises, the run goes on
            # The message of the error may hold the person's words or a secret: where it was raised is enough.
            where = traceback.extract_tb(error.__traceback__)[-1]
            logger.warning("tool %s raised %s at %s:%s", call.name, type(error).__name__, where.filename, where.lineno)
            if self.has_effect(call.name):  # it may have failed after its effect
                return ToolResult(call.id, f"{_OWN_FAULT} {_UNKNOWN_EFFECT}", "unknown")
            return ToolResult(call.id, _OWN_FAULT, "failed")
        return ToolResult(call.id, text)

    def _checked(self, call: ToolCall) -> tuple[Tool, BaseModel]:
        tool = self._tools.get(call.name)
        if tool is None:
            raise ToolMistake(f"There is no tool {call.name!r}. The tools are: {', '.join(self._tools)}.")
        return tool, _arguments(tool, call.arguments)

    def _limit(self, tool: Tool) -> int:
        return min(tool.max_chars or self._max_chars, self._max_chars)

    def _unshown(self, call: ToolCall, unfit: Unfit) -> ToolResult:
        tool = self._tools[call.name]
        function = inspect.unwrap(tool.function)
        where = getattr(function, "__qualname__", tool.name)
        logger.warning(
            "tool %s returned what cannot be shown: %s in %s.%s", tool.name, unfit, function.__module__, where
        )
        return ToolResult(call.id, _UNSHOWN, "unknown" if tool.effect else "failed")


class UserTools:
    """The toolbox in the hands of one person: what the loop runs calls with."""

    def __init__(self, toolbox: Toolbox, user: str) -> None:
        self._toolbox = toolbox
        self._user = user

    def has_effect(self, name: str) -> bool:
        """Whether the tool changes something."""
        return self._toolbox.has_effect(name)

    def run(self, call: ToolCall, *, key: str, seconds: float) -> ToolResult:
        """Runs one call; see `Toolbox.run`."""
        return self._toolbox.run(call, ToolContext(self._user, key, seconds))


def _arguments(tool: Tool, text: str) -> BaseModel:
    """Validates what the model wrote; an empty text means no arguments."""
    try:
        value = json.loads(text.strip() or "{}", parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise ToolMistake(f"The arguments are invalid JSON. {_expected(tool)}") from None
    if not isinstance(value, dict):
        raise ToolMistake(f"The arguments must be a JSON object. {_expected(tool)}")
    try:
        return tool.arguments.model_validate(cast("dict[str, Any]", value))
    except ValidationError as error:
        raise ToolMistake(f"The arguments do not fit. {_problems(error)}. {_expected(tool)}") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _problems(error: ValidationError) -> str:
    """Names each field that does not fit and what it expects; the first few, for the rest is mostly the same again."""
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    named = [f"{_field(problem['loc'])}: {problem['msg']}" for problem in problems[:_MOST_PROBLEMS]]
    more = len(problems) - len(named)
    return "; ".join([*named, f"and {more} more"] if more else named)


def _field(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "arguments"


def _expected(tool: Tool) -> str:
    return f"Expected: {written(tool.schema())}"
