"""What a text says to which a model was put: its sentences, the answers in it, and what is hidden in it."""

import binascii
import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate, islice

from gaia_harness.audit.gold_forms import LEAST_CODED, GoldForms, gold_forms, places_in
from gaia_harness.audit.oracle_leakage.phrases import phrases
from gaia_harness.evidence.matcher import Matcher, best_matcher
from gaia_harness.evidence.views import from_json
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

LONGEST, MOST_PIECES, MOST_CODES, MOST_PLACES = 1 << 20, 2_000, 1_000, 50  # of a text; real ones have some ten KB
LEAD = 7  # words before an answer among which something announces it
SAID_AGAIN = 3  # words before an answer with which it stands in the question itself: there that is said again
LEAST_GAPPED = 4  # letters of a word that is looked for with gaps
LISTED, NEAR = 3, 400  # telling answers that make a list, and bytes on each side in which they stand
ASKED, _BREAK = "\ue001", "\ue000"  # characters of our own, for the task's question and between pieces

_DIGITS = bytes(0x23 if 0x30 <= code <= 0x39 else code for code in range(256))
_EITHER = re.compile(r"\[([^\W\d_])(?i:\1)\]")  # a letter, large or small, in a pattern or a grammar
_CLOSING_TAG = re.compile(r"</\w{1,20}>")  # ends a piece, and says nothing
_GAPPED = re.compile(r"(?<![\w?*])\w*[_*?#•·□][\w*?#•·□-]*")
_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8,128}(?![0-9A-Za-z])")
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{8,}")


class Golds:
    """All answers of a run, the telling ones of which are found in a text in one pass."""

    def __init__(self, golds: Iterable[Gold]) -> None:
        answers = [gold_forms(gold.answer) for gold in golds]
        self._forms = {form: each for each in answers if not each.common for form in each.words}
        self._answers = list(self._forms.values())

    @cached_property
    def _matcher(self) -> Matcher:
        return best_matcher(list(self._forms))

    def are_listed(self, words: bytes, answer: GoldForms) -> bool:
        """Whether an answer stands in a list of answers: several telling ones, with few words between.

        It has figures and words. A list of one kind (colours, places, years) may be about that kind.
        """
        for at in islice((at for form in answer.words for at in places_in(words, form)), MOST_PLACES):
            near = words[max(0, at - NEAR) : at + NEAR]
            found = {self._answers[n] for n in self._matcher.which(near[near.find(b" ") : near.rfind(b" ") + 1])}
            if len(found) >= LISTED and len({any(map(str.isdigit, each.plain)) for each in found}) == 2:
                return True
        return False


class Reading:
    """One text: its sentences and lines as reduced words."""

    def __init__(self, text: str) -> None:
        self.text = text[:LONGEST]
        text = _EITHER.sub(r"\1", from_json(self.text)).replace("\nA: ", "\nAnswer: ")
        text = _CLOSING_TAG.sub("\n", text)
        for end in ".!?:;":
            text = text.replace(f"{end} ", f"{end}\n")
        words = reduce(text.replace("\n", f" {_BREAK} "))
        self.pieces = [piece for piece in words.split(_BREAK.encode()) if len(piece) > 1]
        self.words = b"".join([piece[:-1] for piece in self.pieces]) + b" " if self.pieces else b""
        self._starts = list(accumulate((len(piece) - 1 for piece in self.pieces), initial=0))[:-1]

    def piece_at(self, place: int) -> int:
        """Which piece a place in the words lies in."""
        return bisect_right(self._starts, place) - 1

    @cached_property
    def keys(self) -> list[int]:
        """A number for each piece, the same for the same words whatever digits they have; see `words_of`."""
        masked = b"\0".join(self.pieces[:MOST_PIECES]).translate(_DIGITS)
        while b"##" in masked:
            masked = masked.replace(b"##", b"#")
        return [_key(piece, piece.count(b" ") - 1) for piece in masked.split(b"\0") if piece]

    @cached_property
    def digests(self) -> set[str]:
        """How the runs of hex in it begin that may be digests: eight digits, and sixteen."""
        runs = [run.lower() for run in islice(_HEX.findall(self.text), MOST_CODES)]
        return {run[:size] for run in runs for size in (8, 16)}

    @cached_property
    def gapped(self) -> set[str]:
        """Its words in which signs may stand for letters."""
        return set(islice(_GAPPED.findall(self.text.lower()), MOST_CODES))

    def has_with_gaps(self, answer: GoldForms) -> bool:
        """Whether the words of an answer stand there with up to half of their letters blank, as in a crossword."""
        words = [word for word in answer.plain.split() if len(word) >= LEAST_GAPPED]
        if not self.gapped or len("".join(words)) < LEAST_CODED:
            return False
        shown = [max((_shown(word, each) for each in self.gapped), default=0) for word in words]
        whole = [word in self.text.lower() for word in words]  # as it is
        letters = sum(len(word) if there else some for word, some, there in zip(words, shown, whole, strict=True))
        fits = all(some or there for some, there in zip(shown, whole, strict=True)) and not all(whole)
        return fits and 2 * letters >= len("".join(words))

    @cached_property
    def hidden(self) -> list["Reading"]:
        """What stands in it in base64: that it can be read at all is no accident."""
        runs = {each for each in _TOKEN.findall(self.text) if not (each.isalpha() and each[1:].islower())}
        return [Reading(text) for run in sorted(runs)[:MOST_CODES] if (text := _decoded(run))]


reading_of = lru_cache(maxsize=64)(Reading)
"""A text, read: most prompts are those of the task before."""


def _key(piece: bytes, words: int) -> int:
    """A hash of a piece, and in its last 16 bits how many words it has."""
    return int.from_bytes(hashlib.blake2b(piece, digest_size=6).digest(), "big") << 16 | min(words, 0xFFFF)


def words_of(key: int) -> int:
    """How many words the piece with this key has."""
    return key & 0xFFFF


def key_behind_question(piece: bytes) -> int:
    """The key of a piece that stands behind a question, by all its words; it counts for no words."""
    return _key(b"?" + piece, 0)


def places(answer: GoldForms, words: bytes, asked: bytes) -> Iterator[tuple[int, bool]]:
    """Every place in reduced words at which an answer stands, and whether words before it announce it.

    Words of the question, said again, announce nothing.
    """
    known = phrases()
    for form in answer.words:
        for at in places_in(words, form):
            lead = words[max(0, at - 80) : at + 1].split()[-LEAD:]
            again = b" " + b" ".join(lead[-SAID_AGAIN:]) + form in asked
            word = next((word for word in reversed(lead) if word in known.cues or word not in known.fillers), b"")
            yield at, word in known.cues and not again


def _shown(word: str, gapped: str) -> int:
    """How many letters of a word another shows that has gaps; none, if it does not fit."""
    if len(word) != len(gapped):
        return 0
    same = sum(map(str.__eq__, word, gapped))
    return same if all(a == b or not b.isalnum() for a, b in zip(word, gapped, strict=True)) else 0


def _decoded(run: str) -> str:
    """A run of base64 as text; nothing where it is none."""
    run = run.replace("-", "+").replace("_", "/")
    data = binascii.a2b_base64((run[:-1] if len(run) % 4 == 1 else run) + "===")
    text = data.decode("utf-8", "replace")
    return text if len(text) >= 3 and "\ufffd" not in text and text.replace("\n", "").isprintable() else ""
