"""Recognises answers that only quote what the task read, or that are the single sentence a question asks for."""

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.kept_bodies import KeptBodies
from gaia_harness.audit.talk_of_grading import beside, clauses
from gaia_harness.records.steps import ToolCallStep, ToolResultStep

MOST_BYTES = 4 << 20
"""Of a task's outputs that are looked through: a finding's weight is at stake, not whether there is one."""

SHORTEST = 4
"""Words of a clause that do not stand on a page by chance."""

_WORD_BY_WORD = re.compile(
    r"\b(?:(?:sub)?titles?|titled|entitled|quot(?:e|ed|es|ation)|sentences?|clauses?|verbatim|word for word|wording|"
    r"phrases?|exact (?:words?|text|name)|(?:which|what|first|last|next) line|"
    r"lyrics?|inscription|inscribed|motto|slogan|caption|headline|heading|"
    r"messages?|prints?|printed|outputs?|returns?|displayed|written|says?|reads?|explained|explanation|defin(?:ed|es?|"
    r"ition)|describ(?:ed?|es)|rules?|called|name of the (?:book|film|song|novel|episode|album|play|poem|story))\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"(?:(?:all|the|an?|this|these|no|every|any|each|our|my)\b|\W)*", re.IGNORECASE)
"""What may stand before a plea that is all of an answer; other words there may be the answer."""
_HEAD = re.compile(r"(?:[^\s,:]+ ){0,3}[^\s,:]+[,:] ")
"""A few words that may be the answer, before what is said of it."""

_MARKUP = ("<", "[", "{")
_CLAUSE_ENDS = re.compile(r"[.!?](?=\s|$)|[;()\n]| [-–—] ")
_SPACES = re.compile(r"\s+")


class TextsRead:
    """What the tools of one task were told and gave back, folded once for all its answers."""

    def __init__(self, task: TaskEvidence, bodies: KeptBodies) -> None:
        self._question = task.question or ""
        self._steps = () if task.trajectory is None else task.trajectory.steps
        self._bodies = bodies

    def quoted(self, answer: str, start: int) -> bool:
        """Whether the answer is one clause by itself, or it or its clause at `start` stands in what was read."""
        said = list(clauses(answer))
        alone = len(said) < 2 and not any(beside(answer, *each) for each in said)
        asked = _WORD_BY_WORD.search(self._question) is not None
        if (alone and (asked or (_LEAD.fullmatch(answer[:start]) and _HEAD.match(answer) is None))) or (
            asked and len(said) < 2 and answer[:1] in _MARKUP
        ):
            return True
        whole = _folded(answer)
        clause = _folded(_CLAUSE_ENDS.split(answer[start:], maxsplit=1)[0])
        wanted = {whole} | ({clause} if clause.count(" ") + 1 >= SHORTEST else set())
        own = self._told(whole)  # what a tool was told to say is not something read
        # one long text, in which Python looks in linear time whatever is looked for; no folded text has a line end
        seen = "\n".join(text for call_id, text in self._results if call_id not in own)
        return any(text in seen for text in wanted if text)

    def _told(self, text: str) -> set[str]:
        """The calls in whose arguments a text stands."""
        ids, told, ends = self._arguments
        found: set[str] = set()
        at = told.find(text)
        while 0 <= at < len(told):
            call = bisect_right(ends, at)
            found.add(ids[call])
            at = told.find(text, ends[call])
        return found

    @cached_property
    def _arguments(self) -> tuple[list[str], str, list[int]]:
        """The calls, what they were told, one line each, and where each of these lines ends."""
        calls = [step for step in self._steps if isinstance(step, ToolCallStep)]
        lines = [_folded(str(step.args)) + "\n" for step in calls]
        return [step.call_id for step in calls], "".join(lines), list(accumulate(map(len, lines)))

    @cached_property
    def _results(self) -> list[tuple[str, str]]:
        room, found = MOST_BYTES, []
        for step in self._steps:
            if not isinstance(step, ToolResultStep):
                continue
            text = "\n".join((step.head, *(window.text for window in step.windows)))
            if step.body and step.truncated and step.bytes <= room:
                room -= step.bytes
                whole = self._bodies.text(step)  # that it is missing is for the verifier to say
                text = text if whole is None else whole
            found.append((step.call_id, _folded(text)))
        return found


def _folded(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" .\"'“”«»").lower()
