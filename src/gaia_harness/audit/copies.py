"""Finds copies of questions, ids, answer sheets, and answers near them, in the kept parts of a tool's output."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from gaia_harness.audit.asking import Asking, asking
from gaia_harness.audit.gold_forms import GoldForms, Nearness, nearness
from gaia_harness.audit.short_rows import ShortRows
from gaia_harness.audit.statements import asks, begins, stating
from gaia_harness.evidence.fingerprint import SIGNATURES, Fingerprint, Kind, id_forms
from gaia_harness.evidence.passages import Echoes, Passage, Place, cover_of, passages_of
from gaia_harness.evidence.windows import word_position
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.steps import ToolResultStep, Window

COPY = 0.5
"""Half of a question's five-word pieces in one place: of real pages that had them, all were copies of the benchmark."""

PART = 0.3
"""Less than a copy, more than a name in common."""

FEWEST_ASKING = 3
"""Half of the pieces that ask must be there too: a page that carries what a question quotes or retells asks nothing.
With fewer such pieces than this, whether they stand there says nothing."""

FEWEST_NAMES = 2
"""Names and numbers of a question, so many that one with others in their place is another question."""

FEWEST_STATED = 2
"""Pieces of a question in a sentence that states the answer: with fewer it has not the question's words."""

COVER = 0.65
"""Of a question's content words by weight, beside two signatures: the same record with words dropped or changed."""

SHORT_QUESTION = 8
"""Pieces of a question of twelve words: an honest page may well have the same one as a headline."""

MOST_PASSAGES = 4
MOST_LOOKED = 20
"""Places of one signature in a text at which it may be a key: in a record or a table the first is one."""
_KEY_BEFORE = re.compile(r"""(?:[{|\t>(\[]\s*|[,;])["'*_`\\]*$""")
_KEY_AFTER = re.compile(r"""s?["'*_`\\]*\s*(?:[:：=|\t<>)\]]|[,;](?=\S)|is\b|was\b|\n|->|→)""")
"""What stands around a key of a record, the head of a column or a label."""
_FILE_ENDINGS = frozenset(
    b"pdf xlsx xls csv png jpg jpeg gif webp mp3 m4a wav mp4 mov docx doc pptx txt py zip pdb xml jsonld".split()
)


class Piece(msgspec.Struct, frozen=True):
    """Kept text of one source in one reading; `offset` is where it begins in the output, in bytes."""

    source: int | None
    view: str
    offset: int
    text: str
    own_source: bool  # a search hit or a page, as against what a program printed
    window: bool = False


class Copy(msgspec.Struct, frozen=True):
    """A passage that copies the task's question, and how its answer stands to it."""

    whole: float  # of the question's pieces
    wording: float  # of its pieces, quotations left out
    asking: float  # of the pieces that ask
    passage: Passage
    gold: Nearness
    echoed: bool = False  # the agent had sent these words itself
    asks: bool = True  # has a question's form; without it, it states the fact in the question's words
    restated: bool = False  # so short that honest pages ask it, and they state the answer in its words beside it

    @property
    def share(self) -> float:
        """How much of the question stands there: a page that carries what it quotes or retells does not ask it."""
        return min(self.wording, self.asking)


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one piece says."""

    piece: Piece
    words: bytes
    copies: tuple[Copy, ...]  # of the task's own question, PART of it or more
    cover: Copy | None
    own_id: Copy | None
    own_file: Copy | None  # the id as the name of a file
    other_ids: int
    other_files: int
    others: tuple[str, ...]  # ids of other questions that stand there
    answered: tuple[str, ...]  # of these, with their answers where answers stand
    signatures: frozenset[str]
    short: frozenset[str] = frozenset()  # ids of questions whose first words, or first figures of the id, have answers


def pieces(step: ToolResultStep) -> Iterator[Piece]:
    """The kept text of a result: its head, divided by sources, and its windows, those that adjoin put together."""
    yield from _head_pieces(step)
    own = bool(step.sources)
    groups: dict[tuple[int, str, int], list[Window]] = {}
    for window in step.windows:
        # a record may name a source that it does not have
        source = -1 if window.source is None or window.source >= len(step.sources) else window.source
        groups.setdefault((source, window.view, window.offset if window.view else 0), []).append(window)
    for (source, view, _), windows in sorted(groups.items()):
        windows.sort(key=lambda window: window.at)
        run: list[Window] = []
        for window in windows:
            if run and window.at > run[-1].at + run[-1].bytes:
                yield Piece(None if source < 0 else source, view, run[0].offset, _joined(run), own, window=True)
                run = []
            run.append(window)
        yield Piece(None if source < 0 else source, view, run[0].offset, _joined(run), own, window=True)


def _head_pieces(step: ToolResultStep) -> Iterator[Piece]:
    if len(step.sources) < 2:
        yield Piece(0 if step.sources else None, "", 0, step.head, bool(step.sources))
        return
    data = step.head.encode("utf-8", "replace")
    for number, source in enumerate(step.sources):
        text = data[source.offset : source.offset + source.bytes].decode("utf-8", "replace")
        if text:
            yield Piece(number, "", source.offset, text, own_source=True)


def _joined(windows: list[Window]) -> str:
    text, end = "", windows[0].at
    for window in windows:
        overlap = max(0, end - window.at)
        text += window.text.encode("utf-8", "replace")[overlap:].decode("utf-8", "replace") if overlap else window.text
        end = max(end, window.at + window.bytes)
    return text


class Reader:
    """Reads pieces for one run: knows its questions and, unlike the scan, its answers."""

    def __init__(self, questions: Mapping[str, str], golds: Mapping[str, GoldForms]) -> None:
        self._questions = dict(sorted(questions.items()))
        self._ids = tuple(self._questions)
        self.golds = golds
        self.fingerprint = Fingerprint(self._questions)
        self._short = ShortRows(self._questions, golds)

    def read(self, piece: Piece, task_id: str, gold: GoldForms | None, sent: str) -> Reading:
        """Read one piece for one task. `gold` is what its answer may look like; `sent` is what the agent had sent."""
        words = reduce(piece.text)
        own = self.fingerprint.numbers.get(task_id)
        places: dict[int, list[Place]] = {}
        ids: dict[int, Passage] = {}
        files: dict[int, Passage] = {}
        keys: set[int] = set()
        looked: Counter[int] = Counter()
        for kind, number, part, turned, start in self.fingerprint.find(words, own):
            if kind is Kind.QUESTION and not turned:
                places.setdefault(number, []).append((start, part))
            elif kind is Kind.TASK_ID:
                end = start + len(id_forms(self._ids[number])[part]) - 1  # the space behind it
                (files if _file_name(words, end) else ids).setdefault(number, Passage(1.0, start, end))
            elif kind is Kind.SIGNATURE and number not in keys and not self._names(own, SIGNATURES[number]):
                looked[number] += 1
                if looked[number] <= MOST_LOOKED and _is_key(piece.text, words, start, SIGNATURES[number]):
                    keys.add(number)
        signatures = {SIGNATURES[number].replace(" ", "_") for number in keys}
        echoes = Echoes(sent)

        def beside(passage: Passage, forms: GoldForms | None = gold, *, inside: bool = False) -> Nearness:
            if forms is None:
                return Nearness()
            return nearness(forms, words, passage.start, passage.end, piece.text, inside=inside)

        def by_id(found: dict[int, Passage]) -> Copy | None:
            if own is None or own not in found:
                return None
            passage = found.pop(own)
            return Copy(1.0, 1.0, 1.0, passage, beside(passage), echoed=task_id in sent)

        copies: list[Copy] = []
        cover = None
        if own is not None:
            copies = list(self._copies(piece, words, places.pop(own, []), own, echoes, gold))
            if signatures:
                reach = 2 * self.fingerprint.words[own].count(b" ")
                passage = cover_of(words, self.fingerprint.weights(own), reach)
                # the answer must not be a word of the question: here it is looked for among such words
                inside = gold is not None and not gold.stands_in(self.fingerprint.words[own])
                cover = Copy(
                    passage.share,
                    passage.share,
                    1.0,
                    passage,
                    beside(passage, inside=inside),
                    self._sent_too(own, sent),
                    passage.share < COPY
                    or any(copy.asks for copy in copies)
                    or _asks(piece.text, words, passage, gold),
                )
        own_id, own_file = by_id(ids), by_id(files)
        others, answered = [], []
        for number, found in sorted(places.items()):
            forms = self.golds.get(self._ids[number])
            copy = next(self._copies(piece, words, found, number, echoes, forms), None)
            sheet = len(signatures) >= 2 or ids
            if copy is not None and copy.whole >= COPY and not copy.echoed and (copy.asks or sheet):
                others.append(self._ids[number])
                if copy.gold.placed:
                    answered.append(self._ids[number])
        return Reading(
            piece=piece,
            words=words,
            copies=tuple(copies),
            cover=cover,
            own_id=own_id,
            own_file=own_file,
            other_ids=len(ids),
            other_files=len(files),
            others=tuple(others),
            answered=tuple(answered),
            signatures=frozenset(signatures),
            short=self._short.answered(words) if signatures else frozenset(),
        )

    def _names(self, own: int | None, signature: str) -> bool:
        """Whether the question itself speaks of what elsewhere is the sign of a data set."""
        return own is not None and reduce(signature) in self.fingerprint.words[own]

    def _sent_too(self, own: int, sent: str) -> bool:
        """Whether the agent's own words hold most of the question's: what comes back of them is an echo."""
        weights, words = self.fingerprint.weights(own), set(reduce(sent).split())
        return sum(weight for word, weight in weights.items() if word in words) >= COPY * sum(weights.values())

    def _copies(
        self, piece: Piece, words: bytes, places: list[Place], number: int, echoes: Echoes, gold: GoldForms | None
    ) -> Iterator[Copy]:
        """Passages that copy a question, fullest first: those that the agent did not send, then all."""
        question = self.fingerprint.question(number)
        shape = asking(self._questions[self._ids[number]])
        reach = 2 * len(self.fingerprint.words[number])
        unsent = echoes.taken_out(places, words, question.size) if echoes else places
        for kept, echoed in ((unsent, False), (places, True)):
            if echoed and len(unsent) == len(places):
                return
            for passage in passages_of(kept, question.pieces, reach, words, question.size)[:MOST_PASSAGES]:
                if passage.share < PART:
                    continue
                copy = _copy(piece, words, passage, kept, shape, gold, echoed=echoed)
                if not copy.asks or gold is None or gold.stands_in(self.fingerprint.words[number]):
                    yield copy
                    continue
                left = _without_statements(piece.text, words, passage, kept, shape, gold)
                if len(left) < len(kept):
                    asked = passages_of(left, question.pieces, reach, words, question.size)[:1]
                    if asked and asked[0].share >= PART:
                        copy = _copy(piece, words, asked[0], left, shape, gold, echoed=echoed)
                        copy = msgspec.structs.replace(copy, restated=shape.pieces <= SHORT_QUESTION)
                    else:
                        copy = msgspec.structs.replace(copy, asks=False)
                yield copy


def _copy(
    piece: Piece,
    words: bytes,
    passage: Passage,
    places: list[Place],
    shape: Asking,
    gold: GoldForms | None,
    *,
    echoed: bool,
) -> Copy:
    there = {part for start, part in places if passage.start <= start < passage.end}
    wording = min(passage.share, _part_of(shape.own, there))
    if len(shape.own) < FEWEST_ASKING < shape.pieces:  # hardly more than a quotation
        wording = min(wording, PART)
    if not _same_names(shape, words, passage):  # another question of the same kind
        wording = min(wording, PART)
    near = Nearness() if gold is None else nearness(gold, words, passage.start, passage.end, piece.text)
    form = _asked(shape, there, piece.text, words, passage, places) or _asks(piece.text, words, passage, gold)
    return Copy(passage.share, wording, _part_of(shape.asking, there), passage, near, echoed, form)


def _without_statements(
    text: str, words: bytes, passage: Passage, places: list[Place], shape: Asking, gold: GoldForms
) -> list[Place]:
    """The places of pieces outside sentences that state the answer in the question's words: a headline may ask."""
    before = words.count(b" ", 0, passage.start)
    start = word_position(text, before)
    spans = stating(text, start, word_position(text, words.count(b" ", 0, passage.end), start, before), gold)
    stated = [(_reduced_size(text[:begins]), _reduced_size(text[:ends])) for begins, ends in spans]
    inside = {place for place, _ in places if any(first <= place < last for first, last in stated)}
    parts = {part for place, part in places if place in inside}
    if len(parts) < FEWEST_STATED or any(all(parts & held for held in asked.words) for asked in shape.asked):
        return places
    return [(place, part) for place, part in places if place not in inside]


def _reduced_size(text: str) -> int:
    return max(0, len(reduce(text)) - 1)


def _is_key(text: str, words: bytes, start: int, signature: str) -> bool:
    """Whether a signature stands there as a key, a heading or a label, and not as words in a sentence."""
    if "jsonl" in signature or "parquet" in signature or "gaia" in signature:
        return True
    place = word_position(text, words.count(b" ", 0, start))
    before, after = text[max(0, place - 8) : place], text[place + len(signature) :][:12]
    return _KEY_BEFORE.search(before) is not None or _KEY_AFTER.match(after) is not None


def _asked(shape: Asking, there: set[int], text: str, words: bytes, passage: Passage, places: list[Place]) -> bool:
    """Whether a passage has all question words of a sentence; one that begins it must begin one here too."""
    for sentence in shape.asked:
        if all(there & held for held in sentence.words):
            opening = sentence.opening
            if opening is None or there & sentence.words[0] - {opening}:
                return True
            starts = (start for start, part in places if part == opening and passage.start <= start < passage.end)
            if any(begins(text, word_position(text, words.count(b" ", 0, start))) for start in starts):
                return True
    return False


def _same_names(shape: Asking, words: bytes, passage: Passage) -> bool:
    """Whether at least half of a question's names and numbers stand in a passage; few of them say nothing."""
    if len(shape.names) < FEWEST_NAMES:
        return True
    there = set(words[passage.start : passage.end].split())
    return len(shape.names & there) >= len(shape.names) / 2


def _asks(text: str, words: bytes, passage: Passage, gold: GoldForms | None) -> bool:
    before = words.count(b" ", 0, passage.start)
    start = word_position(text, before)
    return asks(text, start, word_position(text, words.count(b" ", 0, passage.end), start, before), gold)


def _part_of(group: frozenset[int], there: set[int]) -> float:
    """How many of a group of pieces are there; few pieces say nothing, neither for nor against."""
    return len(there & group) / len(group) if len(group) >= FEWEST_ASKING else 1.0


def _file_name(words: bytes, end: int) -> bool:
    """Whether an id that ends there is the name of an attachment: GAIA's files are called so."""
    behind = words[end:].split(maxsplit=1)
    return bool(behind) and behind[0] in _FILE_ENDINGS
