"""Properties of what is made of a model's words."""

import json

from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.models.content import clean, clean_json, parse_arguments, sendable_name, unique_ids
from gaia_harness.models.messages import Assistant, Request, ToolCall

any_text = st.text(st.characters(exclude_categories=()))  # lone surrogates included
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=8,
)


@given(any_text)
def test_clean_text_can_be_encoded_and_good_text_stays(text):
    clean(text).encode()
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert clean(text) == text


@given(json_values)
def test_clean_json_can_be_encoded(value):
    json.dumps(clean_json(value), ensure_ascii=False).encode()


@given(any_text | json_values.map(json.dumps))
def test_arguments_are_an_object_that_can_be_encoded_or_nothing(raw):
    args = parse_arguments(raw)
    assert args is None or isinstance(args, dict)
    json.dumps(args, ensure_ascii=False, allow_nan=False).encode()


@given(any_text)
def test_every_name_becomes_sendable(name):
    sent = sendable_name(name)
    assert 1 <= len(sent) <= 64
    assert all(character.isascii() and (character.isalnum() or character in "_-") for character in sent)


@given(
    st.lists(st.sampled_from(["call_1", "call_2", "call_3"]), unique=True),
    st.lists(st.sampled_from(["call_1", "call_2", "call_4", "", None, 3, "\ud800", "x" * 999]), max_size=8),
)
def test_call_ids_are_unique_over_the_conversation(before, proposed):
    calls = tuple(ToolCall(call_id, "t", "{}", {}) for call_id in before)
    ids = unique_ids(proposed, Request(messages=(Assistant("", calls),)))
    assert len(ids) == len(proposed)
    assert len({*before, *ids}) == len(before) + len(ids)
