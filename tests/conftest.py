"""What `make test-all` does more than `make test`; and property tests find the same cases every time, untimed.

The machines they run on are busy. Facts of edited sources are made anew.
"""

import os
from contextlib import suppress

import pytest
from hypothesis import settings

import thoroughness
from gaia_harness.audit.source_facts import FILE_NAME, read_facts
from gaia_harness.signing.intent import source_sha256
from ready_python import ADDRESS, Ready
from scripts.source_facts import SOURCE, write

FULL = settings(derandomize=True, deadline=None)
settings.register_profile("thorough", FULL)
settings.register_profile("steady", FULL, max_examples=40)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--thorough", action="store_true", help="every example of a property; every `gaia` started anew")
    parser.addoption("--redraw", action="store_true", help="keep the picture of the page that a test draws for README")


def pytest_configure(config: pytest.Config) -> None:
    thoroughness.asked = config.getoption("--thorough")
    settings.load_profile("thorough" if thoroughness.asked else "steady")
    if not hasattr(config, "workerinput"):
        _renew_facts()
        ready = Ready()
        os.environ[ADDRESS] = ready.address  # for the workers too
        config.add_cleanup(ready.close)


def _renew_facts() -> None:
    """Renew the facts of edited sources, for otherwise every audit skips AUD-8 and AUD-9. A test tells of it."""
    facts = read_facts(SOURCE / "audit" / FILE_NAME)
    if facts is not None and facts.source_sha256 == source_sha256():
        return
    os.environ["STALE_SOURCE_FACTS"] = "1"
    with suppress(OSError):  # a checkout that may not be written
        write()
