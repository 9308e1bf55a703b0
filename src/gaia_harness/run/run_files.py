"""The files of a run from its beginning to its end: opened, declared, closed, summed up."""

import contextlib
import logging
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from gaia_harness.errors import GaiaError, RunError
from gaia_harness.evidence.recording import Recording, TaskRecording
from gaia_harness.evidence.redaction import Redactor, secrets_in
from gaia_harness.protocol import NOT_OFFERED, PYTHON, UNSANDBOXED
from gaia_harness.records.events import LOG_SCHEMA, RunResumed, RunStarted
from gaia_harness.records.interruptions import Interruptions
from gaia_harness.records.ledger import LedgerStanding
from gaia_harness.records.results import TaskResult
from gaia_harness.records.run import RunRecord
from gaia_harness.records.summary import Summary
from gaia_harness.run.declaring import Declaration, DeclaredRun
from gaia_harness.run.disk_reserve import DISK_FULL, DiskFull, DiskReserve
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.journal import Journal
from gaia_harness.run.opening import now
from gaia_harness.run.opening import origin as log_origin
from gaia_harness.run.resume import ResumeState
from gaia_harness.run.summary import Tally, not_submittable
from gaia_harness.signing.checkpoints import Checkpoints
from gaia_harness.signing.log import RunLog
from gaia_harness.signing.signers import PublicKey
from gaia_harness.tasks.loading import LoadedTasks

log = logging.getLogger("gaia_harness")


class RunFiles:
    """A run folder that is being written: its record, log, evidence, results and summary."""

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
        self._declared: DeclaredRun | None = None
        self._cache_key = cache_key
        self._accept_rollback = accept_rollback
        self._closing = contextlib.ExitStack()
        self._ended = self._released = False
        asked = Counter(task.level for task in loaded.tasks)
        has_gold = all(loaded.key.get(task.task_id) is not None for task in loaded.tasks)
        self.tally = Tally(asked, has_gold=has_gold)
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
                self._declared = msgspec.structs.replace(declared, rollback=None)  # one is told once
                self.journal = self._open_journal(declared)
                self._begin(declared)
                if self.state.closed is None:
                    self._declaration.enter(self.record, declared, self.journal.run_log.tree)
            if self.state.closed is None:
                self._show_standing(self._declaration.standing(self.record.run_id))
        return self.journal

    def go_on(self) -> None:
        """Note that tasks are begun again whose attempts were lost, as when a run is resumed: nothing is under way."""
        self.journal.add(self._resumed(self._declared))
        self.journal.checkpoint()
        if self._declaration is None or self._declared is None:
            return
        try:
            with self._declaration.ledger.held():
                self._declaration.enter(self.record, self._declared, self.journal.run_log.tree)
        except DiskFull:
            raise
        except (OSError, GaiaError) as error:
            self.journal.failed(f"the ledger cannot be written: {error}")

    @property
    def path(self) -> Path:
        """The folder."""
        return self.folder.path

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
            self.journal.add(self._resumed(declared, state.healed))
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

    def _resumed(self, declared: DeclaredRun | None, healed: tuple[str, ...] = ()) -> RunResumed:
        rollback = None if declared is None else declared.rollback
        program = None if declared is None else declared.program
        return RunResumed(
            healed=healed,
            concurrency=self.record.config.concurrency,
            rollback=msgspec.UNSET if rollback is None else rollback,
            harness_version=msgspec.UNSET if program is None else program.version,
            source_sha256=msgspec.UNSET if program is None else program.source_sha256,
        )

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


def python_not_offered(isolation: Mapping[str, object]) -> str:
    """Why our own loop offers no python tool."""
    return f"the python tool is not offered: {isolation.get('reason', 'there is no sandbox')}"
