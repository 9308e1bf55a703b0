import json
import math

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia_harness.errors import GaiaError
from gaia_harness.strict_json import MAX_DEPTH, MAX_INTEGER, JsonError, loads

seeded = settings(derandomize=True, deadline=None)  # a busy machine is no failure
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | text
)
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(text, inner, max_size=5))


@seeded
@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_what_json_writes_comes_back_and_can_be_canonicalised(value, ascii_only, indent):
    written = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert loads(written.encode(), where="x") == value
    assert loads(written, where="x") == value
    rfc8785.dumps(loads(written, where="x"))


@seeded
@given(st.binary(max_size=200))
def test_any_bytes_are_a_value_or_a_json_error(data):
    try:
        value = loads(data, where="x")
    except JsonError:
        return
    assert value == json.loads(data) and (not isinstance(value, float) or math.isfinite(value))


@seeded
@given(st.lists(st.sampled_from([*'{}[]",:01-.eE\\u"dD8cCnN ', '"a"', "null", "\\ud800"]), max_size=30))
def test_text_made_of_json_pieces_is_a_canonical_value_or_a_json_error(pieces):
    try:
        value = loads("".join(pieces), where="x")
    except JsonError:
        return
    rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"a": 1, "b": 2, "a": 1}', "the name 'a' stands twice"),
        (b'{"a": 1, "\\u0061": 2}', "the name 'a' stands twice"),
        (b'{"x": [{"deep": 1, "deep": 1}]}', "the name 'deep' stands twice"),
        (b"[NaN]", "NaN is not JSON"),
        (b"[-Infinity]", "-Infinity is not JSON"),
        (b"1e400", "too large"),
        (b"9007199254740992", "too large"),
        (b"-9007199254740992", "too large"),
        (b"1" * 100_000, "too large"),
        (b'"\\ud800"', "lone surrogate"),
        (b'{"\\udc00x": 1}', "lone surrogate"),
        (b'"\\ude00\\ud83d"', "lone surrogate"),
        (b'"\xff"', "invalid UTF-8 at position 1"),
        (b'"\xed\xa0\x80"', "invalid UTF-8"),
        (b"\xef\xbb\xbf1", "not JSON"),
        (b"", "not JSON"),
        (b"1 2", "not JSON"),
        (b'"\n"', "not JSON"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "nested deeper than 64"),
        (b'{"a":' * (MAX_DEPTH + 1) + b"1" + b"}" * (MAX_DEPTH + 1), "nested deeper than 64"),
        (b"[" * 1_000_000, "nested deeper than 64"),
        (b'[{"a":' * 500_000, "nested deeper than 64"),
    ],
)
def test_what_two_readers_could_read_differently_is_refused_with_its_place(data, words):
    with pytest.raises(JsonError) as caught:
        loads(data, where="file.jsonl:3")
    assert caught.value.message.startswith("file.jsonl:3: ")
    assert words in caught.value.message
    assert len(caught.value.message) < 200
    assert isinstance(caught.value, GaiaError)


def test_text_with_a_lone_surrogate_is_refused_too():
    with pytest.raises(JsonError, match="x: a lone surrogate at position 1"):
        loads('"\ud800"', where="x")


def test_the_limits_themselves_are_allowed():
    deepest = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert loads(deepest, where="x") == json.loads(deepest)
    assert loads(b"[[]," + deepest[1:], where="x") == [[], *json.loads(deepest)]
    assert loads(str(MAX_INTEGER), where="x") == MAX_INTEGER
    assert loads(str(-MAX_INTEGER), where="x") == -MAX_INTEGER
    assert loads(b'"\\ud83d\\ude00"', where="x") == "\N{GRINNING FACE}"
    assert loads(b'"\\\\ud800"', where="x") == "\\ud800"
    brackets = json.dumps(["[{" * 200] * 100)
    assert loads(brackets, where="x") == json.loads(brackets)
