"""What Lambda's runtime loads in an emulated slot: the function, and an answer for the server that wants it loaded.

`python -m awslambdaric local.emulated_main.handler` finds the function, as JSON, in the environment. In the cloud,
loading has time of its own; the emulator would count it in the first invocation's. So a thread loads the function, and
the server asks until it is there.
"""

import os
from concurrent.futures import Future
from threading import Thread
from typing import Any

from local.emulated_slot import FUNCTION, LIFELINE, LOADING, READY, WARM_UP, WARM_UP_SECONDS
from local.function import Loaded, load
from local.json_values import Json
from local.lifeline import hold
from local.template import Function

hold(int(os.environ[LIFELINE]))
_loaded: Future[Loaded] = Future()


def _load() -> None:
    try:
        _loaded.set_result(load(Function.from_json(os.environ[FUNCTION])))
    except BaseException as error:  # noqa: BLE001 - told to the server when it asks
        _loaded.set_exception(error)


Thread(target=_load, name="load", daemon=True).start()


def handler(event: Json, context: Any) -> Any:
    """What Lambda's runtime calls."""
    if event != WARM_UP:
        return _loaded.result().handler(event, context)
    try:
        _loaded.result(WARM_UP_SECONDS)
    except TimeoutError:
        return LOADING
    return READY
