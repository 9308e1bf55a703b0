"""What was known in an attempt before a tool gave something back? What was sent or said before is no news."""

import re
from collections.abc import Sequence
from functools import cached_property
from urllib.parse import unquote_plus

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


class Sent:
    """What one call sent of the question: which of its words, and whether the answer beside them."""

    def __init__(self, index: int, covered: frozenset[int], answered: Answered, words: bytes) -> None:
        self.index = index
        self.covered = covered
        self.answered = answered
        self.words = words


class Earlier:
    """The moments of one attempt of a task."""

    def __init__(
        self, moments: Sequence[Moment], task_id: str, gold: GoldForms | None, reader: Reader, around: Surroundings
    ) -> None:
        self._moments = moments
        self._task_id = task_id
        self._gold = gold
        self._reader = reader
        self._names = around.attachments
        self._folder = around.workdir.rstrip("/")

    @cached_property
    def sent(self) -> list[Sent]:
        """The calls that sent words of the question, in their order."""
        found: list[Sent] = []
        for moment in self._moments:
            if moment.origin != "asked" or len(found) >= MOST_SENT:
                continue
            text = moment.text
            if "%" in text or "+" in text:
                text = f"{text}\n{unquote_plus(text, errors='replace')}"
            words = reduce(text)
            readings = list(self._reader.read(Piece(text, 0, None), self._task_id, self._gold))
            covered = frozenset[int]().union(*(reading.touched for reading in readings))
            answers = {sight.answer for reading in readings for sight in reading.sights} - {"none"}
            answered: Answered = "announced" if "announced" in answers else "near" if answers else "none"
            found.append(Sent(moment.index, covered, answered, words))
        return found

    def _calls(self, heard: Moment, piece: Piece) -> list[Sent]:
        """The calls whose words may come back in this result.

        A page gives back its own address at most.
        """
        own = -1 if heard.call is None else heard.call.seq
        if heard.role in ("search", "fetch") and piece.address:
            return [each for each in self.sent if self._seq(each.index) == own]
        return [each for each in self.sent if each.index < heard.index]

    def _seq(self, index: int) -> int:
        return self._by_index[index].step.seq

    @cached_property
    def _by_index(self) -> dict[int, Moment]:
        return {moment.index: moment for moment in self._moments}

    def is_hit(self, heard: Moment, piece: Piece) -> bool:
        """Whether it is a search hit with an address of its own: that can repeat a question, and hardly answer it."""
        step = heard.step
        several = type(step) is ToolResultStep and len(step.sources) > 1
        return heard.role == "search" and several and bool(piece.address) and "?" not in piece.address

    def was_sent(self, heard: Moment, piece: Piece, sight: Sight) -> bool:
        """Whether one call had sent what is visible of the question, or all but a few words."""
        shape = self._reader.wording(self._task_id)
        least = min(NEWS, max(1, len(shape.words) // 2))
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
        levels = {each.answered for each in self.sent if each.index < heard.index} - {"none"}
        return "announced" in levels or (bool(levels) and answer != "announced")

    def unsent(self, heard: Moment, keys: frozenset[str]) -> set[str]:
        """The keys that no call had sent before."""
        sent = [each.words for each in self.sent if each.index < heard.index]
        return {key for key in keys if not any(reduce(key) in words for words in sent)}

    def id_was_sent(self, heard: Moment) -> bool:
        """Whether the agent had sent the task's id."""
        return heard.call is not None and self._task_id in "\n".join(strings(heard.call.args))

    def answer_was_said(self, index: int) -> bool:
        """Whether the model had said the answer before."""
        gold = self._gold
        return gold is not None and any(
            (gold.stands_in(moment.words) if not gold.trivial else announced_in(gold, moment.words))
            for moment in self._moments
            if moment.origin == "said" and moment.index < index
        )

    def answer_was_met(self, heard: Moment) -> bool:
        """Whether the answer had come up before: in an earlier result, or in what was sent for this one."""
        gold = self._gold
        return gold is not None and any(
            gold.stands_in(moment.words)
            for moment in self._moments
            if (moment.origin == "heard" and moment.index < heard.index)
            or (moment.origin == "asked" and heard.call is not None and moment.step is heard.call)
        )

    def reads_own_file(self, heard: Moment) -> bool:
        """Whether the call reads the file that came with the task, and nothing beside it."""
        paths = self._paths(heard.call)
        return self.has_file and bool(paths) and all(map(self._is_own, paths))

    def may_be_own_file(self, heard: Moment) -> bool:
        """Whether it may be from the task's file or what was unpacked from it: the call stays on the machine, and it or
        one before it went for that file or listed what is there."""
        if not self.has_file or heard.role in ("search", "fetch") or "://" in self._paths(heard.call):
            return False
        calls = (moment for moment in self._moments if moment.origin == "asked" and moment.index < heard.index)
        names = self._task_id, "attachment", self._folder
        return any(_LISTS.search(call.text) or any(name in call.text for name in names) for call in calls)

    def _is_own(self, path: str) -> bool:
        """By its name: that of the task's id, ours, or one that the run declares for this task."""
        name = path.replace("\\", "/").rpartition("/")[2]
        return name.partition(".")[0] in (self._task_id, "attachment") or (self._task_id in name and path in self._names)

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
