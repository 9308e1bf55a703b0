"""What the tasks that are under way are doing, for whoever looks. The run waits for nobody.

Once a second it stands in a small file of the run's folder too, for `gaia view --live`. That file is no evidence: it is
gone when the run has ended, no package has it, and where it cannot be written the run goes on without it.
"""

import contextlib
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import temporary_path
from gaia_harness.records.documents import read_document
from gaia_harness.records.excerpt import sound
from gaia_harness.records.steps import LlmCall, Step, ToolCallStep, ToolResultStep
from gaia_harness.shortening import shorten

FILE_NAME = "at-work.json"

MODEL, JUDGE = "model", "judge"
LONGEST_NAME, LONGEST_WAIT = 40, 120


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

    def __str__(self) -> str:
        """Turn, tool, tokens and seconds, and why it waits, in one line."""
        parts = [f"attempt {self.attempt}"] if self.attempt > 1 else []
        parts += [f"turn {self.turn}", shorten(self.doing, LONGEST_NAME)]
        if self.tokens is not None:
            parts.append(f"{self.tokens / 1000:,.1f}k tokens")
        parts.append(f"{self.seconds:.0f} s")
        if self.wait is not None:
            parts.append(shorten(self.wait, LONGEST_WAIT))
        return " · ".join(parts)


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """The file: the tasks that were under way, and when that was."""

    at: str
    tasks: tuple[Glance, ...] = ()


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


def write_moment(folder: Path, running: Iterable[AtWork], redactor: Redactor) -> None:
    """Write what these tasks are doing into the folder of their run, if that can be done."""
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    moment = redactor.hide(Moment(at=at, tasks=tuple(work.glance() for work in running)))
    temporary = temporary_path(folder / FILE_NAME)
    with contextlib.suppress(OSError):
        try:
            temporary.write_bytes(msgspec.json.encode(sound(msgspec.to_builtins(moment))))
            temporary.replace(folder / FILE_NAME)
        finally:
            temporary.unlink(missing_ok=True)


def remove_moment(folder: Path) -> None:
    """Nothing is under way any more."""
    with contextlib.suppress(OSError):
        (folder / FILE_NAME).unlink(missing_ok=True)


def read_moment(folder: Path) -> Moment | None:
    """What stands in the folder of a run that goes on; None where nothing does, or nothing that can be read."""
    try:
        return read_document(folder / FILE_NAME, Moment)
    except (EvidenceError, OSError):
        return None


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
