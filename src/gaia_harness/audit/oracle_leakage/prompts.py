"""What was put before the model of a task, and when: before its first word, in the middle of the work, by a tool?"""

import json
import re
from collections.abc import Sequence
from functools import cached_property

import msgspec

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.oracle_leakage.reading import ASKED, Reading, reading_of
from gaia_harness.audit.timeline import Moment, by_attempt, strings
from gaia_harness.protocol import REMARKS, last_marked
from gaia_harness.records.steps import LlmCall, Prompt, ToolCallStep

LONGEST_REMARK = 600  # characters beside the question; a longer prompt sums up the work, or begins another agent's
MOST_LOOKED_BACK = 60  # times that all that went before a text is gone through


class Told(msgspec.Struct, frozen=True, eq=False, dict=True):
    """One text that the model was given, with a mark in the place of the question.

    `answers` are those that it may be a remark on: the last that the model gave, and of a tool whatever it was sent.
    """

    moment: Moment
    text: str
    at: int  # among the moments of its attempt
    moments: Sequence[Moment]
    opening: bool = False  # before the first word
    answers: Sequence[str] = ()
    inlined: bool = False  # so long, in a task with a file, that this may stand in it: lists and remarks of all kinds

    @cached_property
    def reading(self) -> Reading:
        """The text, read."""
        return reading_of(self.text, may_have_options=not self.inlined)


class Prompts:
    """What one task was told: `openings` before the first word of an attempt, `later` and by tools behind it.

    `not_kept` counts prompts that are not there whole, or not at all.
    """

    def __init__(self, task: TaskEvidence) -> None:
        self.openings: list[Told] = []
        self.later: list[Told] = []
        self.by_tools: list[Told] = []
        self.not_kept = self._looked_back = 0
        self._has_file = task.has_file
        question = (task.question or "").strip()
        # as it is, and as JSON has it, in whatever lines
        in_json = (json.dumps(question, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True))
        forms = sorted({question, *in_json} - {""})
        self._asked = re.compile("|".join(r"\s+".join(map(re.escape, form.split())) for form in forms) or "(?!)")
        for _, moments in by_attempt(task.timeline):
            self._attempt(moments, imported=task.around.imported)

    def before(self, told: Told) -> Sequence[Moment]:
        """What went before a text in its attempt; nothing where that was asked very often."""
        self._looked_back += 1
        return told.moments[: told.at] if self._looked_back <= MOST_LOOKED_BACK else ()

    def _attempt(self, moments: Sequence[Moment], *, imported: bool) -> None:
        prompts = (at for at, moment in enumerate(moments) if type(moment.step) is Prompt and moment.step.bytes)
        first = next(prompts, len(moments))  # a log may have the first prompt behind the first words
        work = next((at for at in range(first, len(moments)) if type(moments[at].step) is not Prompt), len(moments))
        # nobody can record what another program's log does not have; of our own it is an unsound record
        self.not_kept += imported and any(type(moment.step) is LlmCall for moment in moments[:first])
        answers: dict[object, str] = {}  # the last that each agent gave
        asked_alone = False  # whether the prompt before is the question and nothing else
        for at, moment in enumerate(moments):
            step = moment.step
            if type(step) is Prompt:
                text = self._asked.sub(f"\n{ASKED}\n", moment.text)
                self.not_kept += step.truncated and len(moment.text) <= len(step.head) and ASKED not in text
                if asked_alone and step.role == "assistant":  # as in a chat that shows how to answer
                    text = f"{ASKED}\n{text}"
                asked_alone = not text.replace(ASKED, "").strip()
                if asked_alone or moment.text in REMARKS:  # those are our own loop's
                    continue
                if at < work:
                    inlined = self._has_file and step.role == "user" and len(text) > LONGEST_REMARK
                    self.openings.append(Told(moment, text, at, moments, opening=True, inlined=inlined))
                elif len(text) <= LONGEST_REMARK:
                    answer = answers.get(step.agent)
                    self.later.append(Told(moment, text, at, moments, answers=[answer] if answer else ()))
                continue
            if type(step) is LlmCall:
                if given := last_marked(moment.text):
                    answers[step.agent] = given
            elif type(step) is ToolCallStep and moment.role == "answer":
                answers[step.agent] = " ".join(strings(step.args))
            elif moment.origin == "heard" and moment.call is not None and len(moment.text) <= LONGEST_REMARK:
                self.by_tools.append(Told(moment, moment.text, at, moments, answers=strings(moment.call.args)))
