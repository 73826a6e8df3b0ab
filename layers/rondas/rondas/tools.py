"""What a tool is: one typed function, its arguments and its result described by pydantic models."""

import functools
import inspect
import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, overload

from pydantic import BaseModel, ConfigDict

from rondas.schema import Json, schema_of
from rondas.text import LESS

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Arguments(BaseModel):
    """Base of a tool's arguments, and of the models in them.

    A field the tool does not know is a mistake, not something to ignore, and so is a number without end: JSON can
    write one, as 1e999.
    """

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, allow_inf_nan=False)


class ToolMistake(Exception):  # noqa: N818 - named after what the model did
    """The call cannot be carried out for a reason the model should know. The text goes to the model as it is."""


@dataclass(frozen=True, slots=True)
class ToolContext:
    """All that a tool is told beside its arguments.

    Attributes:
        user: the person, as the identity provider names them.
        key: names this call for ever, also when the run is resumed after a crash. A tool with an effect uses it to
            make its write happen once (rule S4).
        seconds: how long the tool may take; it is stopped then.
    """

    user: str
    key: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call.

    Attributes:
        name: what the model calls it by, `[a-zA-Z0-9_-]{1,64}`.
        description: what it does and when to use it, for the model.
        arguments: the model its arguments are validated against.
        result: the model of what it returns; what this does not name, the model service never sees.
        function: takes the validated arguments and the context, returns what the model needs to see.
        effect: whether it changes something; its turn is stored before it runs.
        max_chars: beyond this its result is cut; None for the limit of all tools, which no tool exceeds.
        more: how to ask for the rest of a result that was cut, as a sentence for the model.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    function: Callable[[Any, ToolContext], BaseModel]
    effect: bool = False
    max_chars: int | None = None
    more: str = LESS

    def schema(self) -> Json:
        """Returns the JSON schema of the arguments, as every model service takes it; not to be changed."""
        return schema_of(self.arguments)


type ToolFunction[A: BaseModel] = Callable[[A, ToolContext], BaseModel] | Callable[[A], BaseModel]


@overload
def tool[A: BaseModel](function: ToolFunction[A]) -> Tool: ...
@overload
def tool[A: BaseModel](
    *, effect: bool = False, max_chars: int | None = None, more: str = LESS
) -> Callable[[ToolFunction[A]], Tool]: ...
def tool[A: BaseModel](
    function: ToolFunction[A] | None = None, *, effect: bool = False, max_chars: int | None = None, more: str = LESS
) -> Tool | Callable[[ToolFunction[A]], Tool]:
    """Makes a tool of a typed function: its name, its docstring, its argument model, its result model.

    The function takes the argument model and, if it wants it, a `ToolContext`; it returns a pydantic model that names
    what the model needs to see of the result. The annotation is the contract: of a subclass only the fields of the
    annotated model are shown, and what is not that model is the tool's fault. Fields that are None are not shown.

    Args:
        function: the function, when used as a bare `@tool`.
        effect: whether the function changes something.
        max_chars: beyond this its result is cut, in characters; no more than the limit of all tools counts.
        more: how to ask for the rest of a result that was cut, as a sentence, such as "Ask for a shorter period.".

    Raises:
        TypeError: the function has no docstring, no pydantic model as its first parameter or as its result, a name
            that not every model service takes, or arguments that not every one can be told (see `schema_of`).
    """

    def made(function: ToolFunction[A]) -> Tool:
        return _tool(function, effect=effect, max_chars=max_chars, more=more)

    return made if function is None else made(function)


def _tool(function: Callable[..., BaseModel], *, effect: bool, max_chars: int | None, more: str) -> Tool:
    name = getattr(function, "__name__", "tool")
    if not _NAME.fullmatch(name):
        raise TypeError(f"tool {name} needs another name: 1 to 64 of a-z, A-Z, 0-9, '_' and '-'")
    description = inspect.getdoc(function)
    if not description:
        raise TypeError(f"tool {name} needs a docstring: it is what the model reads")
    hints = typing.get_type_hints(function)
    parameters = [hints.get(parameter) for parameter in inspect.signature(function).parameters]
    if not parameters or not _is_model(parameters[0]):
        raise TypeError(f"tool {name} must take a pydantic model as its first parameter")
    if not _is_model(hints.get("return")):
        raise TypeError(f"tool {name} must be annotated to return a pydantic model: it names what the model sees")
    schema_of(parameters[0])  # what cannot be told to a model service is better known now
    takes_context = len(parameters) > 1
    return Tool(
        name,
        description,
        arguments=parameters[0],
        result=hints["return"],
        function=function if takes_context else _alone(function),
        effect=effect,
        max_chars=max_chars,
        more=more,
    )


def _is_model(hint: Any) -> typing.TypeGuard[type[BaseModel]]:
    return isinstance(hint, type) and issubclass(hint, BaseModel) and hint is not BaseModel


def _alone(function: Callable[[Any], BaseModel]) -> Callable[[Any, ToolContext], BaseModel]:
    """Adapts a function that wants no context."""

    @functools.wraps(function)
    def call(arguments: Any, _context: ToolContext) -> BaseModel:
        return function(arguments)

    return call
