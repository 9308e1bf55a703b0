"""What was put before the model of a task, and when: before its first word, in the middle of the work, by a tool?"""

import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.oracle_leakage import given
from gaia_harness.audit.oracle_leakage.given import Reading
from gaia_harness.audit.timeline import Moment, by_attempt, strings
from gaia_harness.protocol import REMARKS, last_marked
from gaia_harness.records.steps import LlmCall, Prompt, ToolResultStep

LONGEST_REMARK = 600  # characters beside the question; a longer prompt sums up the work, or begins another agent's
MOST_LOOKED_BACK = 60  # times that all that went before a text is gone through


class Told(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One text that the model was given, with a mark in the place of the question.

    `answers` are those that it may be a remark on: None where nothing was answered that it could be about, none where
    the model's answer is not known, and of a tool whatever it was sent.
    """

    moment: Moment
    text: str
    at: int  # among the moments of its attempt
    moments: Sequence[Moment]
    opening: bool = False  # before the first word
    answers: Sequence[str] | None = None

    @property
    def by_tool(self) -> bool:
        """Whether a tool said it, and no prompt."""
        return type(self.moment.step) is ToolResultStep

    @cached_property
    def reading(self) -> Reading:
        """The text, read."""
        return given.reading_of(self.text)


class Prompts:
    """What one task was told: `openings` before the first word of an attempt, `later` and by tools behind it.

    `missing` are words of the model that nothing was put before, `not_kept` counts prompts that are not there whole.
    """

    def __init__(self, task: TaskEvidence) -> None:
        self.openings: list[Told] = []
        self.later: list[Told] = []
        self.by_tools: list[Told] = []
        self.missing: list[Moment] = []
        self.not_kept = self._looked_back = 0
        self._imported = task.around.imported
        self._question = (task.question or "").strip()
        for _, moments in by_attempt(task.timeline):
            self._attempt(moments)

    def before(self, told: Told) -> Sequence[Moment] | None:
        """What went before a text in its attempt; None where that was asked very often: then nobody looks."""
        self._looked_back += 1
        return told.moments[: told.at] if self._looked_back <= MOST_LOOKED_BACK else None

    def _attempt(self, moments: Sequence[Moment]) -> None:
        answer: str | None = None  # the last that the model gave
        prompted = opened = False
        last_origin, answerable = "", False  # of what was there last, and whether that may have been an answer
        for at, moment in enumerate(moments):
            step = moment.step
            if type(step) is Prompt:
                prompted, opened = prompted or bool(step.bytes), True
                text = self._without_question(moment.text)
                self.not_kept += step.truncated and len(moment.text) <= len(step.head) and given.ASKED not in text
                if not text.replace(given.ASKED, "").strip() or moment.text in REMARKS:  # those are our own loop's
                    continue
                if not last_origin:
                    self.openings.append(Told(moment, text, at, moments, opening=True))
                elif len(text) <= LONGEST_REMARK:
                    about = [answer] if answer and last_origin == "said" else []
                    answers = about if answer or answerable else None
                    self.later.append(Told(moment, text, at, moments, answers=answers))
                continue
            if type(step) is LlmCall:
                if not prompted and self._imported:
                    self.not_kept += 1  # nobody can record what another program's log does not have
                elif not prompted:
                    self.missing.append(moment)
                prompted = True
                answer = last_marked(moment.text) or answer
            elif moment.origin == "heard" and moment.call is not None and len(moment.text) <= LONGEST_REMARK:
                self.by_tools.append(Told(moment, moment.text, at, moments, answers=strings(moment.call.args)))
            if opened or moment.origin != "said":  # a log may have the first prompt behind the first words
                last_origin, answerable = moment.origin, moment.origin == "said" or moment.role in ("answer", "other")

    def _without_question(self, text: str) -> str:
        """A prompt with a mark in the place of the question, however its lines are broken."""
        words = self._question.split()
        if self._question in text or not all(map(text.__contains__, words)):
            return text.replace(self._question, f"\n{given.ASKED}\n") if words else text
        return re.sub(r"\s+".join(map(re.escape, words)), f"\n{given.ASKED}\n", text)
