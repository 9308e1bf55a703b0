"""Heads in bytes, cut between characters; hashes of everything."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.records.excerpt import cut, to_bytes

ANY_TEXT = st.text(alphabet=st.characters(), max_size=60)


@given(ANY_TEXT, st.integers(min_value=0, max_value=120))
def test_head_is_the_longest_prefix_that_splits_no_character(text, limit):
    data = text.encode("utf-8", "surrogatepass")
    head = cut(data, limit)
    assert data.startswith(head)
    assert len(head) <= limit
    kept = head.decode("utf-8", "surrogatepass")
    assert text.startswith(kept)
    if len(kept) < len(text):
        assert len(to_bytes(text[: len(kept) + 1])) > limit


@given(st.binary(max_size=60), st.integers(min_value=0, max_value=64))
def test_bytes_that_are_no_text_lose_at_most_three(data, limit):
    head = cut(data, limit)
    assert data.startswith(head)
    assert min(limit, len(data)) - 3 <= len(head) <= limit or len(head) == len(data)


@pytest.mark.parametrize(("text", "limit", "head"), [("aé", 2, "a"), ("aé", 3, "aé"), ("€€", 5, "€"), ("😀", 3, "")])
def test_limits_count_bytes_not_characters(text, limit, head):
    assert cut(text.encode(), limit).decode() == head
