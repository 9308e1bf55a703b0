"""What a text says to which a model was put: its sentences, the answers in it, and what is hidden in it."""

import binascii
import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import islice
from urllib.parse import unquote

from gaia_harness.audit.gold_forms import GoldForms, gold_forms, places_in
from gaia_harness.audit.oracle_leakage.verdicts import phrases
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

LONGEST, MOST_PIECES, MOST_CODES = 1 << 20, 2_000, 1_000
"""Characters of a text that are read, pieces that are compared with those of other tasks, and what looks like code;
real prompts have some ten KB."""

LEAD = 7
"""Words before an answer among which something announces it."""

SAID_AGAIN = 3
"""Words before an answer with which it stands in the question itself: there the question is said again."""

MOST_KEYS = 20
"""Places of a key that are looked at."""

TELLING, BETWEEN, A_GOLD = 3, 24, 14
"""Telling answers of different tasks that make a list of answers; words from one to the next, and on average."""

ASKED, _BREAK = "\ue001", "\ue000"
"""Characters of our own, which no text has: one stands for the task's question, one between pieces."""

_ENDS = (". ", "! ", "? ", ": ", "; ")
_DIGITS = bytes(0x23 if 0x30 <= code <= 0x39 else code for code in range(256))
_EITHER_CASE = re.compile(r"\[(\w)\w\]")  # as patterns have it
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_HEX = re.compile(r"[0-9A-Fa-f]+")


class Golds:
    """All answers of a run. The telling ones are found in a text in one pass."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        self.answers = list(dict.fromkeys(gold_forms(gold.answer) for gold in golds.values()))
        self._told = [each for each in self.answers if not each.common for _ in each.words]
        self._matcher = best_matcher([form for each in self.answers if not each.common for form in each.words])

    def find(self, words: bytes) -> list[tuple[GoldForms, int]]:
        """The telling answers in reduced words, and where each stands."""
        return [(self._told[phrase], start) for phrase, start in self._matcher.find(words)]


class Reading:
    """One text: its sentences and lines as reduced words."""

    def __init__(self, text: str) -> None:
        text = text[:LONGEST]
        self.text = text
        if "[" in text:
            text = _EITHER_CASE.sub(r"\1", text)
        for end in _ENDS:
            text = text.replace(end, end[0] + "\n")
        words = reduce(text.replace("\n", f" {_BREAK} "))
        self.pieces = [piece for piece in words.split(_BREAK.encode()) if len(piece) > 1]
        self.words = b"".join([piece[:-1] for piece in self.pieces]) + b" " if self.pieces else b""
        self._starts, at = [], 0
        for piece in self.pieces:
            self._starts.append(at)
            at += len(piece) - 1

    def piece_at(self, place: int) -> int:
        """Which piece a place in the words lies in."""
        return bisect_right(self._starts, place) - 1

    @cached_property
    def forms(self) -> list[int]:
        """A number for each piece: by its words whatever digits they have, with how many they are."""
        masked = b"\0".join(self.pieces[:MOST_PIECES]).translate(_DIGITS)
        while b"##" in masked:
            masked = masked.replace(b"##", b"#")
        return [_number(piece) << 16 | min(piece.count(b" ") - 1, 0xFFFF) for piece in masked.split(b"\0") if piece]

    @cached_property
    def hidden(self) -> list[tuple[str, "Reading"]]:
        """What stands in it in hex, in base64 or as in an address: that it can be read at all is no accident."""
        tokens = {each for each in _TOKEN.findall(self.text) if not (each.isalpha() and each[1:].islower())}
        runs = sorted(tokens)[:MOST_CODES]
        found = [(name, decode(run)) for run in runs for name, decode in (("hex", _hex), ("base64", _base64))]
        if self.text.count("%") >= 8:
            found.append(("url", unquote(self.text, errors="replace").encode()))
        return [(name, Reading(text)) for name, data in found if (text := _readable(data))]


reading_of = lru_cache(maxsize=64)(Reading)
"""A text, read: most prompts are those of the task before."""


def _number(piece: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(piece, digest_size=6).digest(), "big")


def form_behind(piece: bytes) -> int:
    """The number of a piece that stands behind a question, by all its words; it counts for no words."""
    return _number(b"?" + piece) << 16


def places(answer: GoldForms, words: bytes, asked: bytes, *, weak: bool = True) -> Iterator[tuple[int, bool]]:
    """Every place in reduced words at which an answer stands, and whether words before it announce it.

    Words that may announce one (`weak`) stand in files, too. Words of the question, said again, announce nothing.
    """
    known = phrases()
    cues = known.cues | known.weak_cues if weak else known.cues
    for form in answer.words:
        for at in places_in(words, form):
            lead = words[max(0, at - 80) : at + 1].split()[-LEAD:]
            again = b" " + b" ".join(lead[-SAID_AGAIN:]) + form in asked
            announced = False
            for word in () if again else reversed(lead):
                announced = announced or word in cues
                if announced or word not in known.fillers:
                    break
            yield at, announced


def keys_of(task_id: str) -> tuple[bytes, ...]:
    """What stands for a task in a table: its question; its id, or the first part of that."""
    name = reduce(task_id).split()
    keys = [[ASKED.encode()], name, [b"".join(name)]]
    keys += [name[:1]] if name and len(name[0]) >= 6 and not name[0].isalpha() else []
    return tuple(dict.fromkeys(b" " + b" ".join(key) + b" " for key in keys if key))


def ends_of(key: bytes, words: bytes) -> Iterator[int]:
    """Where a key ends in the words, of the first places."""
    return (at + len(key) - 1 for at in islice(places_in(words, key), MOST_KEYS))


def span_of_list(reading: Reading, golds: Golds, telling: int) -> tuple[int, int] | None:
    """Where a text has a list of answers: those of several tasks, with few words between one and the next.

    It has figures and words. A list of one kind (colours, places, years) may be about that kind.
    """
    group: list[tuple[GoldForms | None, int]] = []
    for gold, at in (*golds.find(reading.words), (None, -1)):
        if group and (gold is None or reading.words.count(b" ", group[-1][1], at) > BETWEEN):
            start, end = group[0][1], group[-1][1]
            answers = {each for each, _ in group if each is not None}
            kinds = {any(map(str.isdigit, each.plain)) for each in answers}
            size = reading.words.count(b" ", start, end)
            if len(answers) >= telling and len(kinds) == 2 and size <= A_GOLD * len(answers):
                return start, end
            group = []
        group.append((gold, at))
    return None


def _base64(run: str) -> bytes:
    run = run.replace("-", "+").replace("_", "/")
    return binascii.a2b_base64((run[:-1] if len(run) % 4 == 1 else run) + "===")


def _hex(run: str) -> bytes:
    return bytes.fromhex(run) if len(run) % 2 == 0 and _HEX.fullmatch(run) else b""


def _readable(data: bytes) -> str:
    """Bytes as text; nothing where they are none."""
    text = data.decode("utf-8", "replace")
    return text if len(text) >= 3 and "\ufffd" not in text and text.replace("\n", "").isprintable() else ""
