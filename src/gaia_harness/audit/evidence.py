"""The inputs of an audit: the run's own statements, its log, its trajectories one at a time, the answer key."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from gaia_harness.audit.facts import read_run
from gaia_harness.audit.kept_bodies import KeptBodies
from gaia_harness.audit.line_checks import CheckedLine, CheckedLines
from gaia_harness.audit.timeline import Moment, Surroundings, Texts, moments
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.files import open_plain
from gaia_harness.judge import scorer
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.origin import tools_of
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.replay import LogFacts, TaskLog, read_log_facts
from gaia_harness.records.trajectories import Trajectory
from gaia_harness.tasks.answers import AnswerKey, Gold

if TYPE_CHECKING:
    from gaia_harness.audit.tool_calls import Allowance


class DatasetFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The data set a run was made with, as its own files have it: questions, levels and answers of the run's tasks.

    `available` is how many tasks of each level the whole split has.
    """

    questions: Mapping[str, str]
    levels: Mapping[str, int]
    key: AnswerKey
    digest: str
    available: Mapping[int, int] = {}


MOST_CODE_WORK, WORK_A_BYTE = 4_000_000, 4
"""Expressions in code that are worked out for a whole run, and so many more for each byte of its trajectories: honest
ones have one to some twenty bytes."""


class Room(msgspec.Struct):
    """What is left of the work that is done for a whole run."""

    left: int


class TaskEvidence(msgspec.Struct, kw_only=True):
    """One task. `trajectory` is None where there is none, or none that holds up: then `fault` says why."""

    task_id: str
    place: str
    trajectory: Trajectory | None
    line_sha256: str | None
    steps_sha256: str | None = None  # as they stand in the line
    fault: str | None
    facts: TaskFacts | None
    log: TaskLog | None
    question: str | None
    gold: Gold | None
    correct: bool | None  # by the official scorer, never by what the run says, where there is a gold
    code_tools: frozenset[str] = frozenset()  # that run code, as the run's origin says
    allowance: "Allowance | None" = None
    room: Room = msgspec.field(default_factory=lambda: Room(MOST_CODE_WORK))  # for reading code
    around: Surroundings = Surroundings()
    texts: Texts | None = None
    moments: tuple[Moment, ...] | None = None  # made when first asked for

    @property
    def timeline(self) -> tuple[Moment, ...]:
        """Every text of the task with its origin, in order; empty without a sound trajectory."""
        if self.moments is None:
            steps = () if self.trajectory is None or self.texts is None else self.trajectory.steps
            self.moments = () if self.texts is None else moments(steps, self.around, self.texts)
        return self.moments


class RunEvidence:
    """A run to be audited. `tasks()` reads the trajectories anew each time, one in memory at once."""

    def __init__(
        self,
        folder: Path,
        facts: RunFacts,
        log: LogFacts,
        *,
        questions: Mapping[str, str],
        key: AnswerKey | None,
        dataset: DatasetFacts | None,
        faults: tuple[str, ...] = (),
    ) -> None:
        """`key` has the golds, of the data set or of the run's own results; it is None where they are not at hand."""
        self.folder = folder
        self.facts = facts
        self.log = log
        self.questions = questions
        self.key = key
        self.dataset = dataset
        self.faults = faults
        self.prompts = TextStore(folder / "prompts", compressed=False)
        self.bodies = KeptBodies(folder / "bodies")
        self.texts = Texts(self.prompts, self.bodies)
        self.around = Surroundings.of(facts.origin)
        self.by_task = {task.task_id: task for task in facts.tasks}
        self.trajectories_sha256 = ""
        self.unread: str | None = None
        """Why the trajectories could not be read to their end."""
        self.watch: Callable[[CheckedLine], None] | None = None
        """Somebody who also wants the lines, when they are first read."""
        self.room = Room(0)
        self.intent_sha256 = _file_sha256(folder / "intent.dsse.json")

    def tasks(self) -> Iterator[TaskEvidence]:
        """Every task with a trajectory, in the order of the file, then every other task of the run, by id."""
        path = self.folder / "trajectories.jsonl"
        self.room = Room(MOST_CODE_WORK + WORK_A_BYTE * (path.stat().st_size if path.exists() else 0))
        lines = CheckedLines(path)
        watch, self.watch = self.watch, None
        yield from self._tasks(lines if path.exists() else (), watch)
        self.trajectories_sha256 = lines.sha256 or _file_sha256(path) or hashlib.sha256().hexdigest()

    def _tasks(
        self, lines: Iterable[CheckedLine], watch: Callable[[CheckedLine], None] | None
    ) -> Iterator[TaskEvidence]:
        seen: set[str] = set()
        try:
            for line in lines:
                if watch is not None:
                    watch(line)
                number, data, check, trajectory = line
                place, fault = f"trajectories.jsonl:{number}", check.fault
                task_id = _task_id(data) if trajectory is None else trajectory.task_id
                if task_id in seen:
                    fault, trajectory = f"{place}: the task {task_id[:80]!a} has a trajectory already", None
                seen.add(task_id)
                task = self._task(task_id, place, trajectory, check.sha256, fault)
                task.steps_sha256 = check.steps_sha256
                yield task
        except EvidenceError as error:
            self.unread = error.message
            yield self._task("", "trajectories.jsonl", None, None, error.message)
        for task_id in sorted({*self.by_task, *self.facts.task_ids} - seen):
            yield self._task(task_id, "trajectories.jsonl", None, None, None)

    def _task(
        self, task_id: str, place: str, trajectory: Trajectory | None, sha256: str | None, fault: str | None
    ) -> TaskEvidence:
        facts = self.by_task.get(task_id)
        gold = None if self.key is None else self.key.get(task_id)
        correct = None if facts is None else facts.correct
        if facts is not None and gold is not None:
            correct = scorer.question_scorer(facts.answer, gold.answer)
        return TaskEvidence(
            task_id=task_id,
            place=place,
            trajectory=trajectory,
            line_sha256=sha256,
            fault=fault,
            facts=facts,
            log=self.log.tasks.get(task_id),
            question=self.questions.get(task_id),
            gold=gold,
            correct=correct,
            code_tools=tools_of(self.facts.origin, "code"),
            room=self.room,
            around=self.around,
            texts=self.texts,
        )


def open_run(folder: Path, dataset: DatasetFacts | None) -> RunEvidence:
    """The evidence of a run directory. Without the data set, questions and golds are what results.jsonl says."""
    stated = read_run(folder)
    questions: Mapping[str, str] = stated.questions
    key: AnswerKey | None = AnswerKey({task_id: Gold(answer=gold) for task_id, gold in stated.golds.items()})
    if dataset is not None:
        questions, key = dataset.questions, dataset.key
    return RunEvidence(
        folder,
        stated.facts,
        read_log_facts(folder / "log.jsonl"),
        questions=questions,
        key=key,
        dataset=dataset,
        faults=stated.faults,
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


def _file_sha256(path: Path) -> str | None:
    try:
        with open_plain(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, EvidenceError):
        return None
