"""What had happened in an attempt before a step: was the answer said or met, what was noted, was the file gone for?"""

from collections.abc import Iterator, Sequence
from itertools import islice

from gaia_harness.answer_line import final_answer
from gaia_harness.audit.asked_for import arguments
from gaia_harness.audit.denials import Denials
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.own_work import OF_THE_WEB, names_the_file
from gaia_harness.evidence.steps import LlmCall, Step, ToolCallStep, ToolResultStep
from gaia_harness.evidence.wording import reduce
from gaia_harness.normalization import ballot

MOST_NOTES = 4
"""Calls of an attempt that wrote down the question."""


class Before:
    """The steps of one task. A step is named by its place among them."""

    def __init__(self, task: TaskEvidence, steps: Sequence[Step], gold: GoldForms | None, denials: Denials) -> None:
        self._answer = None if task.facts is None else task.facts.answer
        self._steps = steps
        self._gold = gold
        self._denials = denials
        self._reached: dict[int, tuple[int, int | None]] = {}
        self._notes: dict[int, tuple[tuple[int, str], ...]] = {}

    def reached(self, index: int) -> bool:
        """Whether the model had said the answer before this step of the same attempt: each step is read once."""
        attempt = self._steps[index].attempt
        read, first = self._reached.get(attempt, (0, None))
        while first is None and read < index:
            step = self._steps[read]
            if step.attempt == attempt and isinstance(step, LlmCall) and self._says_it(step):
                first = read
            read += 1
        self._reached[attempt] = read, first
        return first is not None and first < index

    def met(self, index: int, sent: str) -> bool:
        """Whether the answer stood in an earlier result of the same attempt, or in what the agent sent here."""
        if self._gold is None:
            return False
        results = (step.head for step in self._of_the_attempt(index) if type(step) is ToolResultStep)
        return any(self._gold.stands_in(reduce(text)) for text in (sent, *results))

    def noted(self, here: ToolResultStep, called: ToolCallStep | None) -> str:
        """What the agent wrote down with the question in it, earlier in the same attempt: it may read that again."""
        if here.sources or here.name in OF_THE_WEB:
            return ""
        if here.attempt not in self._notes:
            calls = (step for step in self._steps if type(step) is ToolCallStep and step.attempt == here.attempt)
            texts = ((step, arguments(step)) for step in calls if step.name not in OF_THE_WEB)
            noted = ((step.seq, text) for step, text in texts if self._denials.sent(text))
            self._notes[here.attempt] = tuple(islice(noted, MOST_NOTES))
        before = here.seq if called is None else called.seq
        return "".join(f"\n{text}" for seq, text in self._notes[here.attempt] if seq < before)

    def went_for(self, name: str, index: int) -> bool:
        """Whether a call of the attempt, up to this result, had to do with the task's file."""
        return any(type(step) is ToolCallStep and names_the_file(step, name) for step in self._of_the_attempt(index))

    def _of_the_attempt(self, index: int) -> Iterator[Step]:
        attempt = self._steps[index].attempt
        return (step for step in self._steps[:index] if step.attempt == attempt)

    def _says_it(self, step: LlmCall) -> bool:
        said = final_answer(step.head)
        if said is not None and self._answer is not None and ballot(said) == ballot(self._answer):
            return True
        return self._gold is not None and not self._gold.trivial and self._gold.stands_in(reduce(step.head))
