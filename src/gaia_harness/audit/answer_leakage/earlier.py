"""What was known in an attempt before a tool gave something back? What was sent or said before is no news."""

import re
from collections.abc import Sequence
from functools import cached_property, partial
from math import inf
from urllib.parse import unquote_plus

import msgspec

from gaia_harness.audit.answer_leakage.copies import Reader, Sight
from gaia_harness.audit.answer_leakage.pieces import Piece
from gaia_harness.audit.gold_forms import Answered, GoldForms, announced_in
from gaia_harness.audit.timeline import Moment, Surroundings, strings
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.steps import ToolCallStep, ToolResultStep

NEWS = 10
"""Words of a question that were not sent before and make what comes back more than an echo."""

MOST_SENT = 64
"""Calls of an attempt that sent words of the question, all different."""

_PATH = re.compile(r"[^\s\"'`()\[\]{},;=<>|]*[/\\][^\s\"'`()\[\]{},;=<>|]*|[\w.-]+\.[A-Za-z]\w{0,7}(?![\w(])")
_LISTS = re.compile(r"listdir|scandir|iterdir|\bwalk\(|glob|\bls\b|\bfind \.")
_GOES_OUT = re.compile(
    r"https?:|urllib|urlopen|requests|httpx|aiohttp|socket|curl|wget|ftp|load_dataset|hf_hub|snapshot_download|selenium"
    r"|playwright|huggingface|browser",
    re.IGNORECASE,
)


class Sent(msgspec.Struct, frozen=True):
    """What one call sent of the question: which of its words, and whether the answer beside them."""

    index: int
    covered: frozenset[int]
    answered: Answered
    words: bytes


class Earlier:
    """The moments of one attempt of a task."""

    def __init__(
        self, moments: Sequence[Moment], task_id: str, gold: GoldForms | None, reader: Reader, around: Surroundings
    ) -> None:
        self._moments = moments
        self._task_id = task_id
        self._gold = gold
        self._reader = reader
        self._read: dict[int, Sent] = {}
        self._names = around.attachments
        self._folder = around.workdir.rstrip("/")

    def _sent_by(self, asked: Moment) -> Sent:
        """What a call sent."""
        if asked.index not in self._read:
            text = asked.text
            if "%" in text or "+" in text:
                text = f"{text}\n{unquote_plus(text, errors='replace')}"
            words = reduce(text)
            readings = list(self._reader.read(Piece(text, 0, None), self._task_id, self._gold, words))
            covered = frozenset[int]().union(*(reading.touched for reading in readings))
            answers = {sight.answer for reading in readings for sight in reading.sights} - {"none"}
            answered: Answered = "announced" if "announced" in answers else "near" if answers else "none"
            self._read[asked.index] = Sent(asked.index, covered, answered, words)
        return self._read[asked.index]

    @cached_property
    def _sent(self) -> list[Sent]:
        """The calls that sent words of the question, in their order, but for those that sent no more than another."""
        found: list[Sent] = []
        for moment in self._moments:
            if moment.origin == "asked" and len(found) < MOST_SENT:
                sent = self._sent_by(moment)
                known = any(sent.covered <= each.covered and sent.answered == each.answered for each in found)
                if sent.covered and not known:
                    found.append(sent)
        return found

    def _calls(self, heard: Moment, piece: Piece | None = None) -> list[Sent]:
        """The calls whose words may come back in this result: a page gives back its own address at most."""
        call = self._by_call.get(heard.index)
        own = [] if call is None else [self._sent_by(call)]
        if piece is not None and heard.role in ("search", "fetch") and piece.address:
            return own
        return own + [each for each in self._sent if each.index < heard.index]

    def sent_with(self, heard: Moment) -> bool:
        """Whether the call of a result may have sent words of the question."""
        call = self._by_call.get(heard.index)
        cut = heard.call is not None and bool(heard.call.args_truncated)
        return cut or (call is not None and bool(self._sent_by(call).covered))

    def is_hit(self, heard: Moment, piece: Piece) -> bool:
        """Whether it is a search hit with an address of its own: that can repeat a question, and hardly answer it."""
        step = heard.step
        several = type(step) is ToolResultStep and len(step.sources) > 1
        return heard.role == "search" and several and bool(piece.address) and "?" not in piece.address

    def was_sent(self, heard: Moment, piece: Piece, sight: Sight) -> bool:
        """Whether one call had sent what is visible of the question, or all but a few words."""
        shape = self._reader.wording(self._task_id)
        visible = len(shape.words) if sight.shows == "edited" else len(sight.covered)
        least = min(NEWS, max(1, visible // 2))
        for each in self._calls(heard, piece):
            had = each.covered
            if sight.shows == "edited":
                sent = set(each.words.split())
                had = frozenset(place for place in sight.covered if shape.words[place] in sent)
            if len(sight.covered - had) < least:
                return True
        return False

    def answer_was_sent(self, heard: Moment, answer: Answered) -> bool:
        """Whether the agent itself had put the answer beside the question: even a search hit may repeat that.

        That it is called the answer is news, unless the agent had called it so.
        """
        levels = {each.answered for each in self._calls(heard)} - {"none"}
        return "announced" in levels or (bool(levels) and answer != "announced")

    def unsent(self, heard: Moment, keys: frozenset[str]) -> set[str]:
        """The keys that no call had sent before."""
        sent = [each.words for each in self._calls(heard)]
        return {key for key in keys if not any(reduce(key) in words for words in sent)}

    def id_was_known(self, heard: Moment) -> bool:
        """Whether the agent was told the task's id, or had said or sent it: many work in a folder of that name."""
        return self._id_known < heard.index

    @cached_property
    def _id_known(self) -> float:
        """The first moment at which the task's id was given, said or sent."""
        own = (moment for moment in self._moments if moment.origin != "heard")
        return next((moment.index for moment in own if self._task_id in moment.text), inf)

    def answer_was_said(self, index: int) -> bool:
        """Whether the model had said the answer before."""
        return self._said < index

    def answer_was_met(self, heard: Moment) -> bool:
        """Whether the answer had come up before: in an earlier result, or in what was sent for this one."""
        gold = self._gold
        call = self._by_call.get(heard.index)
        return self._met < heard.index or (gold is not None and call is not None and gold.stands_in(call.words))

    @cached_property
    def _said(self) -> float:
        """The first moment at which the model said the answer."""
        gold = self._gold
        if gold is None:
            return inf
        says = partial(announced_in, gold) if gold.trivial else gold.stands_in
        said = (moment for moment in self._moments if moment.origin == "said")
        return next((moment.index for moment in said if says(moment.words)), inf)

    @cached_property
    def _met(self) -> float:
        """The first moment at which the answer was heard."""
        gold = self._gold
        heard = (moment for moment in self._moments if moment.origin == "heard")
        return next((moment.index for moment in heard if gold is not None and gold.stands_in(moment.words)), inf)

    @cached_property
    def _by_call(self) -> dict[int, Moment]:
        """The call of each result, by the index of the result."""
        calls = {id(moment.step): moment for moment in self._moments if moment.origin == "asked"}
        return {
            moment.index: calls[id(moment.call)]
            for moment in self._moments
            if moment.call is not None and id(moment.call) in calls
        }

    def reads_own_file(self, heard: Moment) -> bool:
        """Whether the call reads the file that came with the task, and nothing beside it."""
        paths = self._paths(heard.call)
        return self.has_file and bool(paths) and all(map(self._is_own, paths))

    def may_be_own_file(self, heard: Moment) -> bool:
        """Whether it may be from the task's file or what was unpacked from it: the call stays on the machine, and it or
        one before it went for that file or listed what is there."""
        if not self.has_file or heard.role in ("search", "fetch") or "://" in self._paths(heard.call):
            return False
        return self._went_for_file < heard.index

    @cached_property
    def _went_for_file(self) -> float:
        names = self._task_id, "attachment", self._folder
        calls = (moment for moment in self._moments if moment.origin == "asked")
        went = (call for call in calls if _LISTS.search(call.text) or any(name in call.text for name in names))
        return next((call.index for call in went), inf)

    def _is_own(self, path: str) -> bool:
        """By its name: that of the task's id, ours, or one that the run declares for this task."""
        name = path.replace("\\", "/").rpartition("/")[2]
        return name.partition(".")[0] in (self._task_id, "attachment") or (
            self._task_id in name and path in self._names
        )

    @cached_property
    def has_file(self) -> bool:
        """Whether a file came with the task, by what was put before the model."""
        names = f"{self._task_id}.", "attachment."
        return any(name in moment.text for moment in self._moments if moment.origin == "given" for name in names)

    def _paths(self, call: ToolCallStep | None) -> list[str]:
        """The files, folders and addresses that a call names."""
        texts = [] if call is None or call.args_truncated else strings(call.args)
        if any(_GOES_OUT.search(text) for text in texts):
            return ["://"]
        return [path for text in texts for path in _PATH.findall(text)]
