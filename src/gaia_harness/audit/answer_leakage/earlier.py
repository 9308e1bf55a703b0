"""What was known in an attempt before a tool gave something back? What was sent or said before is no news."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import inf
from os.path import commonprefix
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
from gaia_harness.records.steps import ToolResultStep

NEWS = 6  # words of a question that were not sent before and make what comes back more than an echo
LONGEST_FRAME = 4_000  # characters that all results of a tool may begin with
MOST_SENT = 64  # calls of an attempt that sent words of the question

_ATTACHMENT = re.compile(r"attachment\.\w")


class Sent(msgspec.Struct, frozen=True):
    """What one call sent of the question: which of its words, and whether the answer with them."""

    index: int
    covered: frozenset[int]
    with_answer: bool


class Earlier:
    """The moments of one attempt of a task. Methods say what was known when a result was `heard`."""

    def __init__(self, moments: Sequence[Moment], task: TaskEvidence, reader: Reader) -> None:
        self._moments = moments
        self._task_id = task.task_id
        self._id_forms = id_forms(task.task_id)
        self._around = task.around
        began = moments[0].step.attempt if moments else 0
        self._was_cut_off = task.log is not None and any(
            attempt.number < began and attempt.finished_at is None for attempt in task.log.attempts
        )
        self._reader = reader
        self.gold = reader.gold
        self._calls = {id(moment.step): moment for moment in moments if moment.origin == "asked"}
        self._firsts: dict[tuple[object, ...], float] = {}

    @cached_property
    def _sent(self) -> dict[int, Sent]:
        """What each call sent."""
        return {step: self._sent_by(call) for step, call in self._calls.items()}

    def _sent_by(self, call: Moment) -> Sent:
        text = call.text
        if self._around.imported and not text:  # the log does not say what was sent: it may have been the question
            return Sent(call.index, frozenset(range(len(self._reader.shape.words))), with_answer=False)
        if "%" in text or "+" in text:
            text = f"{text}\n{unquote_plus(text, errors='replace')}"
        return self._words_in(text, call.index)

    def _asked_by(self, heard: Moment) -> str | None:
        """The arguments of the call that a result answers."""
        call = self._calls.get(id(heard.call))
        return None if call is None else call.text

    def _is_untold(self, heard: Moment) -> bool:
        """Whether the log of another program does not say what was sent."""
        return self._around.imported and self._asked_by(heard) == ""

    def _words_in(self, text: str, index: int) -> Sent:
        readings = list(self._reader.read(Piece(text)))
        covered = frozenset[int]().union(*(reading.touched for reading in readings))
        with_answer = any(sight.answer != "none" for reading in readings for sight in reading.sights)
        return Sent(index, covered, with_answer)

    @cached_property
    def _frames(self) -> dict[str, Sent]:
        """What all pages begin with that a tool gives, by its name: its own words, such as the request above each."""
        texts: dict[str, set[str]] = {}
        for each in self._moments:
            if type(each.step) is ToolResultStep and each.outside:
                texts.setdefault(each.step.name, set()).add(each.text[:LONGEST_FRAME])
        frames = {name: commonprefix([*begun]) for name, begun in texts.items() if len(begun) > 1}  # noqa: RUF071
        told = {name: text for name, text in frames.items() if not self.gold.stands_in(reduce(text))}
        return {name: self._words_in(text, -1) for name, text in told.items()}

    @cached_property
    def _all_sent(self) -> list[Sent]:
        """The first calls that sent words of the question."""
        return [sent for sent in self._sent.values() if sent.covered][:MOST_SENT]

    def _echoed(self, heard: Moment, address: str = "") -> Iterator[Sent]:
        """What may come back in this result: a page gives back what its own call sent, or what its address asks."""
        if id(heard.call) in self._sent:
            yield self._sent[id(heard.call)]
        if type(heard.step) is ToolResultStep and heard.step.name in self._frames:
            yield self._frames[heard.step.name]
        if not heard.outside or not address or self._asks(address):
            yield from (each for each in self._all_sent if each.index < heard.index)

    def _asks(self, address: str) -> bool:
        """Whether an address has words of the question in its query, as that of a page of results."""
        return any(each.touched for each in self._reader.read(Piece(unquote_plus(address.partition("?")[2]))))

    def knew(self, heard: Moment, piece: Piece, sight: Sight, *, tells: bool) -> bool:
        """Whether what is visible is no news: the id was known, or a call had sent the words, or all but a few.

        A search hit with an address of its own can repeat a question, and hardly announce its answer. Where nobody
        knows what was sent, what stands behind an address is the source's.
        """
        if not tells and self._around.boxed and self.is_own_tool(heard):
            return True  # it was given the question
        if sight.shows == "id":
            return self._first(self._has_id, "given", "said", "asked") < heard.index
        if heard.role == "search" and piece.address and tells and sight.answer == "announced":
            return self._asks(piece.address)
        if heard.outside and self._is_untold(heard) and piece.is_behind_address(sight.start):
            return False
        return any(len(sight.covered - each.covered) < NEWS for each in self._echoed(heard, piece.address))

    def answer_is_no_news(self, heard: Moment) -> bool:
        """Whether the agent itself had put the answer beside the question: even a search hit may repeat that.

        A tool of its own gives back what had come up before.
        """
        if self.is_own_tool(heard):
            return self._first(self._has_answer, "said", "asked", "heard") < heard.index
        own = self._calls.get(id(heard.call))
        if own is not None and self.stays_here(heard) and self._has_answer(own):
            return True
        return any(each.with_answer for each in self._echoed(heard))

    def is_own_tool(self, heard: Moment) -> bool:
        """Whether a tool neither goes outside nor runs code (notes, plans, helpers), or is any that does not go outside
        of an agent in a box: whatever that fetched is on record by itself."""
        return not heard.outside and (self._around.boxed or heard.role != "code")

    def stays_here(self, heard: Moment) -> bool:
        """Whether a call names no address outside of the machine, code neither."""
        return not (heard.outside or "://" in (self._asked_by(heard) or ""))

    def benchmark_named_outside(self, heard: Moment) -> bool:
        """Whether a result from outside says whose question it is: if nobody here had named the benchmark first."""
        named_here = self._first(self._names_benchmark, "given", "said", "asked")
        return heard.outside and self._first(self._names_benchmark, "heard") < named_here

    def answer_was_said(self, heard: Moment) -> bool:
        """Whether the model had said the answer."""
        return self._first(self._says_answer, "said") < heard.index

    def may_be_own(self, heard: Moment, sight: Sight) -> bool:
        """Whether it may be the task's file, or what the agent noted or sent itself: nobody knows what it sent, or the
        call stays on the machine, and

        - it or one before it went for a file that the task came with, or listed what is there; or
        - it runs code, which may print what the agent wrote down, and the answer had come up on this side before; or
        - it runs none and may sum up what is not on record: what the agent saved in an attempt that was cut off, or
          read in the part of a page that is not kept, or a conversation that was handed on to a helper.
        """
        if self._is_untold(heard):
            return True
        if not self.stays_here(heard):
            return False
        if self._first(self._offers_file, "given") < inf and self._first(self._goes_for_file, "asked") < heard.index:
            return True
        if heard.role == "code":
            return sight.shows != "id" and self._first(self._has_reached, "said", "asked", "heard") < heard.index
        return heard.role == "delegate" or self._was_cut_off or self._first(self._is_cut, "heard") < heard.index

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
        return self._reader.gold.stands_in(moment.words)

    def _says_answer(self, moment: Moment) -> bool:
        return announced_in(self._reader.gold, moment.words) if self._reader.gold.trivial else self._has_answer(moment)

    def _has_reached(self, moment: Moment) -> bool:
        return self._says_answer(moment) and not (moment.origin == "heard" and moment.outside)

    def _offers_file(self, moment: Moment) -> bool:
        return f"{self._task_id}." in moment.text or _ATTACHMENT.search(moment.text) is not None

    def _goes_for_file(self, moment: Moment) -> bool:
        names = self._task_id, "attachment", self._around.workdir.rstrip("/")  # not "/" or ".", which stand anywhere
        return IN_THE_FOLDER.search(moment.text) is not None or any(len(n) > 1 and n in moment.text for n in names)
