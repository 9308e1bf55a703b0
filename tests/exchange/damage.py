"""Damage to a file of runs: what every importer must read, or refuse in its own words."""

import copy
import random
from pathlib import Path
from typing import Any

from gaia_harness.exchange.importers import Importer
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun

JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "\ud800",
    "[",
    "{'a': 1}",
    [],
    {},
    [[[]]],
    {"type": "x"},
    [{"": None}],
)


def damaged(value: Any, chance: random.Random) -> Any:
    """A copy of a JSON value with one to three places dropped, replaced or doubled."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 3)):
        places = _places(value)
        if not places:
            return chance.choice(JUNK)
        parent, key = chance.choice(places)
        if chance.random() < 0.3:
            del parent[key]
        elif chance.random() < 0.2:
            parent[key] = copy.deepcopy(chance.choice(places)[0])
        else:
            parent[key] = copy.deepcopy(chance.choice(JUNK))
    return value


def cut(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a piece missing, or with a byte changed."""
    at = chance.randrange(len(data))
    if chance.random() < 0.5:
        return data[:at] + data[at + chance.choice((1, 5, 1 << 20)) :]
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def runs_of(importer: Importer, path: Path) -> tuple[list[NeutralRun], list[str]]:
    """The runs that are read with `--keep-going`, and what was refused. Any other exception passes."""
    refused: list[str] = []
    runs: list[NeutralRun] = []
    file = InputFile(path.name, path)
    assert importer.detect(file) in (True, False)
    try:
        runs.extend(importer.read(file, lambda error: refused.append(str(error))))
    except ImportRefused as error:
        refused.append(str(error))
    for run in runs:
        assert type(run) is NeutralRun
    return runs, refused


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        item = todo.pop()
        keys = list(item) if isinstance(item, dict) else range(len(item)) if isinstance(item, list) else ()
        found += [(item, key) for key in keys]
        todo += [item[key] for key in keys]
    return found
