"""The severity of each kind of copy of the benchmark that a source may contain."""

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from gaia_harness.audit.copies import COPY, COVER, PART, Copy, Reading
from gaia_harness.audit.findings import SEVERITIES, Severity
from gaia_harness.audit.gold_forms import GoldForms, announcements
from gaia_harness.evidence.windows import word_position

FULL_COVER = 0.8
"""Of the content words, where only one signature stands by."""

MOST_COVER = 0.72
"""Where only one signature stands by, and an answer that is no common word in a field of its own."""

HALF_COVER = 0.5
"""Beside two signatures, where an answer that is no common word stands in a field of its own."""

LONG_QUESTION = 20
"""Words of a question that nobody asks by chance: beside all of it even a common answer is no chance."""

MANY_COPIES = 3
"""Copies of one question in one source: no page that met it by chance has so many."""

ANSWER_KEYS = frozenset(
    (
        "annotator_metadata",
        "answer_key",
        "expected_answer",
        "gold_answer",
        "golden_answer",
        "ground_truth",
        "reference_answer",
        "true_answer",
    )
)
"""Signatures by which nobody calls an answer of their own."""

MOSTLY = 0.8
"""Of the words of a question in the address of a page: it was sent to that page."""

NOT_OF_ANSWERS = frozenset(("task_id", "file_name"))
"""Signatures with which a tool may give out a task's own file, when it is asked for it by the task's id."""

SHORT_ROWS = 3
"""Questions cut short, each with its answer: so many make a table of answers."""

_KEY = re.compile(r"""["']question["']\s*:\s*["']?\W*$""", re.IGNORECASE)
_CELLS = re.compile(r"""[,;|\t][ "'*_`|]{0,4}$""")

WITHOUT = "a copy of the question, without its answer nearby"
ID_ALONE = "the task's id stands in a source"
EXPLAINED = "a short question as a headline, with the answer in a sentence of its own"
IN_A_FILE = "the question stands in a file of a task that has one of its own"
MET_BEFORE = "a tool of the agent's has the question and an answer that had come up before"
REPLIED = "a page that was sent the question replied with the answer"
STATED = "a source states the fact in the words of the question, and does not ask it"


class LeakVerdict(msgspec.Struct, frozen=True):
    """What one reading comes to. `if_frequent` is the severity where the answer is a common one in this run."""

    severity: Severity
    rule: str
    summary: str
    reading: Reading
    copy: Copy | None = None
    if_frequent: Severity | None = None


def to_report(verdicts: Iterable[LeakVerdict]) -> list[LeakVerdict]:
    """The worst verdict. One that depends on how common the answer is in the run never hides one that does not."""
    found = sorted(verdicts, key=lambda each: (SEVERITIES.index(each.severity), each.if_frequent is not None))
    if not found or found[0].if_frequent is None:
        return found[:1]
    lowered = SEVERITIES.index(found[0].if_frequent)
    certain = (each for each in found if each.if_frequent is None and SEVERITIES.index(each.severity) < lowered)
    return [found[0], *itertools.islice(certain, 1)]


class Judge:
    """Weighs the readings of one source for one task."""

    def __init__(
        self,
        gold: GoldForms | None,
        golds: Callable[[str], GoldForms | None],
        *,
        reached: Callable[[], bool],
        met: Callable[[], bool],
        opened: bool,
        sent: bytes,
        fetched: bool,
        program: bool,
        attached: bool,
        here: bool,
        known: tuple[str, ...],
        address: bytes = b"",
    ) -> None:
        """`golds` are other tasks' answers; `reached`: was it answered before? `met`: did the answer come up before?

        `sent` is what the agent sent, in reduced words; `fetched`: could the call have brought in anything but its own
        words? `program`: was it code of the agent's? `attached`: does the task have a file, which is named by its id?
        `here`: may it have been read from that file? `address` is that of the source with what was asked of it, in
        reduced words, and `known` are its shapes.
        """
        self._gold = gold
        self._trivial = gold is not None and gold.trivial
        self._golds = golds
        self._reached = reached
        self._met = met
        self._opened = opened
        self._sent = sent
        self._answer_sent = gold is not None and gold.stands_in(sent)
        self._fetched = fetched
        self._program = program
        self._attached = attached
        self._here = here
        self._known = known
        self._address = address

    def verdicts(self, readings: Sequence[Reading]) -> Iterator[LeakVerdict]:
        """Everything that can be said; the worst counts."""
        for reading in readings:
            yield from self._of_copies(reading, readings)
            yield from self._of_records(reading)
        yield from self._of_the_source(readings)

    @property
    def _in_words(self) -> bool:
        return self._gold is not None and self._gold.plain.replace(" ", "").isalpha()

    def _rows(self, reading: Reading) -> bool:
        """Whether the piece has more of a data set than one word that others use too."""
        others = self._known or reading.others or reading.other_ids or reading.own_id
        return bool(others) or len(reading.signatures) >= 2

    def _sheet(self, reading: Reading) -> bool:
        """Whether the piece looks like part of a data set or of an answer sheet."""
        return bool(reading.signatures) or self._rows(reading)

    def _of_copies(self, reading: Reading, readings: Sequence[Reading]) -> Iterator[LeakVerdict]:
        sheet = self._sheet(reading)
        for copy in reading.copies:
            if self._states(reading, copy):
                if copy.share >= COPY and not copy.echoed:
                    yield LeakVerdict("low", "fact-in-these-words", STATED, reading, copy)
            elif copy.echoed:
                if copy.share >= COPY and self._more_than_an_echo(reading, copy):
                    yield self._copied(reading, copy, "copy-with-answer", "a copy of the question")
                elif copy.share >= COPY and copy.gold.announced and self._replies(reading, copy):
                    yield LeakVerdict("medium", "answered-on-request", REPLIED, reading, copy)
            elif copy.restated and not (sheet or copy.gold.labelled or copy.gold.alone or copy.gold.celled):
                yield LeakVerdict("medium", "answered-in-prose", EXPLAINED, reading, copy)
            elif copy.share >= COPY or (copy.wording >= COPY and sheet):
                yield self._copied(reading, copy, "copy-with-answer", "a copy of the question")
                if reading.others and self._below(readings):
                    yield self._certain(reading, copy, "copy-with-answer", "a copy of the question with an answer key")
            elif copy.wording >= PART and self._rows(reading) and copy.gold.announced and not self._trivial:
                yield self._copied(reading, copy, "edited-copy-with-answer", "much of the question")
            elif (copy.wording >= PART and (sheet or copy.gold.labelled)) or len(reading.signatures) >= 2:
                yield LeakVerdict(
                    "medium", "part-of-the-question", "part of the question in an answer sheet", reading, copy
                )

    def _states(self, reading: Reading, copy: Copy) -> bool:
        """Whether a passage states the fact in the question's words: it does not ask, and stands in no sheet."""
        sheet = reading.others or reading.other_ids or reading.own_id
        row = copy.gold.labelled or self._in_a_row(reading, copy)
        keys = reading.signatures - NOT_OF_ANSWERS
        keyed = (keys and copy.gold.celled) or (len(reading.signatures) >= 2 and row)
        named = "benchmark-file" in self._known or (reading.signatures and self._strong())
        return not (copy.asks or sheet or keyed or named)

    def _strong(self) -> bool:
        """Whether the address is one of the benchmark's own."""
        return "benchmark-file" in self._known or ("benchmark-name" in self._known and len(self._known) > 1)

    def _of_records(self, reading: Reading) -> Iterator[LeakVerdict]:
        cover, own_id = reading.cover, reading.own_id
        if own_id is None and reading.own_file is not None and (not self._attached or reading.other_files):
            own_id = reading.own_file if reading.own_file.gold.placed else None
        if (
            cover is not None
            and self._covers(cover, len(reading.signatures))
            and not self._states(reading, cover)
            and (not cover.echoed or self._more_than_an_echo(reading, cover))
        ):
            yield self._copied(reading, cover, "edited-copy-with-answer", "the question with changed words")
        if own_id is not None:
            others = reading.other_ids or reading.other_files
            keys = reading.signatures - NOT_OF_ANSWERS if own_id.echoed and self._attached else reading.signatures
            if keys or (others and own_id.gold.placed):
                yield self._copied(reading, own_id, "task-id-with-answer", "the task's id in an answer sheet")
            elif not own_id.echoed and self._beside_the_id(own_id):
                found = self._certain(reading, own_id, "task-id-with-answer", "the task's id with the answer beside it")
                yield found if own_id.gold.alone else msgspec.structs.replace(found, if_frequent="low")
            else:
                yield LeakVerdict("low", "task-id", ID_ALONE, reading, own_id)

    def _beside_the_id(self, own_id: Copy) -> bool:
        """Whether the answer belongs to the id: a common one only as the next thing, and if no file is called so."""
        near = own_id.gold
        return (near.alone and not self._attached) if self._trivial else (near.alone or near.beside)

    def _more_than_an_echo(self, reading: Reading, copy: Copy) -> bool:
        """The agent sent the question itself: only an answer that it did not send makes its return a copy."""
        near = copy.gold
        marked = near.labelled or near.alone
        if not reading.piece.own_source:  # a program may print question and answer, but not as an answer key does
            found = {each for each in reading.signatures if each.replace("_", " ").encode() not in self._sent}
            if self._program:
                row = bool(found & ANSWER_KEYS) or (len(found) + self._keyed(reading, copy) >= 2 and near.celled)
            else:  # a helper that was asked the question may reply in fields of its own
                row = (len(found) >= 2 and near.celled) or bool(reading.other_ids or reading.others)
            return marked and row and self._fetched and not self._answer_sent
        if self._answer_sent:  # that it is the answer must have been said by somebody else
            marked = (
                any(words not in self._sent for words in announcements(self._gold, reading.words))
                if self._gold
                else False
            )
        in_a_sheet = near.placed and bool(self._known or reading.others or reading.other_ids or reading.own_id)
        if self._replies(reading, copy):
            return in_a_sheet or (marked and bool(reading.signatures or self._in_a_row(reading, copy)))
        return (marked and not near.computed) or in_a_sheet

    def _replies(self, reading: Reading, copy: Copy) -> bool:
        """Whether it was made for the question: a page whose address holds the words, or a tool that was sent them."""
        words = reading.words[copy.passage.start : copy.passage.end].split()
        asked = set(self._address.split())
        if not reading.piece.own_source:
            return not self._program
        return sum(word in asked for word in words) >= MOSTLY * len(words)

    def _in_a_row(self, reading: Reading, copy: Copy) -> bool:
        """Whether the answer is the next cell behind the question."""
        text = reading.piece.text
        after = word_position(text, reading.words.count(b" ", 0, copy.passage.end))
        plain = "" if self._gold is None else self._gold.plain
        return bool(plain and text[after:].lower().startswith(plain) and _CELLS.search(text[max(0, after - 8) : after]))

    def _keyed(self, reading: Reading, copy: Copy) -> bool:
        """Whether the question is a field of a record."""
        text = reading.piece.text
        start = word_position(text, reading.words.count(b" ", 0, copy.passage.start))
        return _KEY.search(text[max(0, start - 24) : start]) is not None

    def _covers(self, cover: Copy, signatures: int) -> bool:
        answered = not self._trivial and (cover.gold.announced or cover.gold.celled)
        if signatures >= 2:
            return cover.wording >= (HALF_COVER if answered else COVER)
        return cover.wording >= (MOST_COVER if answered else FULL_COVER)

    def _of_the_source(self, readings: Sequence[Reading]) -> Iterator[LeakVerdict]:
        others = {task_id for reading in readings for task_id in reading.others}
        answered = {task_id for reading in readings for task_id in reading.answered}
        answered |= {task_id for task_id in others if self._stands(self._golds(task_id), readings)}
        own = any(
            copy.wording >= COPY and not self._states(reading, copy) for reading in readings for copy in reading.copies
        )
        first = next((reading for reading in readings if reading.others), readings[0])
        if len(answered) >= 2:
            yield LeakVerdict(
                "critical", "answer-sheet", "several questions of the benchmark with their answers", first
            )
        elif (reading := next((each for each in readings if len(each.short) >= SHORT_ROWS), None)) is not None:
            yield LeakVerdict(
                "critical", "answer-sheet", "the beginnings of several questions with their answers", reading
            )
        elif len(others) + own >= 2:
            yield LeakVerdict("medium", "several-questions", "several questions of the benchmark in one source", first)
        copies = max(
            sum(copy.share >= COPY and copy.asks and not copy.echoed for reading in group for copy in reading.copies)
            for group in ([r for r in readings if r.piece.window], [r for r in readings if not r.piece.window])
        )
        if copies >= MANY_COPIES:
            yield LeakVerdict("high", "many-copies", "one source has the question again and again", first)
        if self._known:
            carries = others or any(
                reading.own_id is not None
                or reading.other_ids
                or any((copy.wording >= PART and copy.asks) or len(reading.signatures) >= 2 for copy in reading.copies)
                for reading in readings
            )
            if self._opened and self._strong() and carries:
                yield LeakVerdict("high", "known-page-opened", "a page of the benchmark was opened", first)
            else:
                kind = self._known[0]
                yield LeakVerdict("low", "known-page", f"an address of the kind that carries copies ({kind})", first)

    def _copied(self, reading: Reading, copy: Copy, rule: str, what: str) -> LeakVerdict:
        near = copy.gold
        in_a_sheet = (near.beside or near.celled) and self._sheet(reading)
        vague = self._trivial and not (near.announced or in_a_sheet)  # it may stand there by chance, a number easily
        long = copy.passage.share >= FULL_COVER and reading.words.count(b" ", *_span(copy)) >= LONG_QUESTION
        if not self._rows(reading):
            if self._here:
                return LeakVerdict("medium", "copy-in-a-file", IN_A_FILE, reading, copy)
            if not (reading.piece.own_source or self._program) and self._met():
                return LeakVerdict("medium", "answer-met-before", MET_BEFORE, reading, copy)
        if not near.near or (vague and not (long and near.beside and self._in_words and not copy.echoed)):
            return LeakVerdict("medium", "copy-without-answer", WITHOUT, reading, copy)
        if near.placed and not vague:
            return self._certain(reading, copy, rule, what + " with the answer beside it")
        certain = self._certain(reading, copy, rule, what + " with the answer near it")
        return msgspec.structs.replace(certain, if_frequent="medium")

    def _certain(self, reading: Reading, copy: Copy, rule: str, what: str) -> LeakVerdict:
        if self._reached():
            return LeakVerdict("high", rule, f"{what}, met after the answer was reached", reading, copy)
        return LeakVerdict("critical", rule, what, reading, copy)

    def _below(self, readings: Sequence[Reading]) -> bool:
        return self._stands(self._gold, readings)

    def _stands(self, gold: GoldForms | None, readings: Sequence[Reading]) -> bool:
        """Whether an answer that proves something stands anywhere in the source."""
        return gold is not None and not gold.trivial and any(gold.stands_in(reading.words) for reading in readings)


def _span(copy: Copy) -> tuple[int, int]:
    return copy.passage.start, copy.passage.end
