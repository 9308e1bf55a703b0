"""Hostile outputs cost the scan no more than their length: four times the text, about four times the work."""

import base64

import pytest
from evidence_samples import ANSWER, OTHER, QUESTION, TASK, filler, look

import thoroughness
from counted_work import calls_of, no_stall
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.evidence.redaction import Redactor

KB = 1_000 if thoroughness.asked else 300
NESTED = f"{QUESTION} {ANSWER}"
for _ in range(8):
    NESTED = base64.b64encode(NESTED.encode()).decode()

HOSTILE = {
    "one long run": lambda n: "A" * n,
    "one long run of hex": lambda n: "0a" * (n // 2),
    "short runs of base64": lambda n: ("Zm9vYmFyIGJheiBxdXV4IGNvcmdlIGdyYXVsdCBnYQ " * n)[:n],
    "short runs that are cut": lambda n: ("A" * 39 + " ") * (n // 40),
    "lines of base64": lambda n: ("QUJD" * 19 + "\n") * (n // 77),
    "copies of the question": lambda n: (QUESTION + " ") * (n // len(QUESTION)),
    "task ids": lambda n: f"{TASK} {OTHER} " * (n // 74),
    "signatures": lambda n: "task_id final answer ground truth " * (n // 34),
    "entities": lambda n: "&amp;" * (n // 5),
    "escaped entities": lambda n: "&amp;amp;amp;" * (n // 13),
    "percent": lambda n: "%41" * (n // 3),
    "percent of percent": lambda n: "%2541" * (n // 5),
    "backslashes": lambda n: "\\" * n,
    "nested encodings": lambda n: (NESTED + " ") * (n // len(NESTED) + 1),
    "spaces": lambda n: " " * n,
    "no spaces, another script": lambda n: "語" * (n // 3),
    "combining marks": lambda n: "e" + "\u0301" * (n // 2),
    "invisible": lambda n: "\u200b" * (n // 3) + QUESTION,
    "bytes that are no text": lambda n: b"\xff" * n,
}


def work(text, sent: str) -> int:
    """Calls, and some for what is done once, whatever the text is."""
    return 100 + calls_of(lambda: look(text, sent=sent))


@pytest.mark.parametrize("kind", HOSTILE)
def test_four_times_the_text_is_about_four_times_the_work(kind):
    make = HOSTILE[kind]
    assert work(make(240 * KB), QUESTION) < 6 * work(make(60 * KB), QUESTION)
    with no_stall():
        look(make(1000 * KB), sent=QUESTION)


def test_much_that_was_sent_and_much_that_comes_back_is_not_their_product():
    words = QUESTION.split()
    parts = " ; ".join(" ".join(words[i : i + 6]) for i in range(len(words) - 6))
    small, large = (f"{parts} {filler(20)} " * count for count in (20, 80))
    assert work(large, large) < 6 * work(small, small)
    with no_stall():
        look(large * 4, sent=large * 4)


def test_addresses_made_to_be_slow_are_not():
    bait = ["/" + "results" * 280, "/datasets/" * 200, "gaia-" * 400, "%25" * 660, "/runs/" + "a" * 1_900]
    with no_stall():
        for url in bait:
            shapes([url] * 20)


def test_text_made_to_look_like_secrets_is_masked_in_little_time():
    with no_stall():
        for bait in ("-----BEGIN PRIVATE KEY-----" * 400, "eyJ" * 4_000, "sk-" * 4_000, "-----BEGIN " + "A " * 5_000):
            Redactor(["k" * 20]).mask(bait)
