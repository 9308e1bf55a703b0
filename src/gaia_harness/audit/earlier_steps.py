"""What happened in an attempt before a given step: answer stated or seen, notes taken, attachment requested."""

from bisect import bisect, bisect_left
from collections.abc import Callable, Sequence
from itertools import islice

from gaia_harness.audit.asked_for import arguments
from gaia_harness.audit.denials import Denials
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.result_origins import names_the_file
from gaia_harness.evidence.wording import reduce
from gaia_harness.normalization import ballot
from gaia_harness.protocol import WEB_TOOLS, readings
from gaia_harness.records.steps import LlmCall, Step, ToolCallStep, ToolResultStep

MOST_NOTES = 4
"""Calls of an attempt that wrote down the question."""


class EarlierSteps:
    """The steps of one task before a given step, which is named by its index."""

    def __init__(self, task: TaskEvidence, steps: Sequence[Step], gold: GoldForms | None, denials: Denials) -> None:
        self._answer = None if task.facts is None else task.facts.answer
        self._steps = steps
        self._gold = gold
        self._denials = denials
        self._first: dict[tuple[int, str], tuple[int, int | None]] = {}
        self._notes: dict[int, tuple[tuple[int, str], ...]] = {}

    def reached(self, index: int) -> bool:
        """Whether the model had said the answer before this step of the same attempt."""
        return self._has_been(index, "said", lambda step: isinstance(step, LlmCall) and self._says_it(step))

    def met(self, index: int, sent: str) -> bool:
        """Whether the answer stood in an earlier result of the same attempt, or in what the agent sent here."""
        gold = self._gold
        if gold is None:
            return False
        return gold.stands_in(reduce(sent)) or self._has_been(
            index, "met", lambda step: type(step) is ToolResultStep and gold.stands_in(reduce(step.head))
        )

    def noted(self, here: ToolResultStep, called: ToolCallStep | None) -> str:
        """What the agent wrote down with the question in it, earlier in the same attempt: it may read that again."""
        if here.sources or here.name in WEB_TOOLS:
            return ""
        if here.attempt not in self._notes:
            steps = self._steps[self._start(here.attempt) : bisect(self._steps, here.attempt, key=_attempt)]
            calls = (step for step in steps if type(step) is ToolCallStep)
            texts = ((step, arguments(step)) for step in calls if step.name not in WEB_TOOLS)
            noted = ((step.seq, text) for step, text in texts if self._denials.sent(text))
            self._notes[here.attempt] = tuple(islice(noted, MOST_NOTES))
        before = here.seq if called is None else called.seq
        return "".join(f"\n{text}" for seq, text in self._notes[here.attempt] if seq < before)

    def went_for(self, name: str, index: int) -> bool:
        """Whether a call of the attempt, up to this result, had to do with the task's file."""
        return self._has_been(index, "file", lambda step: type(step) is ToolCallStep and names_the_file(step, name))

    def _has_been(self, index: int, what: str, is_it: Callable[[Step], bool]) -> bool:
        """Whether there was such a step before this one of the same attempt: each step is looked at once."""
        attempt = self._steps[index].attempt
        read, first = self._first.get((attempt, what)) or (self._start(attempt), None)
        while first is None and read < index:
            if is_it(self._steps[read]):
                first = read
            read += 1
        self._first[attempt, what] = read, first
        return first is not None and first < index

    def _start(self, attempt: int) -> int:
        """Where the steps of an attempt begin: attempts never go back."""
        return bisect_left(self._steps, attempt, key=_attempt)

    def _says_it(self, step: LlmCall) -> bool:
        if self._answer is not None and ballot(self._answer) in map(ballot, readings(step.head)):
            return True
        return self._gold is not None and not self._gold.trivial and self._gold.stands_in(reduce(step.head))


def _attempt(step: Step) -> int:
    return step.attempt
