"""A run that is meant to be submitted: declared and signed before it begins, and entered in its signer's ledger."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from gaia_harness import __version__
from gaia_harness.errors import RunError
from gaia_harness.files import write_atomic
from gaia_harness.run.folder import RunRecord
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
from gaia_harness.witness.ledger import Closed, Intended, Ledger, Standing, read_ledger, standing
from gaia_harness.witness.merkle import Tree
from gaia_harness.witness.signing import PublicKey, Signer


class Declaration:
    """Who signs for a run, and where all that was ever declared under that key is entered."""

    def __init__(self, signer: Signer, ledger: Ledger) -> None:
        self.signer = signer
        self.ledger = ledger

    @classmethod
    def open(cls, env: Mapping[str, str], clock: Callable[[], str], ask: Ask | None) -> "Declaration":
        """By the person's own key; without one, the error says which command makes it."""
        keys = keys_folder(env)
        signer = keys.signer("submit", env=env, ask=ask)
        return cls(signer, Ledger(keys.path / "ledgers" / signer.public.key_id, signer, clock))

    def declare(self, folder: Path, record: RunRecord, loaded: LoadedTasks, cache_key: PublicKey | None) -> str:
        """Put the signed intent on disk and into the ledger; its hash. Done twice, it is the same."""
        path = folder / FILE_NAME
        if not path.exists():
            write_atomic(path, sign_intent(self.signer, self._intent(record, loaded, cache_key)))
        envelope = path.read_bytes()
        intent, _ = open_intent(envelope, [self.signer.public], where=str(path))
        if intent.run_id != record.run_id:
            raise RunError(f"{path}: this is the intent of another run, {intent.run_id}")
        if intent.config_sha256 != _config_sha256(record) or intent.dataset_digest != loaded.digest:
            raise RunError(f"{path}: the run is not the one that was declared")
        sha256 = hashlib.sha256(envelope).hexdigest()
        _, entries = read_ledger(self.ledger.folder, self.signer.public)
        if not any(isinstance(entry, Intended) and entry.run_id == intent.run_id for entry in entries):
            self.ledger.add(
                Intended(
                    run_id=intent.run_id,
                    task_list_sha256=intent.task_list_sha256,
                    dataset_digest=intent.dataset_digest,
                    gaia_split=intent.gaia_split,
                    model=intent.model,
                    intent_sha256=sha256,
                )
            )
        return sha256

    def standing(self, run_id: str) -> Standing:
        """How the run stands among all that this key ever declared on the same task list."""
        _, entries = read_ledger(self.ledger.folder, self.signer.public)
        return standing(entries, run_id)

    def close(self, run_id: str, status: str, log: Tree) -> None:
        """Enter the end of the run; once."""
        _, entries = read_ledger(self.ledger.folder, self.signer.public)
        if not any(isinstance(entry, Closed) and entry.run_id == run_id for entry in entries):
            self.ledger.add(Closed(run_id=run_id, status=status, log_size=log.size, log_root=log.root().hex()))

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
