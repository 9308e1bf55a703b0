"""The evidence of a whole run in a folder: trajectories.jsonl, prompts/ and bodies/."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.redaction import Redactor, can_be_masked
from gaia_harness.figures import total
from gaia_harness.files import LineFile
from gaia_harness.records.masks import SHORTEST_SECRET
from gaia_harness.records.steps import LlmCall, Step, ToolCallStep
from gaia_harness.records.trajectories import Trajectory, decode, encode

log = logging.getLogger(__name__)


class Recording:
    """Takes down tasks, from any agent loop. `questions` are those of the whole run, by task id, for the scan."""

    def __init__(
        self,
        folder: Path,
        questions: Mapping[str, str],
        *,
        secrets: Iterable[str] = (),
        full_bodies: bool = False,
        writing: Callable[[Callable[[], None]], None] = lambda write: write(),
    ) -> None:
        """`writing` makes each write of a full text, so that somebody can find room for it on a full disk."""
        secrets = tuple(filter(None, secrets))
        if left := sum(not can_be_masked(secret) for secret in secrets):
            log.warning("%d of the secrets cannot be masked: it takes %d characters", left, SHORTEST_SECRET)
        folder.mkdir(parents=True, exist_ok=True)
        self.settings = RecorderSettings(
            prompts=TextStore(folder / "prompts", compressed=False, writing=writing),
            bodies=TextStore(folder / "bodies", compressed=True, writing=writing),
            every_body=full_bodies,
            fingerprint=Fingerprint(questions),
            redactor=Redactor(secrets),
        )
        self._lines = LineFile(folder / "trajectories.jsonl")

    def task(self, task_id: str, *, model: str, voting_attempts: int = 1, attempts_before: int = 0) -> "TaskRecording":
        """Begin a task. `attempts_before` were started by an earlier process that did not live to finish it."""
        return TaskRecording(self, task_id, model, voting_attempts, attempts_before)

    def append(self, line: bytes) -> None:
        """Add a finished task's line."""
        self._lines.append(line)

    def close(self) -> None:
        """Let go of the files."""
        self._lines.close()

    def __enter__(self) -> "Recording":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FinishedTask(msgspec.Struct, frozen=True):
    """A finished task: its trajectory as written to the file, and the hash of the line."""

    trajectory: Trajectory
    sha256: str


class TaskRecording:
    """One task: a recorder for each attempt, then one line for all of them."""

    def __init__(
        self, recording: Recording, task_id: str, model: str, voting_attempts: int, attempts_before: int
    ) -> None:
        self.task_id = task_id
        self._recording = recording
        self._model = model
        self._voting_attempts = voting_attempts
        self._attempts = attempts_before
        self._recorders: list[Recorder] = []

    def attempt(self) -> Recorder:
        """Begin the next attempt."""
        self._attempts += 1
        recorder = Recorder(
            task_id=self.task_id,
            attempt=self._attempts,
            first_seq=len(self.steps),
            settings=self._recording.settings,
        )
        self._recorders.append(recorder)
        return recorder

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all attempts so far."""
        return tuple(step for recorder in self._recorders for step in recorder.steps)

    @property
    def failures(self) -> list[str]:
        """What could not be taken down."""
        return [failure for recorder in self._recorders for failure in recorder.failures]

    def steps_sha256(self) -> str:
        """The hash of the trajectory so far: of its steps as a JSON array."""
        return hashlib.sha256(encode(self.steps)).hexdigest()

    def finish(self, final_answer: str | None, *, selected_attempt: int | None = None) -> FinishedTask:
        """Write the task's line; when this returns it is on disk."""
        if self.failures:
            raise EvidenceError(f"{self.task_id}: {self.failures[0]}")
        steps = self.steps
        calls = [step for step in steps if isinstance(step, LlmCall)]
        trajectory = Trajectory(
            task_id=self.task_id,
            model=self._model,
            turns=len({(step.attempt, step.turn) for step in steps}),
            final_answer=final_answer,
            input_tokens=total(call.tokens_in for call in calls),
            output_tokens=total(call.tokens_out for call in calls),
            voting_attempts=self._voting_attempts,
            selected_attempt=self._attempts if selected_attempt is None else selected_attempt,
            tools_used=tuple(sorted({step.name for step in steps if isinstance(step, ToolCallStep)})),
            steps=steps,
        )
        trajectory = self._recording.settings.redactor.hide(trajectory)
        line = _checked_line(trajectory)
        self._recording.append(line + b"\n")
        return FinishedTask(trajectory, hashlib.sha256(line).hexdigest())


def _checked_line(trajectory: Trajectory) -> bytes:
    """The line as it will be read, so that nothing is written that a reader would refuse."""
    try:
        line = encode(trajectory)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise EvidenceError(f"{trajectory.task_id}: cannot be written as JSON: {error}") from error
    decode(line, where=trajectory.task_id)
    return line
