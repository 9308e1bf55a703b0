"""A run that is meant to be submitted: declared and signed before it begins, and entered in its signer's ledger."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from gaia_harness import __version__
from gaia_harness.errors import RunError
from gaia_harness.files import write_atomic
from gaia_harness.run.folder import RunRecord
from gaia_harness.run.resume import Left
from gaia_harness.tasks.loading import LoadedTasks
from gaia_harness.witness.intent import (
    ATTEMPT_POLICY,
    FILE_NAME,
    Intent,
    nonce,
    open_intent,
    sign_intent,
    source_sha256,
    task_list_sha256,
)
from gaia_harness.witness.keys import Ask, keys_folder
from gaia_harness.witness.ledger import (
    AnyEntry,
    Closed,
    Intended,
    Ledger,
    Resumed,
    Standing,
    head_at,
    read_ledger,
    standing,
)
from gaia_harness.witness.merkle import Tree
from gaia_harness.witness.signing import PublicKey, Signer


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
        self, folder: Path, record: RunRecord, loaded: LoadedTasks, cache_key: PublicKey | None, left: Left
    ) -> str:
        """The hash of the signed intent, which is put on disk if the run is new, and must be the same if it is not."""
        path = folder / FILE_NAME
        entries = self._entries()
        known = next((e for e in entries if isinstance(e, Intended) and e.run_id == record.run_id), None)
        if not path.exists():
            if left.started is not None or known is not None:
                raise RunError(f"{path}: the intent of this run is missing", hint="it was deleted; start a new run")
            write_atomic(path, sign_intent(self.signer, self._intent(record, loaded, cache_key)))
        envelope = path.read_bytes()
        intent, _ = open_intent(envelope, [self.signer.public], where=str(path))
        sha256 = hashlib.sha256(envelope).hexdigest()
        said = {
            "run": (intent.run_id, record.run_id),
            "configuration": (intent.config_sha256, _config_sha256(record)),
            "data set": (intent.dataset_digest, loaded.digest),
            "program": (intent.source_sha256, source_sha256()),
            "intent in the ledger": (known.intent_sha256 if known else sha256, sha256),
            "intent in the log": (left.started.intent_sha256 if left.started else sha256, sha256),
            "ledger": (head_at(entries, intent.ledger.size), intent.ledger.root),
        }
        for what, (declared, found) in said.items():
            if declared != found:
                raise RunError(f"{path}: the {what} is not the one that was declared", hint="start a new run")
        if known is not None and left.started is None:
            raise RunError(
                f"{folder / 'log.jsonl'}: the log of a run that was begun is missing", hint="start a new run"
            )
        self._same_log(entries, record.run_id, left)
        return sha256

    def enter(self, record: RunRecord, intent_sha256: str, log: Tree) -> None:
        """Put the run, or that it goes on, into the ledger: behind the first line of its log, before any model call."""
        entries = self._entries()
        if any(isinstance(entry, Closed) and entry.run_id == record.run_id for entry in entries):
            return
        if any(isinstance(entry, Intended) and entry.run_id == record.run_id for entry in entries):
            self.ledger.add(Resumed(run_id=record.run_id, log_size=log.size, log_root=log.root().hex()))
            return
        self.ledger.add(
            Intended(
                run_id=record.run_id,
                task_list_sha256=task_list_sha256(record.dataset.task_ids),
                dataset_digest=record.dataset.digest,
                gaia_split=record.dataset.gaia_split,
                model=record.config.model,
                intent_sha256=intent_sha256,
            )
        )

    def standing(self, run_id: str) -> Standing:
        """How the run stands among all that this person ever declared on the same task list, with older keys too."""
        before = [entry for key, folder in self.older for entry in read_ledger(folder, key)[1]]
        return standing([*before, *self._entries()], run_id)

    def close(self, run_id: str, status: str, log: Tree) -> None:
        """Enter the end of the run; once."""
        closed = next((e for e in self._entries() if isinstance(e, Closed) and e.run_id == run_id), None)
        if closed is None:
            self.ledger.add(Closed(run_id=run_id, status=status, log_size=log.size, log_root=log.root().hex()))
        elif (closed.status, closed.log_root) != (status, log.root().hex()):
            raise RunError(f"the ledger has the end of run {run_id} already, {closed.status}, with another log")

    def _entries(self) -> list[AnyEntry]:
        return read_ledger(self.ledger.folder, self.signer.public)[1]

    def _same_log(self, entries: list[AnyEntry], run_id: str, left: Left) -> None:
        """Whatever the ledger has seen of the run's log must be its beginning; its end must be its end."""
        for entry in entries:
            if not isinstance(entry, Resumed | Closed) or entry.run_id != run_id:
                continue
            ended = isinstance(entry, Closed)
            if left.roots.get(entry.log_size) != entry.log_root or (ended and left.tree.size != entry.log_size):
                raise RunError(
                    f"the ledger has seen another log of run {run_id}, of {entry.log_size} lines",
                    hint="this folder is an old copy or was cut back; start a new run",
                )

    def _intent(self, record: RunRecord, loaded: LoadedTasks, cache_key: PublicKey | None) -> Intent:
        config = record.config
        return Intent(
            run_id=record.run_id,
            created_at=record.started_at,
            task_list_sha256=task_list_sha256(record.dataset.task_ids),
            tasks=len(record.dataset.task_ids),
            gaia_split=loaded.split,
            levels=tuple(sorted({task.level for task in loaded.tasks})),
            dataset=loaded.dataset,
            dataset_revision=loaded.revision,
            dataset_digest=loaded.digest,
            config_sha256=_config_sha256(record),
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
        )


def _config_sha256(record: RunRecord) -> str:
    return hashlib.sha256(msgspec.json.encode(record.config)).hexdigest()
