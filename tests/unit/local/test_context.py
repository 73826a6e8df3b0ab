import time
from pathlib import Path

import pytest

from local.context import Context
from local.template import Function


def test_the_time_that_remains_runs_out_and_never_goes_below_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    # given
    context = Context.of(Function("Chat", Path("code"), "app.handler", 28, 512, {}))
    clock = iter([context.started + 2.5, context.started + 100])
    # when
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    # then
    assert context.get_remaining_time_in_millis() == 25_500
    assert context.get_remaining_time_in_millis() == 0


def test_it_says_what_lambda_says() -> None:
    context = Context("Chat", 28, 512)
    assert context.invoked_function_arn.endswith(":function:Chat")
    assert (context.memory_limit_in_mb, context.function_version) == (512, "$LATEST")
    assert context.aws_request_id != Context("Chat", 28).aws_request_id
