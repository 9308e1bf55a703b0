"""What an exporter reads: a run folder or a package, one task at a time, and never a gold answer."""

import contextlib
import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.evidence.bodies import TextStore, most_unpacked
from gaia_harness.files import read_lines
from gaia_harness.protocol import OWN_ROLES, ToolRole
from gaia_harness.records import trajectories
from gaia_harness.records.events import AttemptFinished, AttemptStarted, RunClosed, RunStarted
from gaia_harness.records.line_work import Cut
from gaia_harness.records.log import read_log
from gaia_harness.records.origin import Origin
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.run import FILE_NAME, read_stated
from gaia_harness.records.steps import LlmCall, Prompt, Source, Step, Thoughts, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import Trajectory
from gaia_harness.submission.archive import unpacked
from gaia_harness.submission.file_set import LOG, METADATA, RESULTS, TRAJECTORIES, list_files
from gaia_harness.submission.metadata import read_metadata

MOST_TEXT = 32 << 20
"""Bytes of full texts that are given for one task. What is beyond is given by its head, and marked as cut."""

MOST_ATTEMPTS = 200_000
DEEPEST = 20
"""Sub-agents inside each other."""

LONGEST_RESULT = 16 << 20
_LONGER_BY_MASKS = 16


class ExportedResult(TaskFacts, frozen=True, kw_only=True):
    """A line of a run's results.jsonl without its gold answer: this type has no place for it."""

    question: str | None = None


class RunInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What an export says of the run as a whole. `dataset` is hub, demo or folder; times are None where not known."""

    run_id: str
    model: str
    harness_version: str
    dataset: str
    revision: str | None
    digest: str
    split: str
    task_ids: tuple[str, ...]
    voting_attempts: int
    judge_model: str | None
    isolation: dict[str, str]
    origin: Origin | None
    options: dict[str, Any]
    is_package: bool
    started_at: str | None = None
    finished_at: str | None = None

    @property
    def agent(self) -> tuple[str, str]:
        """The program that ran the agent, and its version."""
        if self.origin is None:
            return "gaia-harness", self.harness_version or "unknown"
        name, _, version = self.origin.recorded_by.rpartition(" ")
        return (name, version) if name else (version, "unknown")

    def roles(self, names: Sequence[str]) -> dict[str, ToolRole]:
        """What these tools do, as far as it is known."""
        known = OWN_ROLES if self.origin is None else self.origin.tools
        return {name: known[name] for name in names if name in known}

    def gaps(self) -> tuple[str, ...]:
        """What the run does not know of itself."""
        return () if self.origin is None else self.origin.missing()


class AttemptTimes(msgspec.Struct):
    """When an attempt began and ended, as the run's log has it."""

    started_at: str
    finished_at: str | None = None


class Told(msgspec.Struct, frozen=True):
    """A step with its text, as far as it is kept. `cut`: more of it existed."""

    step: Step
    text: str = ""
    cut: bool = False
    thoughts: str = ""
    thoughts_cut: bool = False


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt at a task that left steps. `number` counts from 1."""

    number: int
    selected: bool
    answer: str | None
    steps: tuple[Told, ...]
    times: AttemptTimes | None


class ExportedTask(msgspec.Struct, frozen=True, kw_only=True):
    """One task that has a result. `trajectory` is None where the run recorded none."""

    facts: TaskFacts
    question: str | None
    trajectory: Trajectory | None
    attempts: tuple[Attempt, ...]


Progress = Callable[[str, int, int], None]
"""Told what is done ("writing" or "auditing"), how many tasks are done, and of how many."""


class ExportSource:
    """A run or a package that is exported. `tasks()` reads the trajectories anew each time."""

    def __init__(self, folder: Path, info: RunInfo, results: Mapping[str, TaskFacts]) -> None:
        self.folder = folder
        self.info = info
        self.results = results
        self.env: Mapping[str, str] = {}
        self.exported_at = 0
        """The time of the export, in seconds since 1970."""
        self.sub_agents = False
        """Whether one of the tasks that were given has steps of a sub-agent."""
        self.progress: Progress = lambda what, done, total: None
        self.done = self.without_result = 0
        """Tasks that were given, and trajectories that no result belongs to: a run that was interrupted there."""
        self._prompts = TextStore(folder / "prompts", compressed=False)
        self._bodies = TextStore(folder / "bodies", compressed=True)
        self._left = most_unpacked(_stored_bytes(folder))
        self._times = _read_times(folder / LOG, results.keys())
        if (run_times := self._times.pop(("", 0), None)) is not None:
            started = info.started_at or run_times.started_at
            finished = info.finished_at or run_times.finished_at
            self.info = msgspec.structs.replace(info, started_at=started or None, finished_at=finished)

    def tasks(self) -> Iterator[ExportedTask]:
        """Every task with a result: those with a trajectory in the order of the file, then the others."""
        self.done = self.without_result = 0
        for task in self._tasks():
            yield task
            self.done += 1
            self.progress("writing", self.done, len(self.results))

    def _tasks(self) -> Iterator[ExportedTask]:
        seen: set[str] = set()
        for trajectory in _read_trajectories(self.folder / TRAJECTORIES):
            if trajectory.task_id in seen:
                raise EvidenceError(f"{TRAJECTORIES}: the task {trajectory.task_id[:80]!a} has two trajectories")
            seen.add(trajectory.task_id)
            facts = self.results.get(trajectory.task_id)
            if facts is None:
                self.without_result += 1
                continue
            yield ExportedTask(
                facts=facts,
                question=getattr(facts, "question", None),
                trajectory=trajectory,
                attempts=self._attempts(facts, trajectory),
            )
        for task_id in sorted(self.results.keys() - seen):
            facts = self.results[task_id]
            yield ExportedTask(facts=facts, question=getattr(facts, "question", None), trajectory=None, attempts=())

    def _attempts(self, facts: TaskFacts, trajectory: Trajectory) -> tuple[Attempt, ...]:
        _check_depth(trajectory)
        room = _Room(MOST_TEXT)
        steps: dict[int, list[Told]] = {}
        self.sub_agents |= any(isinstance(step.agent, str) for step in trajectory.steps)
        for step in trajectory.steps:
            steps.setdefault(step.attempt, []).append(self._tell(step, room))
        answers = facts.voting.answers
        before = facts.attempts - len(answers)  # lost with the process that made them
        attempts = []
        for number, told in steps.items():
            if number > MOST_ATTEMPTS:
                raise EvidenceError(f"{TRAJECTORIES}: {facts.task_id[:80]!a} has an attempt {number}")
            at = number - 1 - before
            selected = number == trajectory.selected_attempt
            answer = answers[at] if 0 <= at < len(answers) else facts.answer if selected else None
            times = self._times.get((facts.task_id, number))
            attempts.append(Attempt(number=number, selected=selected, answer=answer, steps=tuple(told), times=times))
        return tuple(attempts)

    def _tell(self, step: Step, room: "_Room") -> Told:
        if isinstance(step, ToolCallStep):
            args = step.args if isinstance(step.args, str) else ""
            return Told(step, args, bool(step.args_truncated))
        if isinstance(step, Prompt):
            text, cut = self._text(step, self._prompts if step.is_stored else None, step.content_sha256, room)
            return Told(step, text, cut)
        if isinstance(step, ToolResultStep):
            text, cut = self._text(step, self._bodies if step.body else None, step.output_sha256, room)
            return Told(step, text, cut)
        if isinstance(step, LlmCall):
            text, cut = self._text(step, self._bodies if step.body is True else None, step.output_sha256, room)
            thoughts, thoughts_cut = "", False
            if (thought := step.thoughts) is not None:
                store = self._bodies if thought.body is True else None
                thoughts, thoughts_cut = self._text(thought, store, thought.sha256, room)
            return Told(step, text, cut, thoughts, thoughts_cut)
        return Told(step, step.head, step.truncated)

    def _text(
        self, step: Prompt | LlmCall | ToolResultStep | Thoughts, store: TextStore | None, original: str, room: "_Room"
    ) -> tuple[str, bool]:
        """The whole text where it is kept, else its head; and whether that is cut."""
        if not step.truncated:
            return step.head, False
        if store is None or not room.take(step.bytes):
            return step.head, True
        stored = step.stored_sha256
        most = step.bytes if stored == original else _LONGER_BY_MASKS * step.bytes
        self._left -= step.bytes
        if self._left < 0:
            raise EvidenceError("prompts/ and bodies/: unpack to more than an honest run's texts do")
        try:
            data = store.get(stored, largest=most)
        except EvidenceError as error:
            raise EvidenceError(error.message.replace(f"{self.folder}{os.sep}", "")) from error
        return data.decode("utf-8", "replace"), False


class _Room:
    """How many bytes of full texts a task may still have."""

    def __init__(self, left: int) -> None:
        self._left = left

    def take(self, size: int) -> bool:
        if size > self._left:
            return False
        self._left -= size
        return True


def _check_depth(trajectory: Trajectory) -> None:
    """Formats nest sub-agents inside each other, and their readers do not go as deep as they like."""
    depths: list[int] = []
    for step in trajectory.steps:
        depths.append(depths[step.parent] + 1 if isinstance(step.parent, int) else 0)
        if depths[-1] > DEEPEST:
            raise EvidenceError(
                f"{TRAJECTORIES}: {trajectory.task_id[:80]!a}, step {step.seq}: sub-agents nested deeper than {DEEPEST}"
            )


def source_texts(told: Told) -> list[tuple[Source, str]]:
    """The sources of a tool's output, each with its part of the text; with none where the text is not whole."""
    step = told.step
    if not isinstance(step, ToolResultStep):
        return []
    data = told.text.encode("utf-8", "replace") if step.sources else b""
    whole = not told.cut and len(data) == step.bytes  # masks and bytes that were no text would shift the places
    return [
        (source, data[source.offset : source.offset + source.bytes].decode("utf-8", "replace") if whole else "")
        for source in step.sources
    ]


@contextlib.contextmanager
def open_source(path: Path) -> Iterator[ExportSource]:
    """A run folder, or a package as a folder, a tar or a zip file."""
    if not os.path.lexists(path):
        raise UsageError(f"{path}: there is no such run or package", hint="name a run folder or a package")
    if path.is_file():
        with unpacked(path) as folder:
            yield _open_package(folder)
    elif (path / FILE_NAME).is_file():
        yield _open_run(path)
    elif os.path.lexists(path / METADATA):
        yield _open_package(path)
    else:
        raise UsageError(
            f"{path}: neither a run nor a package (run.json and metadata.json are missing)",
            hint="name the folder that `gaia run --out` or `gaia submit --out` wrote",
        )


def _open_run(folder: Path) -> ExportSource:
    run = read_stated(folder)
    options = msgspec.to_builtins(run.config)
    info = RunInfo(
        run_id=run.run_id,
        model=run.config.model,
        harness_version=run.versions.get("gaia_harness", ""),
        # a folder's name says nothing to anybody else
        dataset=run.dataset.name if run.dataset.name in ("hub", "demo") else "folder",
        revision=run.dataset.revision,
        digest=run.dataset.digest,
        split=run.dataset.gaia_split,
        task_ids=run.dataset.task_ids,
        voting_attempts=run.config.voting_attempts,
        judge_model=run.config.judge_model,
        isolation=run.isolation,
        origin=run.origin or None,
        options={name: options[name] for name in _OPTIONS if options.get(name) is not None},
        is_package=False,
        started_at=run.started_at or None,
        finished_at=run.finished_at,
    )
    return ExportSource(folder, info, _read_results(folder / RESULTS))


_OPTIONS = ("seed", "temperature", "reasoning_effort", "limits")


def _open_package(folder: Path) -> ExportSource:
    files = list_files(folder)
    if files.faults:
        raise EvidenceError(files.faults[0])
    metadata = read_metadata(files.read(METADATA))
    facts = metadata.facts
    options = metadata.options if isinstance(metadata.options, dict) else {}
    info = RunInfo(
        run_id=facts.run_id,
        model=facts.model,
        harness_version=facts.harness_version,
        dataset=facts.dataset,
        revision=facts.dataset_revision,
        digest=facts.dataset_digest,
        split=facts.gaia_split,
        task_ids=facts.task_ids,
        voting_attempts=facts.voting_attempts,
        judge_model=facts.judge_model,
        isolation=facts.isolation,
        origin=facts.origin or None,
        options={name: options[name] for name in _OPTIONS if options.get(name) is not None},
        is_package=True,
    )
    results: dict[str, TaskFacts] = {}
    for task in facts.tasks:
        if task.task_id in results:
            raise EvidenceError(f"{METADATA}: the task {task.task_id[:80]!a} stands there twice")
        results[task.task_id] = task
    return ExportSource(folder, info, results)


def _read_results(path: Path) -> dict[str, TaskFacts]:
    results: dict[str, TaskFacts] = {}
    for line in read_lines(path, longest=LONGEST_RESULT):
        where = f"{RESULTS}:{line.number}"
        if line.torn:
            raise EvidenceError(f"{where}: the line is cut short")
        try:
            result = msgspec.convert(strict_json.loads(line.data, where=where), ExportedResult)
        except strict_json.JsonError as error:
            raise EvidenceError(error.message) from error
        except msgspec.ValidationError as error:
            raise EvidenceError(f"{where}: not a result: {error}") from error
        if result.task_id in results:
            raise EvidenceError(f"{where}: the task {result.task_id[:80]!a} has a result already")
        results[result.task_id] = result
    return results


def _read_trajectories(path: Path) -> Iterator[Trajectory]:
    if not path.exists():
        return
    for batch in Cut(path, longest=trajectories.LONGEST_LINE, hold=True):
        for number, data in batch.lines():
            line = trajectories.read_line(data, number)
            if line.trajectory is None:
                raise EvidenceError(line.fault or f"{TRAJECTORIES}:{number}: not a trajectory")
            yield line.trajectory


def _read_times(path: Path, tasks: Container[str]) -> dict[tuple[str, int], AttemptTimes]:
    """When each attempt at these tasks began and ended; those of the whole run under ("", 0)."""
    times: dict[tuple[str, int], AttemptTimes] = {}
    for _, event in read_log(path):
        if isinstance(event, RunStarted):
            times[("", 0)] = AttemptTimes(event.time)
        elif isinstance(event, RunClosed) and ("", 0) in times:
            times[("", 0)].finished_at = event.time
        elif isinstance(event, AttemptStarted) and event.task_id in tasks:
            times[(event.task_id, event.attempt)] = AttemptTimes(event.time)
            if len(times) > MOST_ATTEMPTS:
                raise EvidenceError(f"{LOG}: more than {MOST_ATTEMPTS} attempts")
        elif isinstance(event, AttemptFinished) and (known := times.get((event.task_id, event.attempt))) is not None:
            known.finished_at = event.time
    return times


def _stored_bytes(folder: Path) -> int:
    """What prompts/ and bodies/ take on disk."""
    size = 0
    for name in ("prompts", "bodies"):
        with contextlib.suppress(OSError), os.scandir(folder / name) as files:
            size += sum(file.stat(follow_symlinks=False).st_size for file in files)
    return size
