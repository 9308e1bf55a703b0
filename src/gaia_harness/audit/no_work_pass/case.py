"""What do the steps of a task add up to? One pass over its timeline, for the rules of AUD-2."""

import msgspec

from gaia_harness.audit.claims import stands_in
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Severity
from gaia_harness.audit.timeline import Moment
from gaia_harness.records.masks import SHORTEST_SECRET
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import Trajectory

MOST_PROMPTS = 50
"""Prompts in which the question is looked for: it stands in the first ones."""

MOST_TEXTS = 400
"""Texts of an attempt in which its answer is looked for, from the last one back: six times what we allow."""


class Case(msgspec.Struct):
    """A task with its result and its trajectory. The answer is from one attempt, the chosen one."""

    run: RunEvidence
    task: TaskEvidence
    facts: TaskFacts
    trajectory: Trajectory
    turns: int = 0
    calls: list[LlmCall] = []
    asked: set[str] = set()  # tools by name
    used: set[str] = set()  # those that were asked properly and gave back something
    prompts: list[Moment] = []
    kept: list[ToolResultStep] = []  # whose whole output is said to be kept
    chosen: list[Moment] = []  # what the chosen attempt said, asked for and heard
    replies: list[LlmCall] = []  # those of the chosen attempt
    went_on: bool = False  # it called a tool behind the last of them
    handed_in: Answer | None = None  # the last answer of the chosen attempt that was not given in words

    def __post_init__(self) -> None:
        """Add the steps up."""
        attempt = turn = 0
        well_asked: set[str] = set()
        for moment in self.task.timeline:
            step = moment.step
            if step.turn != turn or step.attempt != attempt:
                attempt, turn = step.attempt, step.turn
                self.turns += 1
            chosen = attempt == self.trajectory.selected_attempt
            if type(step) is Prompt:
                if step.role not in ("context", "tools") and len(self.prompts) < MOST_PROMPTS:
                    self.prompts.append(moment)
                continue
            if chosen:
                self.chosen.append(moment)
            if type(step) is ToolResultStep:
                if step.body:
                    self.kept.append(step)
                if not step.is_error and step.name in well_asked:
                    self.used.add(step.name)
            elif type(step) is ToolCallStep:
                self.asked.add(step.name)
                if isinstance(step.args, dict):
                    well_asked.add(step.name)
                self.went_on = self.went_on or chosen
            elif type(step) is LlmCall:
                self.calls.append(step)
                if chosen:
                    self.replies.append(step)
                    self.went_on = False
            elif type(step) is Answer and chosen:
                self.handed_in = step

    @property
    def weight(self) -> Severity:
        """That of a lie about the task."""
        return "critical" if self.task.counted_right else "high"

    @property
    def ours(self) -> bool:
        """Whether our own loop was at work, which takes the answer from the model's last words and nowhere else."""
        return isinstance(self.run.facts.origin, msgspec.UnsetType)

    @property
    def roles(self) -> set[str]:
        """What the tools do that the chosen attempt called."""
        return {moment.role for moment in self.chosen if moment.origin == "asked"}

    def comes_up(self, answer: str) -> bool:
        """Whether the answer stands in the work of its attempt, or may stand where nobody can see it.

        Other programs than ours hand in variables that code has computed, and what another agent found.
        """
        texts = [m for m in self.chosen if m.step is not self.handed_in and (m.origin == "said" or not self.ours)]
        if not self.ours and not self.roles.isdisjoint(("code", "delegate")):
            return True
        if len(texts) > MOST_TEXTS or any(_may_hide(answer, moment) for moment in texts):
            return True
        return any(stands_in(answer, moment.text) for moment in reversed(texts))


def _may_hide(answer: str, moment: Moment) -> bool:
    """Whether an answer may stand in what cannot be read of a text: behind its cut, or behind a mask."""
    step = moment.step
    if type(step) is ToolCallStep:
        return bool(step.args_truncated)
    cut = not isinstance(step, ToolCallStep) and step.truncated and moment.text == step.head
    return cut or (step.redactions > 0 and len(answer) >= SHORTEST_SECRET)
