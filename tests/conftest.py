"""What holds for all tests: no clock decides, and what a test has to say stands in the summary."""

from collections.abc import Callable

import pytest
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
