"""Test vectors made by others (tests/signing/data/README.md says by whom)."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "signing" / "data"


def vectors(name: str) -> Any:
    return json.loads((FOLDER / name).read_text())
