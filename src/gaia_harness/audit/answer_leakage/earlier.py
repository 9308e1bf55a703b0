"""What was known in an attempt before a tool gave something back? What was sent or said before is no news."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import inf
from urllib.parse import unquote_plus

import msgspec

from gaia_harness.audit.answer_leakage.copies import Reader, Sight
from gaia_harness.audit.answer_leakage.pieces import Piece
from gaia_harness.audit.answer_leakage.questions import names_benchmark
from gaia_harness.audit.attachments import IN_THE_FOLDER
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.gold_forms import announced_in
from gaia_harness.audit.timeline import Moment, Origin
from gaia_harness.evidence.fingerprint import id_forms
from gaia_harness.evidence.wording import reduce

NEWS = 6  # words of a question that were not sent before and make what comes back more than an echo
MOST_SENT = 64  # calls of an attempt that sent words of the question, all different

_ATTACHMENT = re.compile(r"attachment\.\w")


class Sent(msgspec.Struct, frozen=True):
    """What one call sent of the question: which of its words, and whether the answer with them."""

    index: int
    covered: frozenset[int]
    with_answer: bool
    words: bytes


class Earlier:
    """The moments of one attempt of a task. Methods say what was known when a result was `heard`."""

    def __init__(self, moments: Sequence[Moment], task: TaskEvidence, reader: Reader) -> None:
        self.gold = reader.gold
        self._moments = moments
        self._task_id = task.task_id
        self._id_forms = id_forms(task.task_id)
        self._around = task.around
        began = moments[0].step.attempt if moments else 0
        self._was_cut_off = task.log is not None and any(
            attempt.number < began and attempt.finished_at is None for attempt in task.log.attempts
        )
        self._reader = reader
        self._calls = {id(moment.step): moment for moment in moments if moment.origin == "asked"}
        self._sent_by_call: dict[int, Sent] = {}
        self._firsts: dict[tuple[object, ...], float] = {}

    def _sent_by(self, call: Moment) -> Sent:
        if call.index not in self._sent_by_call:
            self._sent_by_call[call.index] = self._sent_in(call)
        return self._sent_by_call[call.index]

    def _sent_in(self, call: Moment) -> Sent:
        text, shape = call.text, self._reader.shape
        if self._around.imported and not text:  # the log does not say what was sent: it may have been the question
            return Sent(call.index, frozenset(range(len(shape.words))), False, b" ".join(shape.words))
        if "%" in text or "+" in text:
            text = f"{text}\n{unquote_plus(text, errors='replace')}"
        words = reduce(text)
        readings = list(self._reader.read(Piece(text), words))
        covered = frozenset[int]().union(*(reading.touched for reading in readings))
        with_answer = any(sight.answer != "none" for reading in readings for sight in reading.sights)
        return Sent(call.index, covered, with_answer, words)

    @cached_property
    def _sent(self) -> list[Sent]:
        """The calls that sent words of the question, in their order, but for those that sent the same as another."""
        found: dict[tuple[frozenset[int], bool], Sent] = {}
        for sent in map(self._sent_by, self._calls.values()):
            if sent.covered and len(found) < MOST_SENT:
                found.setdefault((sent.covered, sent.with_answer), sent)
        return list(found.values())

    def _echoed(self, heard: Moment, piece: Piece | None = None) -> Iterator[Sent]:
        """What may come back in this result: a page gives back its own address at most."""
        call = self._calls.get(id(heard.call))
        if call is not None:
            yield self._sent_by(call)
        if piece is None or not heard.outside or not piece.address:
            yield from (each for each in self._sent if each.index < heard.index)

    def knew(self, heard: Moment, piece: Piece, sight: Sight, *, answers: bool) -> bool:
        """Whether what is visible is no news: the id was known, or a call had sent the words, or all but a few.

        A search hit with an address of its own can repeat a question, and hardly answer it; nor can an echo say whose
        question it is.
        """
        if sight.shows == "id":
            return self.id_was_known(heard)
        is_hit = heard.role == "search" and piece.address and "?" not in piece.address
        if (is_hit and answers) or (sight.named and self.benchmark_named_outside(heard)):
            return False
        echoed = self._echoed(heard, piece)
        if sight.shows == "edited":  # in any order
            content = {self._reader.shape.words[place] for place in sight.covered}
            return any(2 * len(content.difference(each.words.split())) < len(content) for each in echoed)
        least = min(NEWS, max(1, len(sight.covered) // 2))
        return any(len(sight.covered - each.covered) < least for each in echoed)

    def answer_is_no_news(self, heard: Moment) -> bool:
        """Whether the agent itself had put the answer beside the question: even a search hit may repeat that.

        A tool that neither goes outside nor runs code (notes, plans) gives back what it is sent or had come up before,
        and so does any tool of an agent's own in a box.
        """
        if self.is_own_tool(heard) and self._first(self._has_answer, "said", "asked", "heard") < heard.index:
            return True
        if not heard.outside and heard.role != "code":
            call = self._calls.get(id(heard.call))
            if self._first(self._has_answer, "heard") < heard.index or (call is not None and self._has_answer(call)):
                return True
        return any(each.with_answer for each in self._echoed(heard))

    def is_own_tool(self, heard: Moment) -> bool:
        """Whether an agent in a box says this by a tool of its own: notes, its state, what a sub-agent reports.

        It was given the question. Whatever it fetched for that is on record by itself.
        """
        return self._around.boxed and heard.role not in ("search", "fetch")

    def benchmark_named_outside(self, heard: Moment) -> bool:
        """Whether a result from outside says whose question it is: if nobody here had named the benchmark first."""
        named_here = self._first(self._names_benchmark, "given", "said", "asked")
        return heard.outside and self._first(self._names_benchmark, "heard") < named_here

    def id_was_known(self, heard: Moment) -> bool:
        """Whether the agent was told the task's id, or said or sent it: many work in a folder of that name."""
        return self._first(self._has_id, "given", "said", "asked") < heard.index

    def answer_was_said(self, heard: Moment) -> bool:
        """Whether the model had said the answer."""
        return self._first(self._says_answer, "said") < heard.index

    def may_be_own_file(self, heard: Moment) -> bool:
        """Whether it may be from the task's file or what was unpacked from it: the call stays on the machine, and it or
        one before it went for that file or listed what is there."""
        call = self._calls.get(id(heard.call))
        if heard.outside or (call is not None and "://" in call.text):
            return False
        return self._first(self._offers_file, "given") < inf and self._first(self._goes_for_file, "asked") < heard.index

    def may_be_own_state(self, heard: Moment) -> bool:
        """Whether a tool may sum up what is not on record: what the agent saved in an attempt that was cut off, or read
        in the part of a page that is not kept."""
        if heard.outside or heard.role == "code":
            return False
        return self._was_cut_off or (heard.role != "read" and self._first(self._is_cut, "heard") < heard.index)

    def _first(self, holds: Callable[[Moment], bool], *origins: Origin) -> float:
        """The first moment of these origins of which something holds."""
        key = (holds, *origins)
        if key not in self._firsts:
            fits = (each.index for each in self._moments if each.origin in origins and holds(each))
            self._firsts[key] = next(fits, inf)
        return self._firsts[key]

    def _has_id(self, moment: Moment) -> bool:
        return any(form in moment.words for form in self._id_forms)

    def _is_cut(self, moment: Moment) -> bool:
        return not moment.whole

    def _names_benchmark(self, moment: Moment) -> bool:
        return names_benchmark(moment.text)

    def _has_answer(self, moment: Moment) -> bool:
        return self.gold.stands_in(moment.words)

    def _says_answer(self, moment: Moment) -> bool:
        return announced_in(self.gold, moment.words) if self.gold.trivial else self._has_answer(moment)

    def _offers_file(self, moment: Moment) -> bool:
        return f"{self._task_id}." in moment.text or _ATTACHMENT.search(moment.text) is not None

    def _goes_for_file(self, moment: Moment) -> bool:
        names = self._task_id, "attachment", self._around.workdir.rstrip("/")  # not "/" or ".", which stand anywhere
        return IN_THE_FOLDER.search(moment.text) is not None or any(len(n) > 1 and n in moment.text for n in names)
