"""A function loaded into this process and invoked as the Lambda runtime does it."""

import importlib
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

from local.context import Context
from local.environment import make_importable
from local.json_values import Json
from local.start_errors import InitError, init_error
from local.template import Function


@dataclass(frozen=True, slots=True)
class Loaded:
    """An imported function."""

    function: Function
    module: ModuleType
    handler: Callable[[Json, Context], Any]

    def invoke(self, event: Json) -> Any:
        """Returns the payload for an event, after the round trip through JSON that Lambda makes of it."""
        payload = self.handler(json.loads(json.dumps(event)), Context.of(self.function))
        return json.loads(json.dumps(payload))


def load(function: Function) -> Loaded:
    """Imports a function's module, which reads its settings.

    Raises:
        InitError: the import failed.
    """
    make_importable(function.code)
    name, _, attribute = function.handler.rpartition(".")
    name = name.replace("/", ".")
    sys.modules.pop(name, None)  # another function's may have the same name
    try:
        module = importlib.import_module(name)
        handler = cast("Callable[[Json, Context], Any]", getattr(module, attribute))
    except SystemExit as error:
        raise InitError(f"the function ended itself with {error.code!r}") from error
    except Exception as error:
        raise init_error(error, function.code) from error
    return Loaded(function, module, handler)
