"""Writes a whole run folder, for `gaia run`, for importers and for anybody's own loop: there is no other way."""

import contextlib
import logging
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from secrets import token_hex
from types import TracebackType
from typing import Any

import msgspec

from gaia_harness.disclosure import DisclosedEndpoint, disclosed_endpoint, disclosed_options
from gaia_harness.errors import GaiaError, RunError, UsageError
from gaia_harness.evidence.recording import Recording, TaskRecording
from gaia_harness.evidence.redaction import Redactor, secrets_in
from gaia_harness.plugins import describe_error
from gaia_harness.protocol import NOT_OFFERED, PYTHON, UNSANDBOXED, ToolRole, choose
from gaia_harness.records.config import RunConfig, checked_config
from gaia_harness.records.events import LOG_SCHEMA, RunResumed, RunStarted
from gaia_harness.records.interruptions import Interruptions
from gaia_harness.records.ledger import LedgerStanding
from gaia_harness.records.origin import Origin, Unknown
from gaia_harness.records.results import TaskResult
from gaia_harness.records.run import SCHEMA, DatasetRecord, RunRecord
from gaia_harness.records.summary import Summary
from gaia_harness.run.attempt_writer import AttemptWriter
from gaia_harness.run.declaring import Declaration, DeclaredRun
from gaia_harness.run.disk_reserve import DISK_FULL, DiskFull, DiskReserve
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.journal import Journal
from gaia_harness.run.opening import now, refuse_secrets, versions
from gaia_harness.run.opening import origin as log_origin
from gaia_harness.run.results import AttemptOutcome, task_result
from gaia_harness.run.resume import ResumeState, load_resume_state
from gaia_harness.run.summary import Tally, not_submittable
from gaia_harness.signing.checkpoints import Checkpoints
from gaia_harness.signing.keys import Ask
from gaia_harness.signing.log import RunLog
from gaia_harness.signing.signers import PublicKey
from gaia_harness.tasks.loading import LoadedTasks
from gaia_harness.tasks.task import Task
from gaia_harness.urls import check_address

log = logging.getLogger("gaia_harness")

PathLike = str | os.PathLike[str]

LONGEST_NAME = 1000
"""Characters of a model's or program's name."""

LARGEST_ORIGIN = 16 << 20
"""Bytes of all that is said of an origin: it stands in run.json, intent, metadata and attestation."""


def live(
    recorded_by: str,
    *,
    tools: Mapping[str, ToolRole] | None = None,
    unknown: Iterable[Unknown] = (),
    workdir: str | None = None,
    attachments: Iterable[str] = (),
    options: Mapping[str, Any] | None = None,
) -> Origin:
    """The origin of a run that is recorded while it happens, by the program `recorded_by` ("acme-loop 1.2").

    `tools` gives the role of each tool by its name. `workdir` is the folder that the agent works in, `attachments` are
    the names under which it has the tasks' files there. `options` are settings that you want to disclose.
    `unknown` names what the program cannot know: the audit then says so, and does not take it for a sign of fraud.
    """
    for name, given in (("unknown", unknown), ("attachments", attachments)):
        if isinstance(given, str):
            raise UsageError(f"{name} is one text", hint=f"give a list, as in {name}=[{given[:80]!r}]")
    try:
        return checked_origin(
            Origin(
                kind="live",
                recorded_by=recorded_by.strip() if isinstance(recorded_by, str) else recorded_by,
                tools=dict(tools or {}),
                unknown=tuple(dict.fromkeys(unknown)),
                workdir=msgspec.UNSET if workdir is None else os.fspath(workdir),
                attachments=tuple(map(os.fspath, attachments)) or msgspec.UNSET,
                options=msgspec.UNSET if options is None else _plain(options),
            )
        )
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"not what an origin is made of: {error}", hint="see docs/recording.md") from error


class RunWriter:
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
        if not _is_line(model):
            raise UsageError("model is not a name in one line", hint='as in model="acme/agent-7"')
        if isolation is not None and not _is_line(isolation):
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
        return writer

    def _open(
        self,
        folder: RunFolder,
        record: RunRecord,
        loaded: LoadedTasks,
        state: ResumeState,
        *,
        env: Mapping[str, str],
        declaration: Declaration | None,
        cache_key: PublicKey | None = None,
        accept_rollback: bool = False,
    ) -> None:
        self.folder = folder
        self.record = msgspec.structs.replace(record, state="running", finished_at=None)
        self.loaded = loaded
        self.state = state
        self.standing: LedgerStanding | None = None
        self.summary: Summary | None = None
        self.disk_is_full = False
        self._env = env
        self._declaration = declaration
        self._cache_key = cache_key
        self._accept_rollback = accept_rollback
        self._closing = contextlib.ExitStack()
        self._lock = threading.RLock()  # attempts may be made in several threads
        self._interrupted: set[str] = set()
        self._ended = self._released = False
        asked = Counter(task.level for task in loaded.tasks)
        has_gold = all(loaded.key.get(task.task_id) is not None for task in loaded.tasks)
        self.tally = Tally(asked, has_gold=has_gold)
        self._work: dict[str, _TaskWork] = {}
        self._finished = {result.task_id for result in state.results}
        if state.started is not None and state.started.run_id != record.run_id:
            raise RunError(f"{folder.path / 'log.jsonl'}:1: this is the log of another run, {state.started.run_id}")
        if state.closed == "aborted":
            raise RunError(f"{folder.path}: this run was abandoned", hint="start a new run")
        folder.write_record(self.record)

    def begin(self) -> Journal:
        """Open what the run writes, and note that it begins or goes on: in its log and, if declared, in the ledger."""
        if self._declaration is None:
            self.journal = self._open_journal(None)
            self._begin(None)
        else:
            # nobody else may come between the head of the ledger that the intent names and the entry behind it
            with self._declaration.ledger.held():
                declared = self._declaration.intend(
                    self.folder.path,
                    self.record,
                    self.loaded,
                    self._cache_key,
                    self.state,
                    accept_rollback=self._accept_rollback,
                )
                self._closing.callback(declared.head.close)
                self.journal = self._open_journal(declared)
                self._begin(declared)
                if self.state.closed is None:
                    self._declaration.enter(self.record, declared, self.journal.run_log.tree)
            if self.state.closed is None:
                self._show_standing(self._declaration.standing(self.record.run_id))
        return self.journal

    @property
    def path(self) -> Path:
        """The folder."""
        return self.folder.path

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

    def recording_of(self, task_id: str, attempts_before: int) -> TaskRecording | None:
        """The recording of a task, where there is one at all."""
        if self.journal.recording is None:
            return None
        return self.journal.recording.task(
            task_id,
            model=self.record.config.model,
            voting_attempts=self.record.config.voting_attempts,
            attempts_before=attempts_before,
        )

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

    def add(self, result: TaskResult) -> None:
        """Count a task that is finished."""
        self.tally.add(result)

    def _open_journal(self, declared: DeclaredRun | None) -> Journal:
        folder, config, state = self.folder.path, self.record.config, self.state
        secrets = secrets_in(self._env)
        redactor = Redactor(secrets)
        run_log = RunLog(folder / "log.jsonl", now, tree=state.tree, since=self.record.started_at, redactor=redactor)
        reserve = DiskReserve(folder)
        recording = None
        if config.record_evidence:
            recording = Recording(
                folder,
                {task.task_id: task.question for task in self.loaded.tasks},
                secrets=secrets,
                full_bodies=config.evidence_full_bodies,
                writing=reserve.writing,
            )
        signer = None if self._declaration is None else self._declaration.signer
        checkpoints = Checkpoints(folder / "checkpoints", log_origin(self.record), state.tree, signer=signer)
        journal = Journal(
            folder,
            run_log,
            checkpoints,
            recording,
            head=None if declared is None else declared.head,
            interruptions=state.interruptions,
            failures=state.failures,
            integrity_events=state.integrity_events,
            reserve=reserve,
            redactor=redactor,
        )
        self._closing.callback(journal.close)
        return journal

    def _begin(self, declared: DeclaredRun | None) -> None:
        """The first event of this process, unless the log has its end already."""
        config, state = self.record.config, self.state
        if state.closed is None and state.tree.size:
            rollback = None if declared is None else declared.rollback
            program = None if declared is None else declared.program
            self.journal.add(
                RunResumed(
                    healed=state.healed,
                    concurrency=config.concurrency,
                    rollback=msgspec.UNSET if rollback is None else rollback,
                    harness_version=msgspec.UNSET if program is None else program.version,
                    source_sha256=msgspec.UNSET if program is None else program.source_sha256,
                )
            )
        elif state.closed is None:
            self.journal.add(
                RunStarted(
                    run_id=self.record.run_id,
                    model=config.model,
                    gaia_split=self.loaded.split,
                    voting_attempts=config.voting_attempts,
                    tasks=len(self.loaded.tasks),
                    dataset_digest=self.loaded.digest,
                    record_evidence=config.record_evidence,
                    intent_sha256=None if declared is None else declared.intent_sha256,
                    concurrency=config.concurrency,
                    schema=LOG_SCHEMA,
                )
            )
        self.journal.checkpoint()
        self._save(self._summary(closing=False))

    def _show_standing(self, standing: LedgerStanding) -> None:
        self.standing = standing
        if standing.never_closed > 1:
            log.warning(
                "%d other declared runs on this task list were never closed, which shows in every package: "
                "finish each with --resume DIR, or close it with --abandon DIR",
                standing.never_closed - 1,
            )

    def close(self, *, paused: str | None = None) -> Summary:
        """Close the log if every task is done, and save the summary: of an interrupted run too."""
        if self._released and self.summary is not None:
            return self.summary
        closing = False
        try:
            closing = self._end()
        except DiskFull:
            self.disk_is_full = True
            paused = paused or "the disk is full"
        except (OSError, GaiaError) as error:
            self.journal.failed(f"the ledger cannot be written: {error}")
        complete = self.tally.finished == self.tally.total
        summary = self._summary(closing=complete, paused=paused)
        ended = msgspec.structs.replace(self.record, state="closed" if closing else "interrupted", finished_at=now())
        if not self._save(summary, ended):
            summary = self._summary(closing=complete, paused=paused)
        self.summary = summary
        return summary

    def release(self) -> None:
        """Let go of the files that `begin` opened."""
        self._released = True
        self._closing.close()

    def _end(self) -> bool:
        """Note how far the run has come, in its log and, if declared, in the ledger; whether it is closed."""
        tally = self.tally
        if tally.finished < tally.total:
            self.journal.checkpoint()
            return False
        if self.state.closed is None:
            self.journal.close_run(
                status="complete",
                tasks=tally.total,
                finished=tally.finished,
                attempts=tally.attempts,
                submittable=not self._reasons(closing=True),
            )
        if self._declaration is not None:
            self._declaration.close(self.record.run_id, "complete", self.journal.run_log.tree)
            self.standing = self._declaration.standing(self.record.run_id)
        return True

    def _save(self, summary: Summary, record: RunRecord | None = None) -> bool:
        """Whether it could be saved. Where not, what stood there before says that the run is not submittable."""
        try:
            if record is not None:
                self.folder.write_record(record)
            self.folder.write_summary(summary)
        except OSError as error:
            if error.errno in DISK_FULL:  # the run is not closed, and what stands there says so
                log.warning("%s: the summary cannot be saved: %s", self.folder.path, error.strerror)
            else:
                self.journal.failed(f"{self.folder.path}: the summary cannot be saved: {error.strerror}")
            return False
        return True

    def _reasons(self, *, closing: bool) -> list[str]:
        config, made_by = self.record.config, self.record.origin
        reasons = not_submittable(
            recorded=config.record_evidence,
            declared=config.submit_intent,
            closed=closing,
            sandboxed=self.record.isolation.get(PYTHON) != UNSANDBOXED,
            integrity_events=self.journal.integrity_events,
            recording_failures=self.journal.failures,
            imported=made_by is not msgspec.UNSET and made_by.kind == "imported",
        )
        return reasons + self._interruptions().reasons()

    def _interruptions(self) -> Interruptions:
        return self.journal.interruptions.total(self.record.versions.get("gaia_harness", ""))

    def _summary(self, *, closing: bool, paused: str | None = None) -> Summary:
        isolation = self.record.isolation
        return self.tally.summary(
            seed=self.record.config.seed,
            dataset=self.loaded.dataset,
            dataset_revision=self.loaded.revision,
            dataset_digest=self.loaded.digest,
            split=self.loaded.split,
            voting_attempts=self.record.config.voting_attempts,
            integrity_events=self.journal.integrity_events,
            non_submittable_reasons=self._reasons(closing=closing),
            interruptions=self._interruptions(),
            paused=None if closing else paused,
            origin=self.record.origin,
            warnings=[python_not_offered(isolation)] if isolation.get(PYTHON) == NOT_OFFERED else [],
        )

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


def python_not_offered(isolation: Mapping[str, object]) -> str:
    """Why our own loop offers no python tool."""
    return f"the python tool is not offered: {isolation.get('reason', 'there is no sandbox')}"


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


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they can be signed: JSON without floats."""
    return disclosed_options({"stated": dict(options)})["stated"]  # type: ignore[no-any-return]


def _is_line(text: object) -> bool:
    return isinstance(text, str) and bool(text.strip()) and text.isprintable() and len(text) <= LONGEST_NAME


def checked_origin(origin: Origin) -> Origin:
    """The same origin, if each part is what it must be, as it is read again."""
    if not _is_line(origin.recorded_by):
        raise UsageError(
            "an origin needs the name of the program that records, in one line", hint='as in live("acme-loop 1.2")'
        )
    try:
        data = msgspec.json.encode(origin)
        checked = msgspec.json.decode(data, type=Origin)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"not what an origin is made of: {error}", hint="see docs/recording.md") from error
    if len(data) > LARGEST_ORIGIN:
        raise UsageError(f"an origin of {len(data)} bytes, and it may have {LARGEST_ORIGIN}")
    return checked
