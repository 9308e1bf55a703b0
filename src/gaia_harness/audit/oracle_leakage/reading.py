"""A text that a model was given, in pieces, and what stands in it: the answer, announced or in disguise, or a list."""

import binascii
import hashlib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import accumulate, islice

import msgspec

from gaia_harness.audit.gold_forms import GoldForms, gold_forms, places_in, steps_of
from gaia_harness.audit.phrases import Words, phrases_of
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.views import from_json
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

LONGEST, MOST_PIECES, MOST_CODES = 1 << 20, 2_000, 1_000  # of a text; real ones have some ten KB
LEAD = 7  # words before an answer among which something announces it
BEGINNING, PIECES_NEAR = 8, 4  # words of a question by which it is known, and pieces behind it
FEWEST_OPTIONS = 3  # that make a choice
FEW_WORDS = 25  # in base64, among which an answer was put on purpose
FEWEST_ASKED = 4  # words of a question, at least
ASKED = "\ue001"  # of our own, in the place of the task's question
MARK = ASKED.encode()

LISTED, NEAR, MOST_PLACES = 3, 400, 50  # telling answers that make a list, and bytes on each side in which they stand

_NUMBERED = re.compile(rb"(?:(?<![^ \0])(?=[^ \0]{1,12}(?:[ \0]|$))[a-z]*[0-9][^ \0]*(?: (?=[a-z]*[0-9]))?)+")
"""Numbers, dates and ids, some in a row; what is longer may be a text in hex."""
_END = re.compile(r"(?<=[.!?;]) |(?<=:) (?!\d)")  # of a sentence; "Level: 2" is one piece, and not that of "Answer: 2"
_OPTION = re.compile(r"^[ \t]*[(\[]?[A-Ha-h][).\]][ \t]+(?=\S.{0,80}$)", re.MULTILINE)  # "(b) 1906"
_HEX = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{8,128}(?![0-9A-Za-z])")
_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{8,}")


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What AUD-3 goes by, from phrases.toml. Patterns are for text in lower case with single spaces."""

    cues: Words
    fillers: Words
    verdicts: tuple[re.Pattern[str], ...]
    praise: re.Pattern[str]
    about_answers: re.Pattern[str]
    form: re.Pattern[str]
    open: re.Pattern[str]
    earlier: re.Pattern[str]
    lesson: re.Pattern[str]


@cache
def phrases() -> Phrases:
    """All of them."""
    return phrases_of(Phrases, "oracle_leakage/phrases.toml")


class Reading:
    """One text: its pieces, which are sentences and lines, as reduced words."""

    def __init__(self, text: str, *, may_have_options: bool = True) -> None:
        self.text = text[:LONGEST]
        text = from_json(self.text).replace("\nA: ", "\nAnswer: ")
        if may_have_options and len(_OPTION.findall(text)) >= FEWEST_OPTIONS:
            text = _OPTION.sub("Answer: ", text)
        self.pieces: list[bytes] = []
        self.questions: set[int] = set()  # which of them ask something
        for line in _END.sub("\n", text).split("\n"):
            words = reduce(line)
            if line.endswith("?") and words.count(b" ") > FEWEST_ASKED:
                self.questions.add(len(self.pieces))
            if words:
                self.pieces.append(words)
        self.words = b"".join([piece[:-1] for piece in self.pieces]) + b" " if self.pieces else b""
        self._starts = list(accumulate((len(piece) - 1 for piece in self.pieces), initial=0))[:-1]

    def piece_at(self, place: int) -> int:
        """Which piece a place in the words lies in."""
        return bisect_right(self._starts, place) - 1

    @cached_property
    def keys(self) -> list[int]:
        """A number for each piece, the same for the same words whatever numbers and ids it has; see `words_of`."""
        masked = _NUMBERED.sub(b"#", b"\0".join(self.pieces[:MOST_PIECES]))
        return [_key(piece, piece.count(b" ") - 1) for piece in masked.split(b"\0") if piece]

    def places(self, answer: GoldForms) -> Iterator[tuple[int, bool]]:
        """Of every place at which an answer stands the piece, and whether words before it announce it."""
        known = phrases()
        for form in answer.words:
            for at in places_in(self.words, form):
                lead = self.words[max(0, at - 80) : at + 1].split()[-LEAD:]
                word = next((word for word in reversed(lead) if word in known.cues or word not in known.fillers), b"")
                if (piece := self.piece_at(at + 1)) < MOST_PIECES:
                    yield piece, word in known.cues

    def has_only(self, answer: GoldForms, number: int) -> bool:
        """Whether the answer is all of a piece, but for one word before it, such as a label."""
        piece = self.pieces[number]
        return any(piece.endswith(form) and piece.count(b" ") <= form.count(b" ") + 1 for form in answer.words)

    def with_gap(self, pieces: Iterable[int], answer: GoldForms) -> frozenset[int]:
        """The keys of pieces with a gap in the place of the answer: the same for all tasks that are told theirs so."""

        def gap(piece: bytes) -> bytes:
            for form in answer.words:
                piece = piece.replace(form, b" # ")
            return _NUMBERED.sub(b"#", piece)

        found: set[int] = set()
        for piece in pieces:
            text = gap(self.pieces[piece])
            if not text.strip(b" #"):  # it stands there by itself, and is known by what stands before it
                text = gap(self.pieces[piece - 1])[:-1] + text if piece else text
            if text.strip(b" #"):
                found.add(_key(b"_" + text, 0))
        return frozenset(found)

    def disguises(self, answer: GoldForms) -> Iterator[str]:
        """The disguises in which an answer stands there, by no accident; what is long in base64 may be a file."""
        if any(code in self.text for code in answer.codes):
            yield "code"
        runs = [run.lower() for run in islice(_HEX.findall(self.text), MOST_CODES)]
        if not {run[:8] for run in runs}.isdisjoint(answer.digests):
            yield "digest"
        if any(words.count(b" ") <= FEW_WORDS and answer.stands_in(words) for words in self.hidden):
            yield "base64"

    @cached_property
    def hidden(self) -> list[bytes]:
        """The words that stand in it in base64: that something can be read at all is no accident."""
        runs = {each for each in _TOKEN.findall(self.text) if not (each.isalpha() and each[1:].islower())}
        return [reduce(text) for run in sorted(runs)[:MOST_CODES] if (text := _decoded(run))]


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


def _decoded(run: str) -> str:
    """A run of base64 as text; nothing where it is none."""
    run = run.replace("-", "+").replace("_", "/")
    data = binascii.a2b_base64((run[:-1] if len(run) % 4 == 1 else run) + "===")
    text = data.decode("utf-8", "replace")
    return text if len(text) >= 3 and "\ufffd" not in text and text.replace("\n", "").isprintable() else ""


class Question:
    """A task's question, as it is known again."""

    def __init__(self, text: str) -> None:
        self.words = reduce(text)
        self._begin = b" " + b" ".join(self.words.split()[:BEGINNING]) + b" "

    def asks_other(self, reading: Reading, first: int, last: int) -> bool:
        """Whether the last question that is asked in these pieces is not this one, but as of an example."""
        for number in range(last - 1, max(0, first) - 1, -1):
            piece = reading.pieces[number]
            if MARK in piece or self._begin in piece:
                return False
            # "what is the right answer?" is about this one
            if number in reading.questions and phrases().cues.isdisjoint(piece.split()):
                return True
        return False

    def pieces_behind(self, reading: Reading) -> set[int]:
        """The pieces of a text that stand near behind this question, be that there by its beginning only."""
        starts = {reading.piece_at(at + 1) for known in (MARK, self._begin) for at in places_in(reading.words, known)}
        near = (range(first + 1, first + 1 + PIECES_NEAR) for first in starts)
        return {piece for each in near for piece in each if piece < min(len(reading.pieces), MOST_PIECES)}


class AnswerKey:
    """The telling answers of a run, which are found in a text in one pass, and the rows of words in solutions."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        answers = [gold_forms(gold.answer) for gold in golds.values()]
        telling = {form: each for each in answers if not each.common for form in each.words}
        self._answers, self._matcher = list(telling.values()), best_matcher(list(telling))
        steps = (steps_of(gold.annotator_steps, b"") for gold in golds.values())
        self._tasks = Counter(row for step in steps for row in set().union(*step))

    def is_own(self, row: bytes) -> bool:
        """Whether no more than one solution has this row."""
        return self._tasks[row] == 1

    def is_listed(self, answer: GoldForms, words: bytes) -> bool:
        """Whether an answer stands in a list of answers: several telling ones, with few words between.

        It has figures and words. A list of one kind (colours, places, years) may be about that kind.
        """
        for at in islice((at for form in answer.words for at in places_in(words, form)), MOST_PLACES):
            near = words[max(0, at - NEAR) : at + NEAR]
            found = {self._answers[n] for n in self._matcher.which(near[near.find(b" ") : near.rfind(b" ") + 1])}
            telling = sum(not each.trivial for each in found)
            if telling >= LISTED and len({any(map(str.isdigit, each.plain)) for each in found}) == 2:
                return True
        return False
