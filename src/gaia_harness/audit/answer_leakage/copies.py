"""What of the benchmark is visible in a piece of text: its questions, ids, keys, and answers beside them?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Literal

import msgspec

from gaia_harness.audit.answer_leakage.pieces import Piece
from gaia_harness.audit.answer_leakage.questions import AROUND, QuestionShape, asks, begins, names_benchmark, shape_of
from gaia_harness.audit.gold_forms import Answered, GoldForms, announced_in, answered, gold_forms, places_in
from gaia_harness.evidence.fingerprint import SIGNATURES, Fingerprint, Kind
from gaia_harness.evidence.passages import Place, passages_of
from gaia_harness.evidence.wording import WordPlaces, reduce

HALF = 0.5  # of a question's words in one place, without those that it quotes: a copy
LONG_ROW = 10  # words in a row: a cut copy, however little of the question, for nobody writes ten the same by chance
PART = 7  # words in a row: a statement at an address that carries copies; the last ones, with the answer called so
# right behind them, or the first ones, cut off, with the answer in a cell behind them, a copy
VERY_LONG_ROW = 20  # words in a row that nobody states or asks by chance
MOST_LOOKED = 20  # places of one word that are looked at in one text
MOST_CELLS = 4  # of a line, from a question that is cut off to its answer: a level may stand between
NEXT = 30  # characters behind a question within which its answer is announced: "Final answer:", with signs around it

Show = Literal["copy", "cut", "statement", "id"]
"""Half of the question; less of it in a long row; what does not ask; the task's id alone."""

_KEY_BEFORE = r"""(?:[{|\t>(\[]\s{0,8}|[,;])["'*_`\\]{0,4}"""
_KEY_AFTER = r"""s?["'*_`\\]{0,4}\s{0,8}(?:[:：=|\t<>)\]]|[,;](?=\S)|is\b|was\b|\n|->|→)"""
"""What stands around a key of a record, the head of a column or a label."""
_CUT_OFF = re.compile(r"\s?\w{0,30} ?(?:\.\.\.|…)([^\n]*)")
_CELLS = re.compile(r" {2,}|[|\t]")
_PATH_BEFORE = re.compile(r"[/\\\w.-](?<!0x)")
_PATH_BEHIND = re.compile(r"/|\\(?![\"'nrt\\])|\.\w{2,6}\b")


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that shows something of the task: its question or its id."""

    shows: Show
    start: int  # in the text, in characters
    answer: Answered
    long: bool = False  # has a very long row of the question's own words
    covered: frozenset[int] = frozenset()  # which words of the question
    address: bool = False  # of a kind that carries copies
    named: bool = False  # the benchmark, near it


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one piece shows."""

    piece: Piece
    sights: tuple[Sight, ...] = ()
    marks: int = 0
    """Signs of a data set. Keys count one; ids or questions of other tasks two, and beside the question the task's own
    id, or an address that carries copies."""
    solved: frozenset[int] = frozenset()  # questions of other tasks with their answers
    touched: frozenset[int] = frozenset()  # words of the task's question that stand there in rows of five


@lru_cache(maxsize=2)
def _fingerprint(questions: tuple[tuple[str, str], ...]) -> Fingerprint:
    """The same for all runs of the same questions."""
    return Fingerprint(dict(questions))


class Benchmark:
    """The questions of a run and, which the recorder does not know, their answers; by their numbers."""

    def __init__(self, questions: Mapping[str, str], golds: Mapping[str, str]) -> None:
        self.ids = sorted(questions)
        self.golds = [gold_forms(golds.get(task_id, "")) for task_id in self.ids]
        self.fingerprint = _fingerprint(tuple((task_id, questions[task_id]) for task_id in self.ids))


class Reader:
    """Reads pieces for one task."""

    def __init__(self, benchmark: Benchmark, task_id: str, question: str, gold: GoldForms) -> None:
        self._benchmark = benchmark
        self._fingerprint = benchmark.fingerprint
        self._own = self._fingerprint.numbers[task_id]
        self._words = self._fingerprint.words[self._own]
        self.shape = shape_of(question)
        self.gold = gold

    def read(self, piece: Piece, words: bytes | None = None) -> Iterator[Reading]:
        """Read one piece, also turned round or in rot13 where something stands so."""
        words = reduce(piece.text) if words is None else words
        found = self._fingerprint.find(words, self._own)
        if not found:
            return
        if not piece.view.endswith(("rot13", "reversed")):
            for how in sorted({each.turned for each in found if each.turned}):
                yield from self.read(piece.turned(how))
        places: dict[int, list[Place]] = {}  # of each question
        id_numbers: set[int] = set()
        signatures: set[str] = set()
        for kind, number, gram, turned, start in found:
            if kind is Kind.TASK_ID:
                id_numbers.add(number)
            elif kind is Kind.SIGNATURE:
                signatures.add(SIGNATURES[number].replace("_", " "))
            elif not turned:
                places.setdefault(number, []).append((start, gram))
        ids = {number: at for number in id_numbers if (at := _id_in(piece.text, self._benchmark.ids[number]))}
        own_id, own_places = ids.pop(self._own, None), places.get(self._own, [])
        if not own_places and own_id is None and len(places) < 2:
            return
        text = WordPlaces(piece.text, words)
        others = self._others(text, places)
        sight = self._sight(piece, text, own_places)
        sights = [] if sight is None else [sight]
        if own_id is not None:
            sights.append(Sight(shows="id", start=own_id[0], answer=answered(self.gold, piece.text, *own_id)))
        keys = sights and any(_key(name).search(piece.text) for name in signatures)
        beside = sight is not None and (sight.address or own_id is not None)
        yield Reading(
            piece=piece,
            sights=tuple(sights),
            marks=2 if ids or others or beside else 1 if keys else 0,
            solved=frozenset(number for number, has_answer in others.items() if has_answer),
            touched=frozenset(word for _, gram in own_places for word in self.shape.grams[gram]),
        )

    def has_other_answers(self, text: str) -> bool:
        """Whether answers of other tasks stand in a text."""
        words = reduce(text)
        others = (gold for gold in self._benchmark.golds if gold.words != self.gold.words)
        return any(gold.stands_in(words) for gold in others if not gold.trivial)

    def _sight(self, piece: Piece, text: WordPlaces, places: list[Place]) -> Sight | None:
        """The passage that shows most of the task's own question."""
        shape, question = self.shape, self._fingerprint.question(self._own)
        passages = passages_of(places, question.pieces, 2 * len(self._words), text.words, question.size)
        if not passages:
            return None
        passage = passages[0]
        inside = [place for place in places if passage.start <= place[0] < passage.end]
        covered, longest, row_at = _rows(inside, text.words, shape)
        row = len(longest - shape.quoted)
        share = len(covered - shape.quoted) / (len(shape.words) - len(shape.quoted))
        if not _same_names(shape, covered):
            return None
        start, end = text.character(passage.start), text.character(passage.end)
        asked = _opened(shape, longest, inside, text) or asks(self.gold, text.text, text.character(row_at), end)
        behind = reduce(text.text[end : end + NEXT + len(self.gold.plain)])
        answer_follows = row >= PART and len(shape.words) - 1 in longest and announced_in(self.gold, behind)
        in_table = row >= PART and 0 in longest and self._ends_in_cell(text.text, end)
        address = piece.carries_copies(start, end)
        if share >= HALF or answer_follows or in_table:  # then nothing is missing that matters
            shows: Show = "copy" if asked or in_table else "statement"
        elif row >= LONG_ROW:
            shows = "cut" if asked else "statement"
        elif row >= PART and address:
            shows = "statement"  # too little of it to say that it asks
        else:
            return None
        in_cell: Answered = "beside" if self.gold.trivial else "announced"  # a small number may count anything
        letters = sum(len(shape.words[place].decode()) for place in longest - shape.quoted)
        return Sight(
            shows=shows,
            start=start,
            answer=in_cell if in_table else answered(self.gold, text.text, start, end),
            long=row >= VERY_LONG_ROW and letters >= 3 * row,  # in a script without spaces a letter is a word
            covered=covered,
            address=address,
            named=names_benchmark(text.text[max(0, start - AROUND) : end + AROUND]),
        )

    def _ends_in_cell(self, text: str, end: int) -> bool:
        """Whether words of the question are cut off by three dots, as in a listing, and a cell behind them is the
        answer."""
        while end and not text[end - 1].isalnum():
            end -= 1
        cut_off = _CUT_OFF.match(text, end, end + AROUND)
        cells = _CELLS.split(cut_off[1].lower())[:MOST_CELLS] if cut_off else ()
        return self.gold.plain in {cell.strip(" \"'`*") for cell in cells if cell}

    def _others(self, text: WordPlaces, places: Mapping[int, list[Place]]) -> dict[int, bool]:
        """Other questions of the run that a text asks, and whether it has their answers.

        What the task's own question says too is not theirs.
        """
        others = {}
        mine = {start for start, _ in places.get(self._own, ())}
        for number, found in places.items():
            question, gold = self._fingerprint.question(number), self._benchmark.golds[number]
            found = [place for place in found if place[0] not in mine]
            if number == self._own or not found or len(found) < HALF * question.pieces:
                continue
            words = self._fingerprint.words[number]
            best = passages_of(found, question.pieces, 2 * len(words), text.words, question.size)[0]
            start, end = text.character(best.start), text.character(best.end)
            if best.share >= HALF and asks(gold, text.text, start, end):
                # an answer key may stand far below its questions
                below = not gold.trivial and gold.stands_in(text.words)
                others[number] = below or answered(gold, text.text, start, end) not in ("near", "none")
        return others


def _rows(places: Sequence[Place], words: bytes, shape: QuestionShape) -> tuple[frozenset[int], frozenset[int], int]:
    """Which words of the question stand at these places, the longest verbatim row of its own words, and where."""
    covered: set[int] = set()
    row: set[int] = set()
    longest: frozenset[int] = frozenset()
    last = began = at = 0
    before = -2
    for start, number in places:
        gram = shape.grams[number]
        if not (gram.start == before + 1 and words.count(b" ", last, start) == 1):
            row, began = set(), start
        row.update(gram)
        covered.update(gram)
        if len(row) > len(longest):
            longest, at = frozenset(row), began
        last, before = start, gram.start
    return frozenset(covered), longest, at


def _same_names(shape: QuestionShape, covered: frozenset[int]) -> bool:
    """Whether it is not another question of the same kind: of the names in what is visible, half are there."""
    visible = shape.names.intersection(range(min(covered), max(covered) + 1))
    return len(visible & covered) >= len(visible) / 2


def _opened(shape: QuestionShape, row: frozenset[int], places: Sequence[Place], text: WordPlaces) -> bool:
    """Whether a row has all question words of a sentence; one that begins it must begin one here too."""
    for asked in shape.asked:
        if not row.issuperset(asked.words):
            continue
        if asked.words[0] != asked.first or asked.first - 1 in row:
            return True
        starts = (start for start, gram in places if shape.grams[gram].start == asked.first)
        if any(begins(text.text, text.character(start)) for start in islice(starts, MOST_LOOKED)):
            return True
    return False


def _id_in(text: str, task_id: str) -> tuple[int, int] | None:
    """Where an id stands that is no part of a path or a longer name: work folders and files are named after tasks."""
    forms = {case(form) for form in (task_id, task_id.replace("-", "")) for case in (str, str.lower, str.upper)}
    for form in sorted(forms):
        for start in islice(places_in(text, form), MOST_LOOKED):
            inside = start and _PATH_BEFORE.match(text, start - 1)
            if not inside and not _PATH_BEHIND.match(text, start + len(form)):
                return start, start + len(form)
    return None


@lru_cache(maxsize=64)
def _key(signature: str) -> re.Pattern[str]:
    """Finds a signature as a key, a heading or a label, and not as words in a sentence."""
    name = r"[\W_]{1,3}".join(map(re.escape, signature.split()))
    return re.compile(rf"{_KEY_BEFORE}{name}(?![^\W_])|(?<![^\W_]){name}{_KEY_AFTER}", re.IGNORECASE)
