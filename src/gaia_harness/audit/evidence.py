"""The inputs of an audit: the run's own statements, its log, its trajectories one at a time, the answer key."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from gaia_harness.audit.findings import Severity
from gaia_harness.audit.texts import Texts
from gaia_harness.audit.timeline import Moment, Surroundings, moments
from gaia_harness.errors import EvidenceError
from gaia_harness.figures import counted
from gaia_harness.files import open_plain
from gaia_harness.judge import scorer
from gaia_harness.records import trajectories
from gaia_harness.records.documents import read_document
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.intent import FILE_NAME as INTENT
from gaia_harness.records.line_work import Batch, Cut
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.replay import TaskLog, read_log_facts
from gaia_harness.records.run import read_as_written
from gaia_harness.records.stated import Stated, read_run
from gaia_harness.records.steps import LlmCall, Step
from gaia_harness.records.trajectories import Trajectory
from gaia_harness.signing.dsse import LARGEST, read_envelope
from gaia_harness.signing.intent import PAYLOAD_TYPE
from gaia_harness.signing.wire import SignatureError
from gaia_harness.tasks.answers import AnswerKey, Gold


class DatasetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The data set a run was made with, as its own files have it: questions, levels and answers of the run's tasks.

    `available` is how many tasks of each level the whole split has, `attached` are the tasks that come with a file.
    """

    questions: Mapping[str, str]
    levels: Mapping[str, int]
    key: AnswerKey
    digest: str
    available: Mapping[int, int] = {}
    attached: frozenset[str] = frozenset()


class Line(msgspec.Struct):
    """A line of the trajectories, or what stands for one that is missing: that has no hash."""

    task_id: str
    place: str
    fault: str | None
    line_sha256: str | None


AnyLine = TypeVar("AnyLine", bound=Line)
T = TypeVar("T", bound=msgspec.Struct)


class TaskEvidence(Line, kw_only=True, dict=True):
    """One task. `trajectory` is None where there is none, or none that holds up: then `fault` says why."""

    trajectory: Trajectory | None
    facts: TaskFacts | None
    log: TaskLog | None
    question: str | None
    gold: Gold | None
    correct: bool | None
    has_file: bool  # by the data set; where that is not at hand, nobody knows
    around: Surroundings
    texts: Texts

    @property
    def is_unseen(self) -> bool:
        """Whether it was run, and has no trajectory that could be read."""
        return self.trajectory is None and (self.facts is not None or self.fault is not None)

    @property
    def counted_right(self) -> bool:
        """Whether the task counts as right, by the scorer or by what the run claims."""
        return bool(self.correct or (self.facts is not None and self.facts.correct))

    @property
    def weight(self) -> Severity:
        """How bad it is what is wrong with the answer, or with the record of it: worst where it gained something."""
        return "critical" if self.counted_right else "high"

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps of all its attempts; none without a sound trajectory."""
        return () if self.trajectory is None else self.trajectory.steps

    def replied(self, call: LlmCall) -> str | None:
        """What the model said; None where the end of it is kept nowhere."""
        said = self.texts.reply(call)
        return None if call.truncated and said == call.head else said

    @cached_property
    def timeline(self) -> tuple[Moment, ...]:
        """Every text of the task with its origin, in order; empty without a sound trajectory."""
        return moments(self.steps, self.around, self.texts)


class RunEvidence:
    """A run to be audited. `tasks()` reads the trajectories anew each time, one in memory at once."""

    def __init__(self, folder: Path, stated: Stated, dataset: DatasetFacts | None) -> None:
        """Without the data set, questions and golds are what the run's own results say, where there are any."""
        self.folder = folder
        self.facts = facts = stated.facts
        self.faults = stated.faults
        self.log = read_log_facts(folder / "log.jsonl")
        self.dataset = dataset
        self.questions = stated.questions if dataset is None else dataset.questions
        golds = stated.golds if dataset is None else None
        own = None if golds is None else AnswerKey({task_id: Gold(answer=gold) for task_id, gold in golds.items()})
        self.key = own if dataset is None else dataset.key  # None where no golds are at hand
        self.texts = Texts(folder)
        self.is_ours = isinstance(facts.origin, msgspec.UnsetType)  # made by our own loop
        self.counts_tokens = any(task.input_tokens or task.output_tokens for task in facts.tasks)
        self.around = Surroundings.of(facts.origin)
        self.asked = frozenset(facts.task_ids)
        self.by_task = {task.task_id: task for task in facts.tasks}
        self.trajectories_file = folder / trajectories.FILE_NAME  # which may be missing
        self.trajectories_sha256 = hashlib.sha256().hexdigest()
        self.unread: str | None = None  # why the trajectories could not be read to their end
        self.intent_sha256 = _file_sha256(folder / INTENT)

    def tasks(self) -> Iterator[TaskEvidence]:
        """Every task with a trajectory, in the order of the file, then every other task of the run, by id."""
        yield from self.complete((task for batch in self.batches() for task in self.read(batch)), lambda task: task)

    def complete(self, lines: Iterable[AnyLine], look: Callable[[TaskEvidence], AnyLine]) -> Iterator[AnyLine]:
        """What came of these lines, then of all other tasks, by a look at what stands for them."""
        seen: set[str] = set()
        for line in lines:
            if line.task_id in seen and line.fault is None:  # a second line of a task is not looked at
                fault = f"{line.place}: the task {line.task_id[:80]!a} has a trajectory already"
                line = look(self._task(line.task_id, fault, line.place))
            yield line
            seen.add(line.task_id)
        if self.unread is not None:  # for the lines behind one too long
            yield look(self._task("", self.unread))
        for task_id in sorted({*self.by_task, *self.facts.task_ids} - seen):
            yield look(self._task(task_id))

    def batches(self, size: int | None = None) -> Iterator[Batch]:
        """The lines of the file as far as it can be read; behind them, its hash and why no further are known."""
        path = self.trajectories_file
        if not path.exists():
            return
        self.texts.share(path.stat().st_size)  # how much may be read of what the lines name
        cut = Cut(path, longest=trajectories.LONGEST_LINE, hold=True, size=size)
        try:
            yield from cut
        except EvidenceError as error:
            self.unread = error.message
        self.trajectories_sha256 = cut.sha256 or _file_sha256(path) or self.trajectories_sha256

    def read(self, batch: Batch) -> Iterator[TaskEvidence]:
        """The tasks of some lines, each checked by itself."""
        for number, data in batch.lines():
            self.texts.begin(len(data))
            line = trajectories.read_line(data, number)
            task_id = _task_id(data) if line.trajectory is None else line.trajectory.task_id
            task = self._task(task_id, line.fault, f"{trajectories.FILE_NAME}:{number}", line.trajectory)
            task.line_sha256 = hashlib.sha256(line.data).hexdigest()
            yield task

    def correct(self, task_id: str) -> bool | None:
        """Whether the answer is right: where there is a gold by the official scorer, never by what the run says."""
        facts = self.by_task.get(task_id)
        gold = None if self.key is None else self.key.get(task_id)
        if facts is None or gold is None:
            return None if facts is None else facts.correct
        return scorer.question_scorer(facts.answer, gold.answer)

    @cached_property
    def is_under_way(self) -> bool:
        """Whether run.json has no end of the run: it is at work, or was killed, even just behind its log's end."""
        try:
            return read_as_written(self.folder).get("state") in ("running", "interrupted")
        except EvidenceError:  # a package is made of a run that has ended
            return False

    @property
    def goes_on(self) -> bool:
        """Whether the run may have more to come: neither run.json nor the log has its end."""
        return self.log.closed is None and self.is_under_way

    def read_intent(self, kind: type[T]) -> T | str | None:
        """What the run was declared as, or why that cannot be read; None without a file. Nobody looks at signatures."""
        if self.intent_sha256 is None:
            return None
        try:
            with (self.folder / INTENT).open("rb") as file:
                envelope = read_envelope(file.read(LARGEST + 1))
            if envelope.payload_type != PAYLOAD_TYPE:
                return f"{INTENT}: a payload of another kind"
            return msgspec.json.decode(envelope.payload, type=kind)
        except SignatureError as error:
            return f"{INTENT}: {error.message}"
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return f"{INTENT}: not an intent"

    def gaps_of_unseen(self, tasks: int) -> list[str]:
        """What a check says that could not look at so many tasks."""
        if not self.facts.record_evidence:
            return ["no evidence was recorded"]
        return [f"{counted(tasks, 'task has', 'tasks have')} no trajectory that could be read"] if tasks else []

    def _task(
        self,
        task_id: str,
        fault: str | None = None,
        place: str = trajectories.FILE_NAME,
        trajectory: Trajectory | None = None,
    ) -> TaskEvidence:
        """All that there is of a task. Without a trajectory, it stands for a line that is missing, or not looked at."""
        return TaskEvidence(
            task_id=task_id,
            place=place,
            fault=fault,
            line_sha256=None,
            trajectory=trajectory,
            facts=self.by_task.get(task_id),
            log=self.log.tasks.get(task_id),
            question=self.questions.get(task_id),
            gold=None if self.key is None else self.key.get(task_id),
            correct=self.correct(task_id),
            has_file=self.dataset is not None and task_id in self.dataset.attached,
            around=self.around,
            texts=self.texts,
        )


class _Named(msgspec.Struct):
    task_id: str


def _task_id(line: bytes) -> str:
    """The id in a line that is no trajectory, if it has one."""
    if not line.endswith(b"\n"):
        return ""
    try:
        return msgspec.json.decode(line, type=_Named).task_id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""


def open_run(folder: Path, dataset: DatasetFacts | None) -> RunEvidence:
    """The evidence of a run directory."""
    return RunEvidence(folder, read_run(folder), dataset)


class _Metadata(msgspec.Struct):
    facts: RunFacts


def open_package(folder: Path, dataset: DatasetFacts | None) -> RunEvidence:
    """The evidence of a package. Without the data set there are no questions and no golds, and checks say so."""
    return RunEvidence(folder, Stated(facts=read_package_facts(folder)), dataset)


def read_package_facts(folder: Path) -> RunFacts:
    """What the run says about itself, as its package tells it."""
    return read_document(folder / "metadata.json", _Metadata).facts


def _file_sha256(path: Path) -> str | None:
    try:
        with open_plain(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, EvidenceError):
        return None
