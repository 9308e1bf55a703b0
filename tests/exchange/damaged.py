"""Files with something wrong in them, for property tests: an importer gives runs or refuses, and nothing else."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun

Read = Callable[[InputFile, OnFault], Iterator[NeutralRun]]

ODD_VALUES = st.sampled_from([None, True, 0, -1, 10**400, 1.5, "", "x", "\ud800", [], {}, [[]], [None], {"": None}])


def raise_it(error: ImportRefused) -> None:
    """What is done with a fault where nothing is to be skipped."""
    raise error


def runs_or_refusal(read: Read, path: Path) -> list[NeutralRun] | str:
    """What the importer makes of the file; every exception that is not a refusal is the test's to show."""
    try:
        return list(read(InputFile(path.name, path), raise_it))
    except ImportRefused as error:
        refusal = str(error)
    assert refusal.startswith(path.name)
    return refusal


@st.composite
def damaged_json(draw: st.DrawFn, value: Any) -> Any:
    """A copy of a JSON value in which one to three places are dropped or have something else in them."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(value))
        if places:
            holder, key = draw(st.sampled_from(places))
            if draw(st.booleans()):
                holder[key] = draw(ODD_VALUES)
            else:
                del holder[key]
    return value


@st.composite
def damaged_bytes(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with a part cut out, said twice or replaced by others."""
    begin, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
    middle = draw(st.just(b"") | st.just(data[begin:end] * 2) | st.binary(max_size=8))
    return data[:begin] + middle + data[end:]


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(inside):
        yield value, key
        yield from _places(inner)
