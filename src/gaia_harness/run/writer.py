"""Writes a whole run folder, for `gaia run`, for importers and for anybody's own loop: there is no other way."""

import contextlib
import logging
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from secrets import token_hex
from types import TracebackType

import msgspec

from gaia_harness.attempts.versions import versions
from gaia_harness.disclosure import DisclosedEndpoint, disclosed_endpoint
from gaia_harness.errors import GaiaError, RunError, UsageError
from gaia_harness.evidence.recording import TaskRecording
from gaia_harness.evidence.redaction import secrets_in
from gaia_harness.plugins import describe_error
from gaia_harness.protocol import choose
from gaia_harness.records.config import RunConfig, checked_config
from gaia_harness.records.origin import Origin
from gaia_harness.records.run import SCHEMA, DatasetRecord, RunRecord
from gaia_harness.run.attempt_writer import AttemptWriter
from gaia_harness.run.declaring import Declaration
from gaia_harness.run.disk_reserve import DiskFull
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.live_origin import checked_origin, is_line
from gaia_harness.run.opening import now, refuse_secrets
from gaia_harness.run.opening import origin as log_origin
from gaia_harness.run.results import AttemptOutcome, task_result
from gaia_harness.run.resume import ResumeState, load_resume_state
from gaia_harness.run.run_files import RunFiles
from gaia_harness.signing.keys import Ask
from gaia_harness.signing.signers import PublicKey
from gaia_harness.tasks.loading import LoadedTasks
from gaia_harness.tasks.task import Task
from gaia_harness.urls import check_address

log = logging.getLogger("gaia_harness")

PathLike = str | os.PathLike[str]


class RunWriter(RunFiles):
    """A run folder that is being written.

    With `declare`, the run is signed before it begins and can be submitted. With `resume`, a run that was begun in
    `out` goes on. `isolation` says in words how the agent's code is contained; `address` is where the model is asked.
    `concurrency` is how many attempts are under way at the same time, at most.
    """

    def __init__(
        self,
        out: PathLike,
        *,
        dataset: LoadedTasks,
        model: str,
        origin: Origin,
        declare: bool = False,
        resume: bool = False,
        voting_attempts: int = 1,
        concurrency: int = 4,
        seed: int | None = None,
        full_bodies: bool = False,
        isolation: str | None = None,
        address: str = "",
        ask: Ask | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        given = dict(os.environ if env is None else env)
        if not isinstance(dataset, LoadedTasks):
            raise UsageError("dataset is not a loaded data set", hint='as in dataset=load_tasks("hub")')
        if not isinstance(origin, Origin):
            raise UsageError("origin does not say by whom the run is recorded", hint='as in live("acme-loop 1.2")')
        if not isinstance(out, str | os.PathLike):
            raise UsageError("out is not the name of a folder")
        if not is_line(model):
            raise UsageError("model is not a name in one line", hint='as in model="acme/agent-7"')
        if isolation is not None and not is_line(isolation):
            raise UsageError(
                "isolation does not say in one line how the agent's code is contained",
                hint="leave it out where that is not known",
            )
        if address:
            check_address(str(address), "address")
        origin = checked_origin(origin)
        if origin.kind == "live" and "replies" in origin.unknown:
            raise UsageError("what the model says is known to whoever records live", hint="leave out `replies`")
        if declare and origin.kind != "live":
            raise UsageError("only a run that is recorded live can be declared", hint="leave out declare=True")
        if isolation is None and "isolation" not in origin.unknown:
            origin = msgspec.structs.replace(origin, unknown=(*origin.unknown, "isolation"))
        config = checked_config(
            RunConfig(
                model=model,
                dataset=dataset.dataset,
                split=dataset.split,
                revision=dataset.revision,
                selection=dataset.selection,
                voting_attempts=voting_attempts,
                concurrency=concurrency,
                seed=seed,
                evidence_full_bodies=full_bodies,
                submit_intent=declare,
            )
        )
        record = RunRecord(
            schema=SCHEMA,
            run_id=token_hex(16),
            state="running",
            started_at=now(),
            finished_at=None,
            config=config,
            dataset=DatasetRecord(
                name=dataset.dataset,
                gaia_split=dataset.split,
                revision=dataset.revision,
                digest=dataset.digest,
                task_ids=tuple(task.task_id for task in dataset.tasks),
            ),
            versions=versions(),
            isolation={} if isolation is None else {"agent": isolation},
            endpoint=disclosed_endpoint(model, address) if address else DisclosedEndpoint(address="", own=False),
            judge_endpoint=None,
            origin=origin,
        )
        refuse_secrets(config, dataset, (record.endpoint or None,), given, msgspec.json.encode(origin).decode())
        declaration = Declaration.open(given, now, ask) if declare else None
        with contextlib.ExitStack() as opened:
            path = Path(out)
            if resume and (path / "run.json").is_file():
                folder = opened.enter_context(RunFolder.reopen(path, secrets_in(given)))
                record = _same_run(folder, record)
            else:
                folder = opened.enter_context(RunFolder.create(path, secrets_in(given)))
            key = None if declaration is None else declaration.signer.public
            state = load_resume_state(folder.path, log_origin(record), key=key)
            self._open(folder, record, dataset, state, env=given, declaration=declaration)
            self._prepare_attempts()
            opened.callback(self.release)
            self.begin()
            for result in state.results:
                self.tally.add(result)
            self._opened = opened.pop_all()

    @classmethod
    def of(
        cls,
        folder: RunFolder,
        record: RunRecord,
        loaded: LoadedTasks,
        state: ResumeState,
        *,
        env: Mapping[str, str],
        declaration: Declaration | None,
        cache_key: PublicKey | None = None,
        accept_rollback: bool = False,
    ) -> "RunWriter":
        """For `gaia run`, which has opened and checked all of this itself, and closes the folder itself."""
        writer = cls.__new__(cls)
        writer._open(
            folder,
            record,
            loaded,
            state,
            env=env,
            declaration=declaration,
            cache_key=cache_key,
            accept_rollback=accept_rollback,
        )
        writer._prepare_attempts()
        return writer

    def _prepare_attempts(self) -> None:
        self._lock = threading.RLock()  # attempts may be made in several threads
        self._work: dict[str, _TaskWork] = {}
        self._interrupted: set[str] = set()
        self._finished = {result.task_id for result in self.state.results}

    @property
    def tasks(self) -> Iterator[Task]:
        """The tasks that are not finished yet."""
        for task in self.loaded.tasks:
            if task.task_id not in self._finished:
                yield task

    @contextlib.contextmanager
    def attempt(self, task: Task) -> Iterator[AttemptWriter]:
        """One attempt at a task. It counts when the block ends, with or without an answer.

        Where the block raises, the attempt is noted as interrupted and the task is not finished: `resume=True` lets a
        later process try it again, as a further attempt.
        """
        writer = self.begin_attempt(task)
        try:
            yield writer
        except BaseException as error:
            with contextlib.suppress(GaiaError):  # the loop's own error is the one to see; `close` says what is amiss
                self.interrupt_attempt(task, describe_error(error))
            raise
        self.end_attempt(task)

    def begin_attempt(self, task: Task) -> AttemptWriter:
        """Begin an attempt that `end_attempt` or `interrupt_attempt` ends; `attempt` does both for a block.

        Attempts at different tasks may be under way at the same time, in threads too. Those at one task come one after
        another.
        """
        with self._lock:
            self._may_begin(task)
            work = self._work.get(task.task_id)
            if work is None:
                before = self.state.attempts.get(task.task_id, 0)
                work = self._work[task.task_id] = _TaskWork(task, before, self.recording_of(task.task_id, before))
            if work.running is not None:
                raise UsageError(
                    f"{task.task_id}: an attempt at this task is under way already", hint="end it before the next one"
                )
            self.journal.attempt_started(task.task_id, work.number + 1)
            recorder = None if work.recording is None else work.recording.attempt()
            work.running = AttemptWriter(recorder, self.record.config.model)
            return work.running

    def _may_begin(self, task: Task) -> None:
        if not isinstance(task, Task):
            raise UsageError("an attempt is made at a task", hint="take it from `tasks` of the RunWriter")
        if self._ended:
            raise UsageError(f"{self.path}: this run is not written any more", hint="go on with resume=True")
        if task not in self.loaded.tasks:
            raise UsageError(f"{task.task_id}: not a task of this run", hint="take it from `tasks` of the RunWriter")
        if task.task_id in self._finished:
            raise UsageError(f"{task.task_id}: this task is finished already")
        if task.task_id in self._interrupted:
            raise UsageError(
                f"{task.task_id}: an attempt at this task was interrupted",
                hint="it can be tried again once this RunWriter is closed, by one with resume=True",
            )

    def end_attempt(self, task: Task) -> None:
        """The attempt at this task came to its end, with or without an answer."""
        with self._lock:
            work, writer = self._under_way(task)
            number = work.number + 1
            work.running = None
            work.outcomes.append(self.journal.redactor.hide(writer.outcome()))
            self.journal.attempt_finished(task.task_id, number, work.recording)
            if len(work.outcomes) >= self.record.config.voting_attempts:
                self._finish(work)

    def interrupt_attempt(self, task: Task, reason: str) -> None:
        """The attempt at this task came to nothing through no fault of the agent."""
        with self._lock:
            work, writer = self._under_way(task)
            number = work.number + 1
            writer.end()
            del self._work[task.task_id]  # what was recorded of it counts for nothing: it is tried again
            self._interrupted.add(task.task_id)
            self.state.attempts[task.task_id] = number
            self.journal.attempt_interrupted(task.task_id, number, reason)

    def failed(self, reason: str, task_id: str | None = None) -> None:
        """Something could not be recorded: the run cannot be submitted, and its folder says so from now on."""
        self.journal.failed(reason, task_id)
        self._save(self._summary(closing=False))

    def _under_way(self, task: Task) -> "tuple[_TaskWork, AttemptWriter]":
        work = self._work.get(task.task_id)
        if work is None or work.running is None:
            raise UsageError(f"{task.task_id}: no attempt at this task is under way")
        return work, work.running

    def _finish(self, work: "_TaskWork") -> None:
        result = task_result(
            work.task,
            self.loaded.key.get(work.task.task_id),
            work.outcomes,
            choose([outcome.answer for outcome in work.outcomes]),
            model=self.record.config.model,
            wall_ms=sum(outcome.wall_ms for outcome in work.outcomes),
            cost=lambda usage: None,
            attempts_before=work.before,
        )
        self.journal.task_finished(result, work.recording)
        self.add(result)
        self._finished.add(work.task.task_id)
        del self._work[work.task.task_id]

    def __enter__(self) -> "RunWriter":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with self._lock:
            if self._ended:
                return
            for work in [work for work in self._work.values() if work.running is not None]:
                with contextlib.suppress(DiskFull):  # which `close` says
                    self.interrupt_attempt(work.task, "the run was closed before the attempt was at its end")
            self._ended = True
            try:
                self.close(paused=None if error is None else describe_error(error))
            finally:
                self._opened.close()


class _TaskWork(msgspec.Struct):
    """A task that is under way: attempts of earlier processes, and those of this one."""

    task: Task
    before: int
    recording: TaskRecording | None
    outcomes: list[AttemptOutcome] = []
    running: AttemptWriter | None = None

    @property
    def number(self) -> int:
        """Of the last attempt that came to its end, counted over all processes."""
        return self.before + len(self.outcomes)


def _same_run(folder: RunFolder, record: RunRecord) -> RunRecord:
    """The run that was begun in this folder, if it is the one that is to go on."""
    begun = folder.read_unfinished()
    for what, then, here in (
        ("data set", begun.dataset.digest, record.dataset.digest),
        ("configuration", begun.as_written()["config"], record.as_written()["config"]),
        ("origin", begun.origin, record.origin),
        ("address of the model", begun.endpoint, record.endpoint),
        ("isolation", begun.isolation, record.isolation),
    ):
        if then != here:
            raise RunError(
                f"{folder.path}: the {what} is not the one that this run was begun with",
                hint="go on with what it was begun with, or begin a new run",
            )
    config = msgspec.structs.replace(begun.config, concurrency=record.config.concurrency)  # of this process
    return msgspec.structs.replace(begun, config=config)
