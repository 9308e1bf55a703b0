"""What of the benchmark is visible in a piece of text: its questions, ids, keys, and answers beside them?"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Literal

import msgspec

from gaia_harness.audit.answer_leakage.pieces import Piece
from gaia_harness.audit.answer_leakage.wording import FEWEST_NAMES, Wording, asks, begins, wording
from gaia_harness.audit.gold_forms import Answered, GoldForms, answered, called_answer
from gaia_harness.evidence.fingerprint import SIGNATURES, Fingerprint, Kind, id_forms
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.evidence.passages import Place, cover_of, passages_of
from gaia_harness.evidence.wording import WordPlaces, reduce

HALF, SOME = 0.5, 0.3
"""Of a question's own words in one place: the first is a copy, the second a part of one."""

LONG_ROW, ROW = 10, 6
"""Words in a row that are a copy, however little of the question they are: nobody writes ten the same by chance."""

COVER, MOST = 0.6, 0.72
"""Of a question's content words by weight: the same record with words dropped or changed, beside two keys, ids or
other questions; beside one key, which a quiz may have too."""

FEWEST_OWN = 6
"""Words of a question that are not quoted: with fewer it is hardly more than its quotation."""

MOST_PASSAGES = 4
MOST_LOOKED = 20
"""Places of one sign in a text that are looked at."""

AROUND = 1200
"""Characters before and behind a passage in which its answer is looked for."""

SHORT_ROOM = 24
"""Words behind the beginning of a question that was cut short, within which its answer stands."""

Show = Literal["copy", "cut", "edited", "statement", "part"]
"""Half of the question; less of it in a long row; in other words; a page that does not ask; a part of it."""

_KEY_BEFORE = r"""(?:[{|\t>(\[]\s{0,8}|[,;])["'*_`\\]{0,4}"""
_KEY_AFTER = r"""s?["'*_`\\]{0,4}\s{0,8}(?:[:：=|\t<>)\]]|[,;](?=\S)|is\b|was\b|\n|->|→)"""
"""What stands around a key of a record, the head of a column or a label."""
_PATH_BEFORE = re.compile(r"[/\\\w.-](?=\w)")
_PATH_BEHIND = re.compile(r"/|\\(?![\"'nrt\\])|\.\w{2,6}\b")
_FIELD = re.compile(r"""["']question["']\s*:\s*["']?\W*$""", re.IGNORECASE)


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """A passage that shows something of the task's question."""

    shows: Show
    share: float  # of the question's own words
    row: int  # the longest verbatim row of them
    covered: frozenset[int]  # which words of the question
    start: int  # in the text, in characters
    end: int
    answer: Answered
    field: bool = False  # the question is a field of a record
    address: tuple[str, ...] = ()  # kinds of pages that carry copies, by its address


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one piece shows."""

    piece: Piece
    sights: tuple[Sight, ...] = ()
    own_id: Answered | None = None  # how the answer stands to the task's id
    id_at: int = 0
    ids: int = 0  # of other tasks
    others: frozenset[str] = frozenset()  # questions of other tasks, by their ids
    solved: frozenset[str] = frozenset()  # of these, and of those cut short, with their answers
    keys: frozenset[str] = frozenset()
    touched: frozenset[int] = frozenset()  # words of the task's question that stand there in rows of five


class Located:
    """Finds characters by places in reduced words."""

    def __init__(self, text: str, words: bytes) -> None:
        self._text = text
        self._words = words
        self._last = (0, 0)

    @cached_property
    def _places(self) -> WordPlaces:
        return WordPlaces(self._text)

    def character(self, place: int) -> int:
        """Where the word that begins at this place of the reduced words begins in the text."""
        at, word = self._last if place >= self._last[0] else (0, 0)
        word += self._words.count(b" ", at, place)
        self._last = (place, word)
        return self._places.character(word)


class Reader:
    """Reads pieces for one run: knows its questions and, unlike the recorder, its answers."""

    def __init__(self, questions: Mapping[str, str], golds: Mapping[str, GoldForms]) -> None:
        self._questions = dict(sorted(questions.items()))
        self._ids = tuple(self._questions)
        self.golds = golds
        self.fingerprint = Fingerprint(self._questions)

    def wording(self, task_id: str) -> Wording:
        """The question of a task."""
        return wording(self._questions[task_id])

    def read(self, piece: Piece, task_id: str, gold: GoldForms | None, words: bytes | None = None) -> Iterator[Reading]:
        """Read one piece for one task, also turned round or in rot13 where something stands so."""
        words = reduce(piece.text) if words is None else words
        own = self.fingerprint.numbers.get(task_id)
        found = self.fingerprint.find(words, own)
        if not found:
            return
        if not piece.view.endswith(("rot13", "reversed")):
            for how in sorted({each.turned for each in found if each.turned}):
                yield from self.read(piece.turned(how), task_id, gold)
        text, located = piece.text, Located(piece.text, words)
        places: dict[int, list[Place]] = {}
        ids: dict[int, tuple[int, int]] = {}
        named: dict[int, tuple[int, int]] = {}  # ids that are names of files and folders
        names: set[str] = set()
        looked: Counter[int] = Counter()
        for kind, number, part, turned, start in found:
            if kind is Kind.QUESTION:
                if not turned:
                    places.setdefault(number, []).append((start, part))
                continue
            if kind is Kind.SIGNATURE:
                names.add(SIGNATURES[number].replace("_", " "))
            elif kind is Kind.TASK_ID and number not in ids and looked[number] < MOST_LOOKED:
                looked[number] += 1
                at = located.character(start)
                end = at + len(id_forms(self._ids[number])[part]) - 2
                (named if _in_path(text, at, end) else ids)[number] = at, end
        keys = {name for name in names if not self._names(own, name) and _key(name).search(text)}
        sheet = bool(ids) or len(keys) >= 2
        others, solved = self._others(text, words, located, places, own, sheet=sheet)
        sights: list[Sight] = []
        if own is not None:
            shape = self.wording(task_id)
            signs = bool(keys or others or ids)
            sights += self._sights(piece, words, located, places.get(own, []), own, shape, gold, signs=signs)
            if signs:
                sights += self._edited(piece, words, located, own, gold, sights, sheet=sheet)
        here = None if own is None else ids.pop(own, None)
        table: list[int] = []
        if (
            here is None and own in named
        ):  # a list of files with what stands in them: others have their answers there, too
            table = [other for other in named if other != own and self._answers(text, named, other)]
            here = named[own] if table else None
        yield Reading(
            piece=piece,
            sights=tuple(sights),
            own_id=None if here is None else _beside(gold, text, *here),
            id_at=0 if here is None else here[0],
            ids=len(ids) + len(table),
            others=frozenset(others),
            solved=frozenset(solved),
            keys=frozenset(keys),
            touched=frozenset(place for _, part in places.get(own, []) for place in _span(self.wording(task_id), part))
            if own is not None
            else frozenset(),
        )

    def _answers(self, text: str, places: Mapping[int, tuple[int, int]], number: int) -> bool:
        """Whether the id of a task stands right beside that task's answer."""
        gold = self.golds.get(self._ids[number])
        return gold is not None and _beside(gold, text, *places[number]) not in ("near", "none")

    def _names(self, own: int | None, signature: str) -> bool:
        """Whether the question itself speaks of what elsewhere is the sign of a data set."""
        return own is not None and reduce(signature) in self.fingerprint.words[own]

    def _sights(
        self,
        piece: Piece,
        words: bytes,
        located: Located,
        places: list[Place],
        own: int,
        shape: Wording,
        gold: GoldForms | None,
        *,
        signs: bool,
    ) -> Iterator[Sight]:
        """Passages that show the task's own question, fullest first; a part of it only where there may be signs."""
        text = piece.text
        question = self.fingerprint.question(own)
        reach = 2 * len(self.fingerprint.words[own])
        for passage in passages_of(places, question.pieces, reach, words, question.size)[:MOST_PASSAGES]:
            inside = [place for place in places if passage.start <= place[0] < passage.end]
            covered, row = _rows(inside, words, shape)
            share = len(covered - shape.quoted) / shape.own
            full = (share >= HALF or row >= LONG_ROW) and _same_names(shape, covered)
            if shape.own < min(FEWEST_OWN, len(shape.words)):
                full = False
            if not full and ((row < ROW and share < SOME) or not (signs or piece.may_have_address)):
                continue
            start = located.character(passage.start)
            end = located.character(passage.end)
            answer = _beside(gold, text, start, end)
            asked = full and (
                _opened(shape, covered, inside, text, located)
                or _asks(gold, text, start, end, self.fingerprint.words[own])
            )
            yield Sight(
                shows="part" if not full else "statement" if not asked else "copy" if share >= HALF else "cut",
                share=share,
                row=row,
                covered=covered,
                start=start,
                end=end,
                answer=answer,
                field=_FIELD.search(text, max(0, start - 24), start) is not None,
                address=shapes(piece.addresses(start, end)),
            )

    def _edited(
        self,
        piece: Piece,
        words: bytes,
        located: Located,
        own: int,
        gold: GoldForms | None,
        sights: Sequence[Sight],
        *,
        sheet: bool,
    ) -> Iterator[Sight]:
        """The question with words dropped or changed, beside signs of a data set."""
        weights = self.fingerprint.weights(own)
        if any(sight.shows == "copy" for sight in sights) or not weights:
            return
        passage = cover_of(words, weights, 2 * self.fingerprint.words[own].count(b" "))
        if passage.share < (COVER if sheet else MOST):
            return
        start, end = located.character(passage.start), located.character(passage.end)
        there = set(words[passage.start : passage.end].split())
        shape = wording(self._questions[self._ids[own]])
        named = gold is not None and gold.stands_in(self.fingerprint.words[own])
        answer = _beside(gold, piece.text, start, end, edited=not named)
        if not (sheet or _asks(gold, piece.text, start, end, self.fingerprint.words[own])):
            return
        yield Sight(
            shows="edited",
            share=passage.share,
            row=0,
            covered=frozenset(place for place, word in enumerate(shape.words) if word in weights and word in there),
            start=start,
            end=end,
            answer=answer,
            address=shapes(piece.addresses(start, end)),
        )

    def _others(
        self,
        text: str,
        words: bytes,
        located: Located,
        places: Mapping[int, list[Place]],
        own: int | None,
        *,
        sheet: bool,
    ) -> tuple[set[str], set[str]]:
        """Other questions of the run in a text, and those that have their answers beside them.

        What the task's own question says too is not theirs, and outside a sheet they must ask.
        """
        others, solved = set(), set()
        mine = {start for start, _ in places.get(own, [])} if own is not None else set()
        for number, found in sorted(places.items(), key=lambda item: item[1][0]):
            task_id = self._ids[number]
            question, gold = self.fingerprint.question(number), self.golds.get(task_id)
            if gold is not None and not gold.trivial and (beginning := next((s for s, p in found if not p), None)):
                behind = words[beginning : beginning + 40 * SHORT_ROOM].split(maxsplit=SHORT_ROOM + 5)[5:][:SHORT_ROOM]
                if gold.stands_in(b" " + b" ".join(behind) + b" "):
                    solved.add(task_id)
            if number == own:
                continue
            found = [place for place in found if place[0] not in mine]
            if not found or len(found) < HALF * question.pieces:
                continue
            reach = 2 * len(self.fingerprint.words[number])
            best = passages_of(found, question.pieces, reach, words, question.size)[0]
            if best.share < HALF:
                continue
            start, end = located.character(best.start), located.character(best.end)
            answer = _beside(gold, text, start, end)
            if sheet or _asks(gold, text, start, end, self.fingerprint.words[number]):
                others.add(task_id)
                # an answer key may stand far below its questions
                if answer in ("announced", "placed", "next") or (
                    gold is not None and not gold.trivial and gold.stands_in(words)
                ):
                    solved.add(task_id)
        return others, solved


def _span(shape: Wording, piece: int) -> range:
    return range(shape.at[piece], shape.at[piece] + shape.size)


def _rows(places: Sequence[Place], words: bytes, shape: Wording) -> tuple[frozenset[int], int]:
    """Which words of the question stand at these places, and the longest verbatim row of its own words."""
    covered: set[int] = set()
    row: set[int] = set()
    longest = last = 0
    before = -2
    for start, piece in places:
        if not (shape.at[piece] == before + 1 and words.count(b" ", last, start) == 1):
            row = set()
        row.update(_span(shape, piece))
        covered.update(_span(shape, piece))
        longest = max(longest, len(row - shape.quoted))
        last, before = start, shape.at[piece]
    return frozenset(covered), longest


def _same_names(shape: Wording, covered: frozenset[int]) -> bool:
    """Whether it is not another question of the same kind: of the names in what is visible, half are there."""
    visible = range(min(covered), max(covered) + 1)
    names = [place for place in visible if shape.words[place] in shape.names]
    return len(names) < FEWEST_NAMES or sum(place in covered for place in names) >= len(names) / 2


def _opened(shape: Wording, covered: frozenset[int], places: Sequence[Place], text: str, located: Located) -> bool:
    """Whether a passage has all question words of a sentence; one that begins it must begin one here too."""
    for asked in shape.asked:
        if not covered.issuperset(asked.words):
            continue
        if asked.words[0] != asked.first:
            return True
        starts = (start for start, piece in places if shape.at[piece] == asked.first)
        if any(begins(text, located.character(start)) for start in starts) or asked.first - 1 in covered:
            return True
    return False


def _beside(gold: GoldForms | None, text: str, start: int, end: int, *, edited: bool = False) -> Answered:
    if gold is None:
        return "none"
    before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    found = answered(gold, before, text[start:end], after, edited=edited)
    return "none" if found == "near" and gold.trivial else found


def _asks(gold: GoldForms | None, text: str, start: int, end: int, question: bytes) -> bool:
    called = gold is not None and called_answer(gold, text[max(0, start - AROUND) : end + AROUND])
    plain = "" if gold is None or gold.stands_in(question) else gold.plain
    return asks(text, start, end, plain, announced=called)


def _in_path(text: str, start: int, end: int) -> bool:
    """Whether an id is part of a path or of a longer name: work folders and attachments are named after tasks."""
    return bool(_PATH_BEFORE.match(text, max(0, start - 1))) or _PATH_BEHIND.match(text, end) is not None


@lru_cache(maxsize=64)
def _key(signature: str) -> re.Pattern[str]:
    """Finds a signature as a key, a heading or a label, and not as words in a sentence."""
    name = r"[\W_]{1,3}".join(map(re.escape, signature.split()))
    if "jsonl" in signature or "parquet" in signature or "gaia" in signature:
        return re.compile(name, re.IGNORECASE)
    return re.compile(rf"{_KEY_BEFORE}{name}(?![^\W_])|(?<![^\W_]){name}{_KEY_AFTER}", re.IGNORECASE)
