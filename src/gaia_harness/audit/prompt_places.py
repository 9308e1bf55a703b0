"""Locates a finding within a prompt, so that a person can look at it."""

import re
from collections.abc import Callable, Iterator

import msgspec

from gaia_harness.audit.findings import excerpt
from gaia_harness.audit.given_texts import sentences
from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.hidden_texts import is_digest_of
from gaia_harness.evidence.wording import reduce

MOST_LINES = 2_000
BEFORE = 80
"""Characters of a sentence before the answer that an excerpt shows."""

_BETWEEN = r"[\s*,()\"“”„«»—–]+"


class Found(msgspec.Struct, frozen=True):
    """A place in a text, in characters, and what may be shown of it."""

    at: int
    shown: str = ""


def answer_in(text: str, sentence: str, forms: GoldForms, answer: str) -> Found | None:
    """Where an answer stands, with what stands before it in its sentence: the answer itself is never shown."""
    start = text.find(sentence)
    if start < 0:  # the question stood in the middle of it
        return beginning_of(text, sentence)
    literal = re.search(re.escape(answer.strip()), sentence, re.IGNORECASE)
    if literal is None:
        return Found(start)
    before = excerpt(sentence, max(0, literal.start() - BEFORE), literal.start())
    shown = "" if forms.stands_in(reduce(before)) else f"{before} […]".strip()
    return Found(start + literal.start(), shown)


def sentence_in(text: str, is_it: Callable[[bytes], bool]) -> Found | None:
    """The first sentence whose words are what is looked for."""
    return next((Found(at) for at, part in sentences(text) if is_it(reduce(part))), None)


def line_in(text: str, is_it: Callable[[str], bool]) -> Found | None:
    """The first line that is what is looked for, read by itself."""
    at = 0
    for line in text.split("\n")[:MOST_LINES]:
        if line.strip() and is_it(line):
            return Found(at)
        at += len(line) + 1
    return None


def digest_in(text: str, digests: tuple[str, ...], answer: str, task_id: str) -> Found | None:
    """Where the one of these digests stands that is the answer's."""
    while len(digests) > 1:
        half, other = digests[: len(digests) // 2], digests[len(digests) // 2 :]
        digests = half if is_digest_of(half, answer, task_id) else other
    at = text.lower().find(digests[0].lower())
    return Found(at) if at >= 0 else None


def words_in(text: str, words: str) -> Found | None:
    """Where words stand that were found without marks, in lower case and between single spaces."""
    each = words.split()
    if not each:
        return None
    pattern = _BETWEEN.join(re.escape(word).replace("'", "['’]") for word in each[:20])
    match = re.search(pattern, text, re.IGNORECASE)
    return None if match is None else Found(match.start())


def beginning_of(text: str, part: str) -> Found | None:
    """Where the first line of a part stands, which may have gaps where the question was."""
    for line in _lines(part):
        at = text.find(line)
        if at >= 0:
            return Found(at)
    return None


def _lines(text: str) -> Iterator[str]:
    return (line for line in map(str.strip, re.split(r"\n| {2,}", text)) if line)


def in_bytes(text: str, at: int) -> int:
    """A place in characters as one in bytes."""
    return at if text.isascii() else len(text[:at].encode("utf-8", "replace"))
