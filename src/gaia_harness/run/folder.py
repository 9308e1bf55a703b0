"""The run directory: its lock, and how results are written to it."""

import contextlib
import fcntl
import os
import shlex
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError, RunError, UsageError
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import write_atomic
from gaia_harness.records.excerpt import sound
from gaia_harness.records.intent import DISCLOSED
from gaia_harness.records.run import RunRecord, read_record
from gaia_harness.records.summary import Summary


class RunFolder:
    """A run directory, held by this process alone until it is closed."""

    def __init__(self, path: Path, descriptor: int, redactor: Redactor, made: Sequence[Path] = ()) -> None:
        """`made` are the folders that were not there before, the innermost first."""
        self.path = path
        self._made = made
        self._descriptor = descriptor
        self._redactor = redactor

    @classmethod
    def create(cls, path: Path, secrets: Iterable[str] = ()) -> "RunFolder":
        """Take a new or empty folder, in which none of the secrets is to be written."""
        made = [folder for folder in (path, *path.parents) if not folder.exists()]
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)  # one that is there already stays as it is
            folder = cls(path, _lock(path), Redactor(secrets), made)
            if any(path.iterdir()):
                folder.close()
                raise UsageError(
                    f"{path}: the output folder must be new or empty",
                    hint="choose another --out"
                    + (f", or go on with that run: {resume_command(path)}" if (path / "run.json").is_file() else ""),
                )
        except OSError as error:
            raise RunError(
                f"{path}: cannot be used as the output folder: {error.strerror}", hint="choose another --out"
            ) from error
        return folder

    @classmethod
    def reopen(cls, path: Path, secrets: Iterable[str] = ()) -> "RunFolder":
        """Take the folder of a run that was started before."""
        if not (path / "run.json").is_file():
            raise UsageError(
                f"{path}: there is no run here (run.json is missing)",
                hint="name the folder of a run: what was given as --out, or is in runs/",
            )
        return cls(path, _lock(path), Redactor(secrets))

    def close(self) -> None:
        """Let others have the folder; one that was made for a run that could not begin is taken away again."""
        with contextlib.suppress(OSError):  # something is in it
            for folder in self._made:
                folder.rmdir()
        os.close(self._descriptor)

    def __enter__(self) -> "RunFolder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read_record(self) -> RunRecord:
        """What run.json says."""
        path = self.path / "run.json"
        try:
            return read_record(self.path)
        except EvidenceError as error:
            raise RunError(f"{path}: not a run's record: {error.message}") from error

    def read_unfinished(self) -> RunRecord:
        """What run.json says of a run that can be resumed; an error for one that is finished or abandoned."""
        record = self.read_record()
        if record.state in ("closed", "aborted"):
            said = "finished" if record.state == "closed" else "abandoned"
            raise UsageError(f"{self.path}: this run is {said}", hint=f"read {self.path / 'summary.json'}")
        return record

    def read_unfinished_of_ours(self) -> RunRecord:
        """The same for our own loop, which goes on with its own runs alone."""
        record = self.read_unfinished()
        if record.origin is not msgspec.UNSET and record.config.agent is msgspec.UNSET:
            raise UsageError(
                f"{self.path}: not a run of `gaia run`: it was {record.origin.describe()}",
                hint="go on with the program that records it: RunWriter(…, resume=True)"
                if record.origin.kind == "live"
                else "import it again",
            )
        return record

    def write_record(self, record: RunRecord) -> None:
        """Replace run.json. What was asked for stays as it was declared: a run with a key in it is not begun."""
        hidden = self._redactor.hide(record)
        asked = ("config", "dataset", *DISCLOSED)
        kept = msgspec.structs.replace(hidden, **{name: getattr(record, name) for name in asked})
        self._write("run.json", kept.as_written())

    def write_summary(self, summary: Summary) -> None:
        """Replace summary.json."""
        self._write("summary.json", self._redactor.hide(summary))

    def _write(self, name: str, value: object) -> None:
        try:
            encoded = msgspec.json.encode(value)
        except UnicodeEncodeError:  # a tool's error may have half a character in it
            encoded = msgspec.json.encode(sound(msgspec.to_builtins(value)))
        data = msgspec.json.format(encoded, indent=2) + b"\n"
        write_atomic(self.path / name, data)


def resume_command(path: Path) -> str:
    """What to type to go on with a run."""
    return f"gaia run --resume {shlex.quote(os.fspath(path))}"


def _lock(path: Path) -> int:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for pause in (0.01, 0.05, 0.2, None):  # `gaia runs` holds it for less than that, to see whether anybody does
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except OSError as error:
            if pause is not None:
                time.sleep(pause)
                continue
            os.close(descriptor)
            raise RunError(
                f"{path}: another process is running in this folder", hint="wait for it, or choose another --out"
            ) from error
    return descriptor


def is_running(path: Path) -> bool:
    """Whether a process is at work in a run's folder: it holds the lock, which ends with the process."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:  # it is gone, or nobody's to look at
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False
