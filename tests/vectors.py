"""Test vectors made by others, which are not part of the project: where they are, or the reason to skip."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("GAIA_TEST_VECTORS") or Path(__file__).parents[1].parent / "shared" / "data" / "vectors")


def vectors(name: str) -> Any:
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"{path} is not there (set GAIA_TEST_VECTORS)")
    return json.loads(path.read_text())
