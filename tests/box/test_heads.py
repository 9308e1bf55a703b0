"""Heads of requests, by properties: sound ones pass whatever pieces they come in, unsound ones never do."""

import h11
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.box.heads import LARGEST_HEAD, HeadReader

NAMES = st.from_regex(r"[Xx]-[A-Za-z0-9]{1,8}", fullmatch=True)
VALUES = st.from_regex(r"[!-~]{0,12}", fullmatch=True)
REQUEST = "POST /a?b=c HTTP/1.1"
FRAMED = st.sampled_from(("Content-Length: 5", "content-length:5", "Transfer-Encoding: chunked", "X-Last: 1"))


@st.composite
def sound_lines(draw):
    """The lines of a head that has one length or coding at most."""
    lines = [f"{name}: {value}" for name, value in draw(st.lists(st.tuples(NAMES, VALUES), max_size=5))]
    lines.insert(draw(st.integers(0, len(lines))), draw(FRAMED))
    return [REQUEST, "Host: web.test", *lines]


def head_of(lines, ends="\r\n"):
    return "".join(line + ends for line in (*lines, "")).encode()


@st.composite
def pieces_of(draw, data):
    cuts = sorted(draw(st.lists(st.integers(0, len(data)), max_size=6)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def read(pieces):
    head = HeadReader()
    for piece in pieces:
        if head.feed(piece):
            break
    return head


@given(st.data(), sound_lines())
def test_a_sound_head_passes_in_whatever_pieces_and_h11_reads_the_same_lines(data, lines):
    whole = head_of(lines)
    head = read(data.draw(pieces_of(whole)))
    assert head.complete and head.size == len(whole) and bytes(head.data) == whole
    http = h11.Connection(h11.SERVER)
    http.receive_data(bytes(head.data))
    request = http.next_event()
    found = [f"{name.decode().lower()}:{value.decode()}" for name, value in request.headers.raw_items()]
    parts = [line.partition(":") for line in lines[1:]]
    assert found == [f"{name.lower()}:{value.strip()}" for name, _, value in parts]


@given(st.data(), sound_lines())
def test_what_can_be_read_in_two_ways_never_passes(data, lines):
    at = data.draw(st.integers(1, len(lines)))
    length = next((line for line in lines if line.lower().startswith("content-length")), "Content-Length: 5")
    coding = "Transfer-Encoding: chunked"
    bad = data.draw(st.sampled_from(("bare", "folded", "twice", "both", "list", "spaced")))
    if bad == "bare":
        at = data.draw(st.integers(0, len(lines)))
        whole = b"".join(line.encode() + (b"\n" if n == at else b"\r\n") for n, line in enumerate((*lines, "")))
    else:
        more = {
            "folded": [data.draw(st.sampled_from((" x: 1", "\tx: 1", " ", "\t")))],
            "twice": [length, length],
            "both": [length, coding],
            "list": ["Content-Length: 5, 5"],
            "spaced": ["Content-Length : 5", "Content-Length: 5"],
        }[bad]
        whole = head_of([*lines[:at], *more, *lines[at:]])
    with pytest.raises(h11.RemoteProtocolError) as refused:
        read(data.draw(pieces_of(whole)))
    assert refused.value.error_status_hint == 400


@given(st.binary(max_size=300), st.data())
def test_any_bytes_are_a_head_an_error_or_not_yet_whole(noise, data):
    try:
        head = read(data.draw(pieces_of(noise)))
    except h11.RemoteProtocolError:
        return
    assert head.complete == (b"\r\n\r\n" in noise)
    if head.complete:
        assert noise[: head.size].endswith(b"\r\n\r\n") and b"\r\n\r\n" not in noise[: head.size - 1]


def test_a_head_has_an_end():
    with pytest.raises(h11.RemoteProtocolError) as refused:
        read([b"x" * 1000] * (LARGEST_HEAD // 1000 + 2))
    assert refused.value.error_status_hint == 431
    with pytest.raises(h11.RemoteProtocolError):
        HeadReader().feed(b"GET / HTTP/1.1\r\nX: " + b"x" * LARGEST_HEAD + b"\r\n\r\n")
