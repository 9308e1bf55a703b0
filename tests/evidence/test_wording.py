"""Words are the same whether a text is read as a whole or, with few characters beyond ASCII, around these."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.evidence import wording

PLAIN = "a few words of a longer text, in which little else than plain letters stands. " * 8
TEXTS = st.text(st.sampled_from("aZ 1.\n") | st.characters(min_codepoint=0x80), max_size=40)


def as_a_whole(text: str) -> bytes:
    return b" ".join(wording._beyond_ascii(text).translate(wording._WORDS).split())


@given(TEXTS)
def test_around_few_characters_the_words_are_those_of_the_whole(text):
    assert wording.reduce(PLAIN + text + PLAIN).strip() == as_a_whole(PLAIN + text + PLAIN)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Cafe\u0301 and café", "café and café"),  # an accent of its own joins the letter before it
        ("AΣ and AΣa", "aς and aσa"),  # a capital sigma has two small forms, by what stands behind it
        ("har\u200bbour", "harbour"),
        ("3½ \u2013 \ufb01ne", "31 2 fine"),
        ("灯台 keeper", "灯 台 keeper"),
    ],
)
def test_a_character_that_needs_its_neighbours_has_them(text, words):
    assert wording.reduce(f"{PLAIN}{text} {PLAIN}").count(f" {words} ".encode()) == 1
    assert wording.reduce(text) == f" {words} ".encode()
