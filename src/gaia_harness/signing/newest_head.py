"""The newest head of an open run's log, kept outside the run's folder to detect a rollback of the folder.

It lies beside the signer's ledger, in `open/<run id>/head`, from the first line of the log until the ledger has the
end of the run. It is one signed checkpoint, replaced with every line that is on disk: first the line, then the head, so
that after a crash at any moment the head on record is that of a beginning of the log.
"""

import fcntl
import os
import re
import shutil
from pathlib import Path

from gaia_harness.errors import EvidenceError, RunError
from gaia_harness.files import sync_folder, write_atomic
from gaia_harness.signing.checkpoints import Checkpoint, read_checkpoints
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import Signer, sign_note

FOLDER = "open"
FILE_NAME = "head"

_RUN_ID = re.compile(r"[0-9a-f]{32}")


class NewestHead:
    """Held by one process as long as it works on the run, in whichever copy of the run's folder that is."""

    def __init__(self, ledger: Path, run_id: str, signer: Signer) -> None:
        if not _RUN_ID.fullmatch(run_id):
            raise RunError(f"{run_id[:80]!a}: not the id of a run")
        self._folder = ledger / FOLDER / run_id
        self._origin = f"gaia-harness/run/{run_id}"
        self._signer = signer
        self._lock = -1

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._folder / FILE_NAME

    def take(self) -> None:
        """Keep other processes away from this run until `close`."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            raise RunError(
                "another process is at work on this run, in a copy of its folder", hint="wait for it, or stop it"
            ) from error
        for left in self._folder.glob(f".{FILE_NAME}.*.tmp"):  # by a process that was killed
            left.unlink()

    def read(self) -> Checkpoint | None:
        """The head on record, if there is one."""
        points = read_checkpoints(self.path, self._origin, key=self._signer.public)
        if len(points) > 1:
            raise EvidenceError(f"{self.path}: more than one head")
        return points[0] if points else None

    def record(self, log: Tree) -> None:
        """Put the head of the log on record; when this returns it is on disk."""
        text = Checkpoint(self._origin, log.size, log.root()).text()
        write_atomic(self.path, sign_note(self._signer, self._origin, text).encode() + b"\n", mode=0o600)

    def drop(self) -> None:
        """Take it away: the ledger has the end of the run."""
        if self._folder.exists():
            shutil.rmtree(self._folder, ignore_errors=True)
            sync_folder(self._folder.parent)

    def close(self) -> None:
        """Let other processes work on the run."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1
