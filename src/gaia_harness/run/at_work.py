"""What the tasks that are under way are doing, for whoever looks. The run tells nobody, and waits for nobody."""

import time

import msgspec

from gaia_harness.evidence.recorder import Recorder
from gaia_harness.records.steps import LlmCall, Step, ToolCallStep, ToolResultStep

MODEL, JUDGE = "model", "judge"


class Glance(msgspec.Struct, frozen=True, kw_only=True):
    """A task at one moment. `doing` names what is waited for: the model, the judge, or tools by their names.

    `tokens` are those of this attempt so far; None where the server does not say. `wait` is why nothing is asked
    at the moment.
    """

    task_id: str
    attempt: int
    turn: int
    doing: str
    tokens: int | None
    seconds: float
    wait: str | None


class AtWork:
    """A task that is under way. Its turn, tools and tokens are read off what is recorded of it."""

    def __init__(self, task_id: str) -> None:
        self.task_id = task_id
        self.began = time.monotonic()
        self.judged = False
        self.wait: str | None = None
        self._attempt = 0
        self._recorder: Recorder | None = None

    def attempt(self, number: int, recorder: Recorder) -> None:
        """An attempt begins."""
        self._attempt, self._recorder = number, recorder

    def waits(self, reason: str | None) -> None:
        """Nothing is asked for a while, and why; None: it goes on."""
        self.wait = reason

    def glance(self) -> Glance:
        """What it is doing now."""
        steps = () if self._recorder is None else self._recorder.steps
        turn, doing = _doing(steps)
        return Glance(
            task_id=self.task_id,
            attempt=self._attempt,
            turn=turn,
            doing=JUDGE if self.judged else doing,
            tokens=_tokens(steps),
            seconds=time.monotonic() - self.began,
            wait=self.wait,
        )


def _doing(steps: tuple[Step, ...]) -> tuple[int, str]:
    """The turn that is under way, and what is waited for."""
    answered: set[str] = set()
    calls: list[str] = []
    for step in reversed(steps):
        if isinstance(step, ToolResultStep):
            answered.add(step.call_id)
        elif isinstance(step, ToolCallStep):
            if step.call_id not in answered:
                calls.append(step.name)
        elif isinstance(step, LlmCall):
            break
    if calls:
        return steps[-1].turn, ", ".join(dict.fromkeys(reversed(calls)))
    last = steps[-1] if steps else None
    return (1 if last is None else last.turn + isinstance(last, ToolResultStep)), MODEL


def _tokens(steps: tuple[Step, ...]) -> int | None:
    total = 0
    for step in steps:
        if isinstance(step, LlmCall):
            if step.tokens_in is None or step.tokens_out is None:
                return None
            total += step.tokens_in + step.tokens_out
    return total
