"""What Lambda's runtime loads in an emulated slot: the function, and an answer for the server that wants it loaded.

`python -m awslambdaric local.emulated_main.handler` finds the function, as JSON, in the environment.
"""

import os
from typing import Any

from local.emulated_slot import FUNCTION, LIFELINE, WARM_UP
from local.function import load
from local.json_values import Json
from local.lifeline import hold
from local.template import Function

hold(int(os.environ[LIFELINE]))
_handle = load(Function.from_json(os.environ[FUNCTION])).handler


def handler(event: Json, context: Any) -> Any:
    """What Lambda's runtime calls."""
    return "ready" if event == WARM_UP else _handle(event, context)
