"""What of the lab is tried in `make test`, and what only in `make test-all`."""

from pathlib import Path

import pytest

ALWAYS = {"test_lab_live.py", "test_lab_making.py", "test_lab_world.py"}
"""The lab's machinery. The other files only make each case once: they are worth it when a case or the lab changes."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if item.path.parent == here and item.path.name not in ALWAYS:
            item.add_marker(pytest.mark.cases)
