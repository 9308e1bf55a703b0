"""Declared runs: signed before they begin, and entered in their signer's ledger."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from gaia_harness.disclosure import disclosed_dataset, disclosed_options
from gaia_harness.errors import RunError
from gaia_harness.files import write_atomic
from gaia_harness.records.events import Rollback
from gaia_harness.records.intent import (
    ATTEMPT_POLICY,
    FILE_NAME,
    Intent,
    differences_from_record,
    options_sha256,
    task_list_sha256,
)
from gaia_harness.records.interruptions import Program
from gaia_harness.records.ledger import (
    AnyEntry,
    CloseEntry,
    IntentEntry,
    LedgerStanding,
    ResumeEntry,
    in_force,
    ledger_standing,
)
from gaia_harness.records.run import RunRecord
from gaia_harness.run.folder import resume_command
from gaia_harness.run.resume import ResumeState
from gaia_harness.signing.intent import nonce, open_intent, sign_intent, source_sha256
from gaia_harness.signing.keys import Ask, keys_folder
from gaia_harness.signing.ledger import Ledger, head_at, read_ledger
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.newest_head import NewestHead
from gaia_harness.signing.signers import PublicKey, Signer
from gaia_harness.tasks.loading import LoadedTasks
from gaia_harness.version import __version__

_NO_LOG = "{}: the log of a run that was begun is missing"


class DeclaredRun(msgspec.Struct, frozen=True, kw_only=True):
    """A declared run that may start or continue: its intent, any rollback, and the program that resumes it."""

    intent_sha256: str
    head: NewestHead
    rollback: Rollback | None
    program: Program | None


class Declaration:
    """Who signs for a run, and where all that was ever declared under that key is entered."""

    def __init__(self, signer: Signer, ledger: Ledger, older: list[tuple[PublicKey, Path]]) -> None:
        """`older` are the ledgers of keys that the same person has retired."""
        self.signer = signer
        self.ledger = ledger
        self.older = older

    @classmethod
    def open(cls, env: Mapping[str, str], clock: Callable[[], str], ask: Ask | None) -> "Declaration":
        """By the person's own key; without one, the error says which command makes it."""
        keys = keys_folder(env)
        signer = keys.signer("submit", env=env, ask=ask)
        ledgers = keys.path / "ledgers"
        older = [(key, ledgers / key.key_id) for key in keys.retired_public_keys("submit")]
        return cls(signer, Ledger(ledgers / signer.public.key_id, signer, clock), older)

    def intend(
        self,
        folder: Path,
        record: RunRecord,
        loaded: LoadedTasks,
        cache_key: PublicKey | None,
        state: ResumeState,
        *,
        accept_rollback: bool,
    ) -> DeclaredRun:
        """Sign the intent and put it on disk if the run is new; if it is not, the folder must be as it was state.

        From here to `enter` the ledger must be held: the intent names its head.
        """
        path = folder / FILE_NAME
        entries = self.ledger.entries()
        known = next((e for e in entries if isinstance(e, IntentEntry) and e.run_id == record.run_id), None)
        if not path.exists():
            if state.started is not None or known is not None:
                raise RunError(f"{path}: the intent of this run is missing", hint="it was deleted; start a new run")
            write_atomic(path, sign_intent(self.signer, self._intent(record, loaded, cache_key)))
        envelope = path.read_bytes()
        intent, _ = open_intent(envelope, [self.signer.public], where=str(path))
        sha256 = hashlib.sha256(envelope).hexdigest()
        said = {
            "run": (intent.run_id, record.run_id),
            "data set": (intent.dataset_digest, loaded.digest),
            "intent in the ledger": (known.intent_sha256 if known else sha256, sha256),
            "intent in the log": (state.started.intent_sha256 if state.started else sha256, sha256),
            "ledger": (head_at(entries, intent.ledger.size), intent.ledger.root),
        }
        changed = [what for what, (declared, found) in said.items() if declared != found]
        for what in (*differences_from_record(intent, record.as_written()), *changed):
            raise RunError(f"{path}: the {what} is not the one that was declared", hint="start a new run")
        if known is not None and state.started is None:
            raise RunError(_NO_LOG.format(folder / "log.jsonl"), hint="start a new run")
        head = NewestHead(self.ledger.folder, record.run_id, self.signer)
        head.take()
        try:
            rollback = self._rollback(entries, folder, record.run_id, state, head, accepted=accept_rollback)
        except BaseException:
            head.close()
            raise
        ours = source_sha256()
        other = None if intent.source_sha256 == ours else Program(version=__version__, source_sha256=ours)
        return DeclaredRun(intent_sha256=sha256, head=head, rollback=rollback, program=other)

    def enter(self, record: RunRecord, declared: DeclaredRun, log: Tree) -> None:
        """Put the run, or that it goes on, into the ledger: behind the first line of its log, before any model call."""
        entries = [entry for entry in self.ledger.entries() if entry.run_id == record.run_id]
        if any(isinstance(entry, CloseEntry) for entry in entries):
            return
        if any(isinstance(entry, IntentEntry) for entry in entries):
            self.ledger.add(
                ResumeEntry(
                    run_id=record.run_id,
                    log_size=log.size,
                    log_root=log.root().hex(),
                    keeps_head=True,
                    rollback=msgspec.UNSET if declared.rollback is None else declared.rollback,
                )
            )
            return
        self.ledger.add(
            IntentEntry(
                run_id=record.run_id,
                task_list_sha256=task_list_sha256(record.dataset.task_ids),
                dataset_digest=record.dataset.digest,
                gaia_split=record.dataset.gaia_split,
                model=record.config.model,
                intent_sha256=declared.intent_sha256,
                keeps_head=True,
            )
        )

    def standing(self, run_id: str) -> LedgerStanding:
        """How the run stands among all that this person ever declared on the same task list, with older keys too."""
        before = [entry for key, folder in self.older for entry in read_ledger(folder, key)[1]]
        return ledger_standing([*before, *self.ledger.entries()], run_id)

    def close(self, run_id: str, status: str, log: Tree) -> None:
        """Enter the end of the run; once. Its newest head then stands in the ledger itself."""
        with self.ledger.held():
            closed = next((e for e in self.ledger.entries() if isinstance(e, CloseEntry) and e.run_id == run_id), None)
            if closed is None:
                self.ledger.add(CloseEntry(run_id=run_id, status=status, log_size=log.size, log_root=log.root().hex()))
            elif (closed.status, closed.log_root) != (status, log.root().hex()):
                raise RunError(f"the ledger has the end of run {run_id} already, {closed.status}, with another log")
            NewestHead(self.ledger.folder, run_id, self.signer).drop()

    def _rollback(
        self,
        entries: list[AnyEntry],
        folder: Path,
        run_id: str,
        state: ResumeState,
        head: NewestHead,
        *,
        accepted: bool,
    ) -> Rollback | None:
        """What is gone of the log, by the ledger and by the newest head: both must have seen a beginning of it."""
        seen = [(entry.log_size, entry.log_root) for entry in in_force(entries, run_id)]
        closed = any(isinstance(entry, CloseEntry) and entry.run_id == run_id for entry in entries)
        newest = head.read()
        if newest is not None:
            if state.started is None:
                raise RunError(_NO_LOG.format(folder / "log.jsonl"), hint="start a new run")
            seen.append((newest.size, newest.root.hex()))
        for size, root in seen:
            if (size <= state.tree.size and state.roots.get(size) != root) or (closed and size > state.tree.size):
                raise RunError(
                    f"the ledger has seen another log of run {run_id}, of {size} lines",
                    hint="this folder is an old copy or was cut back; start a new run",
                )
        if closed and max(size for size, _ in seen) != state.tree.size:
            raise RunError(f"the ledger has the end of run {run_id}, and its log goes on", hint="start a new run")
        kept, longest = state.tree.size, max((size for size, _ in seen), default=0)
        missing = newest is None and not closed and _keeps_head(entries, run_id)
        if longest <= kept and not missing:
            return None
        if not accepted:
            said = (
                f"{folder}: this folder is an old copy or was cut back: its log has {kept} lines, and {longest} are on "
                "record beside the ledger"
                if longest > kept
                else f"{head.path}: the newest head of the run's log is missing, by which it shows that nothing is gone"
            )
            raise RunError(
                said,
                hint="bring back what is newest, or start a new run; or go on from here with "
                f"{resume_command(folder)} --accept-rollback, which is signed, disclosed, and not clean",
            )
        return Rollback(kept=kept, seen=longest if longest > kept else None)

    def _intent(self, record: RunRecord, loaded: LoadedTasks, cache_key: PublicKey | None) -> Intent:
        config = record.config
        options = disclosed_options(record.as_written()["config"])
        return Intent(
            run_id=record.run_id,
            created_at=record.started_at,
            task_list_sha256=task_list_sha256(record.dataset.task_ids),
            tasks=len(record.dataset.task_ids),
            gaia_split=loaded.split,
            levels=tuple(sorted({task.level for task in loaded.tasks})),
            dataset=disclosed_dataset(loaded.dataset),
            dataset_revision=loaded.revision,
            dataset_digest=loaded.digest,
            config_sha256=options_sha256(options),
            harness_version=__version__,
            source_sha256=source_sha256(),
            model=config.model,
            judge_model=config.judge_model,
            seed=config.seed,
            voting_attempts=config.voting_attempts,
            attempt_policy=ATTEMPT_POLICY,
            cache_public_key=None if cache_key is None else cache_key.raw.hex(),
            ledger=self.ledger.head(),
            nonce=nonce(),
            endpoint=record.endpoint,
            judge_endpoint=record.judge_endpoint,
            options=options,
            transcription_endpoint=record.transcription_endpoint,
            origin=record.origin,
        )


def _keeps_head(entries: list[AnyEntry], run_id: str) -> bool:
    """Whether the run was begun, or resumed, by a version that keeps the newest head of its log."""
    ours = (entry for entry in entries if entry.run_id == run_id)
    return any(isinstance(entry, IntentEntry | ResumeEntry) and entry.keeps_head is True for entry in ours)
