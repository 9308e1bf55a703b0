"""Files to import from are read in pieces, and never trusted."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.exchange import inputs
from gaia_harness.exchange.inputs import ImportRefused, InputFile, parse

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a"\\[]{},\né'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('k"\\', max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(
    values=st.lists(VALUES, max_size=6),
    indent=st.none() | st.just(1),
    ascii_only=st.booleans(),
    piece=st.integers(1, 40),
)
def test_elements_of_an_array_are_what_a_reader_of_the_whole_finds(
    tmp_path_factory: pytest.TempPathFactory, values: list[Any], indent: int | None, ascii_only: bool, piece: int
) -> None:
    path = tmp_path_factory.mktemp("array") / "a.json"
    path.write_text(json.dumps(values, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "_READ", piece)
        found = [parse(data, "a.json") for _, data in InputFile("a.json", path).elements()]
    assert found == values


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is empty"),
        ("{}", "not a JSON array"),
        ('[{"a": 1}, {"b"', "ends inside element 2"),
        ("[1]]", "stands behind the end"),
        ("[1}", "a bracket too many in element 1"),
    ],
)
def test_a_broken_array_is_refused_with_its_place(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ImportRefused, match=fault):
        [parse(data, "a.json") for _, data in InputFile("a.json", path).elements()]


def test_an_element_that_is_too_large_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.write(b'["')
        file.truncate(1 << 33)  # a file with a hole: 8 GiB that take no room
    with pytest.raises(ImportRefused, match="element 1 is larger than 1 MiB"):
        list(InputFile("a.json", path).elements(limit=1 << 20))


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"[" * 100_000, "not JSON|nested deeper"),
        (b"[" * 250 + b"]" * 250, "nested deeper than 200"),
        (b'{"a": ', "not JSON"),
        (b'"\xff"', "invalid UTF-8 at byte 2"),
        (b"9" * 10_000, "a number that is too long|not JSON"),
    ],
)
def test_what_is_no_json_is_refused_in_one_line(data: bytes, fault: str) -> None:
    with pytest.raises(ImportRefused, match=fault) as refused:
        parse(data, "f.json:3")
    assert refused.value.message.startswith("f.json:3: ")


def test_numbers_of_other_writers_are_read() -> None:
    assert parse(b"[1760000000000000000, NaN, 1e3, -0.5]", "f") == [1760000000000000000, None, 1000.0, -0.5]
