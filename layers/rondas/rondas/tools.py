"""What a tool is: one typed function, its arguments and its result described by pydantic models."""

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast, overload

from pydantic import BaseModel, ConfigDict


class Arguments(BaseModel):
    """Base of a tool's arguments: a field the tool does not know is a mistake, not something to ignore."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


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
        function: takes the validated arguments and the context, returns what the model needs to see.
        effect: whether it changes something; its turn is stored before it runs.
    """

    name: str
    description: str
    arguments: type[BaseModel]
    function: Callable[[Any, ToolContext], BaseModel]
    effect: bool = False

    def schema(self) -> dict[str, Any]:
        """Returns the JSON schema of the arguments, without the titles pydantic adds."""
        return cast("dict[str, Any]", _without_titles(self.arguments.model_json_schema()))


type ToolFunction[A: BaseModel] = Callable[[A, ToolContext], BaseModel] | Callable[[A], BaseModel]


@overload
def tool[A: BaseModel](function: ToolFunction[A]) -> Tool: ...
@overload
def tool[A: BaseModel](*, effect: bool) -> Callable[[ToolFunction[A]], Tool]: ...
def tool[A: BaseModel](
    function: ToolFunction[A] | None = None, *, effect: bool = False
) -> Tool | Callable[[ToolFunction[A]], Tool]:
    """Makes a tool of a typed function: its name, its docstring, its argument model.

    The function takes the argument model and, if it wants it, a `ToolContext`; it returns a pydantic model that names
    what the model needs to see of the result.

    Args:
        function: the function, when used as a bare `@tool`.
        effect: whether the function changes something.

    Raises:
        TypeError: the function has no docstring, or its first parameter is no pydantic model.
    """
    if function is None:
        return lambda function: _tool(function, effect=effect)
    return _tool(function, effect=effect)


def _tool(function: Callable[..., BaseModel], *, effect: bool) -> Tool:
    name = getattr(function, "__name__", "tool")
    description = inspect.getdoc(function)
    if not description:
        raise TypeError(f"tool {name} needs a docstring: it is what the model reads")
    hints = typing.get_type_hints(function)
    parameters = [hints.get(parameter) for parameter in inspect.signature(function).parameters]
    if not parameters or not (isinstance(parameters[0], type) and issubclass(parameters[0], BaseModel)):
        raise TypeError(f"tool {name} must take a pydantic model as its first parameter")
    return Tool(name, description, parameters[0], function if len(parameters) > 1 else _alone(function), effect)


def _alone(function: Callable[[Any], BaseModel]) -> Callable[[Any, ToolContext], BaseModel]:
    """Adapts a function that wants no context."""

    def call(arguments: Any, _context: ToolContext) -> BaseModel:
        return function(arguments)

    return call


def _without_titles(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_titles(item) for item in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    items = cast("dict[str, Any]", schema)
    return {
        key: {name: _without_titles(sub) for name, sub in value.items()}
        if key in {"properties", "$defs"}
        else _without_titles(value)
        for key, value in items.items()
        if not (key == "title" and isinstance(value, str))
    }
