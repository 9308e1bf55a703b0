"""Beginnings of texts as a step keeps them: of bounded length, and without secrets."""

import hashlib

import msgspec

from gaia_harness.evidence.redaction import LOOK_AROUND, Redactor
from gaia_harness.records.excerpt import cut, to_bytes


class Kept(msgspec.Struct, frozen=True):
    """A text, the hash of its bytes, and its head, in which so many secrets are masked."""

    sha256: str
    data: bytes
    head: str
    truncated: bool
    redactions: int


def excerpt(content: str | bytes, limit: int, redactor: Redactor) -> Kept:
    """A text with a head of at most so many bytes of it."""
    data = to_bytes(content) if isinstance(content, str) else content
    head = cut(data, limit)
    # the text goes on behind the head so that a secret across the cut is seen whole
    shown = data[: limit + 4 * LOOK_AROUND].decode("utf-8", "replace")
    masked, count = redactor.mask(shown, 0, len(head.decode("utf-8", "replace")))
    return Kept(hashlib.sha256(data).hexdigest(), data, masked, len(head) < len(data), count)
