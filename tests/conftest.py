"""What `make test-all` does more than `make test`; and property tests find the same cases every time, untimed.

The machines they run on are busy.
"""

import pytest
from hypothesis import settings

import thoroughness

FULL = settings(derandomize=True, deadline=None)
settings.register_profile("thorough", FULL)
settings.register_profile("steady", FULL, max_examples=40)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="every example of a property; every `gaia` started anew")


def pytest_configure(config: pytest.Config) -> None:
    thoroughness.asked = config.getoption("--thorough")
    settings.load_profile("thorough" if thoroughness.asked else "steady")
