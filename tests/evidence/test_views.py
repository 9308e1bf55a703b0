"""Copies that are hidden by an encoding."""

import base64
import codecs
import re
import textwrap
from urllib.parse import quote

import pytest
from evidence_samples import ANSWER, QUESTION, filler, look
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.evidence.views import BUDGET, views
from gaia_harness.evidence.wording import reduce

LEAK = f"{QUESTION} Final answer: {ANSWER}."


def entities(text: str) -> str:
    return "".join(f"&#{ord(c)};" for c in text)


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def captions(text: str) -> str:
    lines = textwrap.wrap(text, 25)
    return "\n" + "\n".join(f"00:{second:02}:{2 * second:02}.480 --> 00:07 {line}" for second, line in enumerate(lines))


ENCODINGS = {
    "captions": captions,
    "captions in brackets": lambda text: re.sub(r"00:(\d\d):\S+ --> 00:07", r"[\1:07]", captions(text)),
    "entities": entities,
    "hex entities": lambda text: "".join(f"&#x{ord(c):x};" for c in text),
    "nbsp": lambda text: text.replace(" ", "&nbsp;"),
    "url": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "url, words only": quote,
    "url with plus": lambda text: quote(text, safe=" ").replace(" ", "+"),
    "json": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "json newlines": lambda text: text.replace(" ", "\\n"),
    "string escapes": lambda text: "".join(f"\\x{ord(c):02x}" for c in text),
    "base64": b64,
    "base64 without padding": lambda text: b64(text).rstrip("="),
    "base64 in lines": lambda text: "\n".join(textwrap.wrap(b64(text), 76)),
    "base64 in indented lines": lambda text: "\r\n  ".join(textwrap.wrap(b64(text), 64)),
    "base64, safe for addresses": lambda text: base64.urlsafe_b64encode(("ÿþ?" * 4 + text).encode()).decode(),
    "base64 of utf-16": lambda text: base64.b64encode(text.encode("utf-16-le")).decode(),
    "base64 glued to a path": lambda text: "data/xy" + b64(text),
    "hex": lambda text: text.encode().hex(),
    "hex with prefix": lambda text: "0x" + text.encode().hex().upper(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "zero width": lambda text: "\u200b".join(text),
    "soft hyphens": lambda text: "\u00ad".join(text),
    "full width": lambda text: "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text),
}
LAYERS = [
    ("base64", "base64"),
    ("base64", "hex"),
    ("hex", "base64"),
    ("entities", "base64"),
    ("base64", "entities"),
    ("url", "base64"),
    ("base64", "url"),
    ("json", "url"),
    ("url", "json"),
    ("entities", "url"),
    ("json newlines", "entities"),
    ("rot13", "base64"),
    ("reversed", "hex"),
    ("base64 in lines", "json"),
]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_encoded_copy_is_found_and_shown_decoded(encoding):
    found = look(f"{filler(900)}\n{ENCODINGS[encoding](LEAK)}\n{filler(900)}")
    assert found.scan.copy >= 0.5
    assert found.flagged
    shown = reduce(" ".join(window.text for window in found.windows))
    assert reduce(ANSWER) in shown


@pytest.mark.parametrize(("inner", "outer"), LAYERS)
def test_two_layers_are_undone(inner, outer):
    found = look(f"{filler(100)}\n{ENCODINGS[outer](ENCODINGS[inner](LEAK))}\n{filler(100)}")
    assert found.scan.copy >= 0.5
    assert any("+" in reading for reading in found.scan.readings)


def test_harmless_escapes_of_every_kind_hide_no_copy():
    bait = "a &amp; b %41%42%43%44 \\n \\u0041 " * 50
    for encoding in ("base64", "hex", "entities", "url", "json"):
        assert look(bait + ENCODINGS[encoding](LEAK)).scan.copy >= 0.5, encoding


def test_a_long_question_in_base64_is_kept_to_its_end():
    padded = f"{filler(200, seed=3)} {LEAK}"
    found = look(b64(padded))
    assert ANSWER in " ".join(window.text for window in found.windows)
    assert all(window.offset == 0 and window.view == "base64" for window in found.windows)


def test_an_encoded_copy_says_where_it_stands():
    text = f"ä{filler(300)}\n{b64(LEAK)}\n"
    (window, *_) = [window for window in look(text).windows if window.view == "base64"]
    assert text.encode()[window.offset :].startswith(b64(LEAK).encode())


def test_an_echo_in_an_encoding_is_no_copy():
    found = look(f'<a href="/search?q={quote(QUESTION)}">again</a>', sent=QUESTION)
    assert (found.scan.copy, found.scan.echo) == (0.0, 1.0)


def test_data_that_only_looks_encoded_is_nothing():
    picture = base64.b64encode(bytes(range(256)) * 20).decode()
    found = look(f"data:image/png;base64,{picture} {'deadbeef' * 40} {'-' * 200}")
    assert not found.flagged
    assert found.scan.readings == ()


@pytest.mark.parametrize(
    "bait",
    ["&#" + "9" * 6_000 + ";", "&#x" + "f" * 6_000, "&#", "&" * 500, "%" * 500, "%zz%%%", "\\u",
     "\\ud800\\udfff\\ud83d", "\\x", "=" * 90, "A" * 41, "0x" + "f" * 43, "\ud800" * 50, "%ED%A0%80" * 9],
)  # fmt: skip
def test_bait_for_decoders_is_read_without_a_crash(bait):
    assert look(f"{bait} {LEAK} {bait}").scan.copy == 1.0


@given(st.text(alphabet=st.sampled_from('&#x;%41\\u0nab"Az+/=_- \n\ud800é'), max_size=300))
def test_any_text_has_a_bounded_amount_of_readings(text):
    assert sum(len(view.text) for view in views(text)) <= BUDGET * len(text)
