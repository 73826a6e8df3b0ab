"""What holds for all tests: no clock decides, and what a test has to say stands in the summary."""

import subprocess
from collections.abc import Callable
from typing import Any, cast

import pytest
from built import session_folder
from hypothesis import settings

SAID = "said"

# A slow machine is no mistake of the code.
settings.register_profile("rondas", deadline=None)
settings.load_profile("rondas")


@pytest.fixture
def say(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Puts a line of figures into the summary of the session, whichever process the test runs in."""

    def say(text: str) -> None:
        record_property(SAID, text)

    return say


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Writes what the tests have said."""
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == SAID:
                terminalreporter.write_line(str(text))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Throws away the builds that the processes of the session have shared: each is hundreds of megabytes."""
    if not hasattr(session.config, "workerinput"):
        factory: pytest.TempPathFactory = cast("Any", session.config)._tmp_path_factory
        builds = list(map(str, session_folder(factory).glob("build-*")))
        if builds:  # nobody has to wait for it
            subprocess.run(["sh", "-c", 'rm -rf "$@" &', "rm", *builds], start_new_session=True, check=True)
