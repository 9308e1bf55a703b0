"""Does an answer only repeat what its task read, or is it one sentence, such as a question may ask for?"""

import re
from contextlib import suppress

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.talk_of_grading import beside, clauses
from gaia_harness.errors import GaiaError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.steps import ToolCallStep, ToolResultStep

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


def quotes(task: TaskEvidence, bodies: TextStore, answer: str, start: int) -> bool:
    """Whether the answer is one clause by itself, or it or its clause at `start` stands in what was read."""
    said = list(clauses(answer))
    alone = len(said) < 2 and not any(beside(answer, *each) for each in said)
    asked = _WORD_BY_WORD.search(task.question or "") is not None
    if (alone and (asked or (_LEAD.fullmatch(answer[:start]) and _HEAD.match(answer) is None))) or (
        asked and len(said) < 2 and answer[:1] in _MARKUP
    ):
        return True
    clause = _folded(_CLAUSE_ENDS.split(answer[start:], maxsplit=1)[0])
    wanted = {_folded(answer)} | ({clause} if clause.count(" ") + 1 >= SHORTEST else set())
    return any(text in seen for seen in _read(task, bodies, answer) for text in wanted if text)


def _read(task: TaskEvidence, bodies: TextStore, answer: str) -> list[str]:
    """What tools gave back, other than what they were told to say."""
    if task.trajectory is None:
        return []
    said = _folded(answer)
    own = {
        step.call_id
        for step in task.trajectory.steps
        if isinstance(step, ToolCallStep) and said in _folded(str(step.args))
    }
    room, found = MOST_BYTES, []
    for step in task.trajectory.steps:
        if not isinstance(step, ToolResultStep) or step.call_id in own:
            continue
        text = "\n".join((step.head, *(window.text for window in step.windows)))
        if step.body and step.truncated and step.bytes <= room:
            room -= step.bytes
            with suppress(GaiaError):  # that it is missing is for the verifier to say
                text = bodies.get(step.stored_sha256).decode("utf-8", "replace")
        found.append(_folded(text))
    return found


def _folded(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" .\"'“”«»").lower()
