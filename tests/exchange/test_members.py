"""Large JSON objects are read in pieces, and never trusted."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.exchange import inputs
from gaia_harness.exchange.inputs import ImportRefused, InputFile, parse
from gaia_harness.exchange.members import members, named

VALUES = st.recursive(
    st.none() | st.integers() | st.text('a"\\[]{},\né'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('k"\\', max_size=3), inner, max_size=4),
    max_leaves=8,
)


@given(
    value=st.dictionaries(
        st.sampled_from(["rows", "a", 'b"\\', "more"]),
        st.lists(VALUES, max_size=4) | st.dictionaries(st.text('k"', max_size=3), VALUES, max_size=3) | VALUES,
    ),
    indent=st.none() | st.just(1),
    piece=st.integers(1, 40),
)
def test_members_are_what_a_reader_of_the_whole_finds(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, Any], indent: int | None, piece: int
) -> None:
    path = tmp_path_factory.mktemp("object") / "o.json"
    path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
    found: dict[str, Any] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inputs, "_READ", piece)
        for key, number, data in members(InputFile("o.json", path), {"rows", "more"}):
            if number and isinstance(value[key], dict):
                name, inner = named(data, "o.json")
                found.setdefault(key, {})[name] = parse(inner, "o.json")
            elif number:
                found.setdefault(key, []).append(parse(data, "o.json"))
            else:
                found[key] = parse(data, "o.json")
    empty = {key for key in ("rows", "more") if value.get(key) in ([], {})}  # they have nothing to give
    assert found == {key: inner for key, inner in value.items() if key not in empty}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "not a JSON object"),
        ("[]", "not a JSON object"),
        ('{"a": 1', "ends in the middle"),
        ('{"rows": [1, {"a": 2', "ends in the middle of element 2 of `rows`"),
        ('{"a": 1}}', "stands behind its end"),
        ('{"rows": [1] 2}', "stands behind a value"),
        ('{"rows": [1}', "a bracket too many of element 1"),
        ("{1: 2, 3}", "a member without a name"),
    ],
)
def test_a_broken_object_is_refused_with_its_place(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "o.json"
    path.write_text(text)
    with pytest.raises(ImportRefused, match=fault):
        list(members(InputFile("o.json", path), {"rows"}))


def test_an_element_that_is_too_large_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "o.json"
    path.write_text(json.dumps({"rows": ["x" * 100]}))
    with pytest.raises(ImportRefused, match="element 1 of `rows` is larger"):
        list(members(InputFile("o.json", path), {"rows"}, limit=50))
