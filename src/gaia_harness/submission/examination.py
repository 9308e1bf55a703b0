"""What can be read from a package, each part once, and whose fault it is where it cannot."""

import base64
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec

from gaia_harness import strict_json
from gaia_harness.audit.report import Report, encode_report
from gaia_harness.errors import EvidenceError
from gaia_harness.submission.file_set import (
    CHECKPOINTS,
    INTENT,
    LARGEST_DOCUMENT,
    LEDGER,
    LEDGER_CHECKPOINTS,
    LOG,
    METADATA,
    MOST_FAULTS,
    REPORT,
    SIGNATURE,
    SUMS,
    TRAJECTORIES,
    FileSet,
    read_sums,
)
from gaia_harness.submission.hashing import Hashing
from gaia_harness.submission.log_reading import LogReading, read_run_log
from gaia_harness.submission.metadata import Metadata, read_metadata
from gaia_harness.submission.results import result_line
from gaia_harness.submission.trajectory_lines import LineFacts, check_binding
from gaia_harness.submission.trajectory_pass import LARGE, FileHash, passes
from gaia_harness.witness import sshsig
from gaia_harness.witness.intent import Intent, open_intent
from gaia_harness.witness.ledger import AnyEntry, Closed, Resumed, read_ledger
from gaia_harness.witness.merkle import Tree
from gaia_harness.witness.signing import PublicKey, SignatureError

LARGEST_LOG = 1 << 30

T = TypeVar("T")


class Unavailable(Exception):
    """Something that another check is about does not hold, so that this one cannot be made."""


class Lines(msgspec.Struct, kw_only=True):
    """What came of one pass over the trajectories: those that hold up, and what is wrong with others."""

    facts: list[LineFacts]
    unsound: list[str]
    unbound: list[str]
    results: dict[str, str]
    """The hash of the line of results.jsonl that belongs to each task."""


class Examination:
    """A package under examination. Every part raises an EvidenceError where it cannot be had, the same every time."""

    def __init__(self, files: FileSet) -> None:
        self.files = files
        self._known: dict[str, Any] = {}
        # a large file is not read once to be hashed and once more for its lines
        large = files.sizes.get(TRAJECTORIES, 0) >= LARGE
        self._hashing = Hashing(files, later=frozenset({TRAJECTORIES} if large else ()))
        self._trajectories = FileHash()

    def close(self) -> None:
        """Let go of what still runs."""
        self._hashing.close()

    def hash_of(self, name: str) -> str:
        """The hash of a file; waits for it if need be."""
        if name == TRAJECTORIES and self.files.sizes.get(name, 0) >= LARGE:
            _ = self.lines
            if self._trajectories.sha256 is not None:
                return self._trajectories.sha256
        return self._hashing.of(name).sha256

    def body_faults(self, hashes: Sequence[str]) -> list[str]:
        """What is wrong with these texts in bodies/: each must unpack to what has the hash in its name."""
        faults = []
        for sha256 in hashes:
            name = f"bodies/{sha256}.zst"
            try:
                found = self._hashing.of(name)
            except EvidenceError as error:
                faults.append(error.message)
                continue
            if found.content_sha256 != sha256:
                faults.append(f"{name}: {found.fault or 'its content does not have the hash in its name'}")
        return faults

    @property
    def sums(self) -> dict[str, str]:
        """What SHA256SUMS lists."""
        return self._once("sums", lambda: read_sums(self.files.read(SUMS)))

    @property
    def signature(self) -> sshsig.SshSignature:
        """The signature of SHA256SUMS, which nobody has checked yet."""

        def read() -> sshsig.SshSignature:
            try:
                return sshsig.read_armored(self.files.read(SIGNATURE).decode("ascii"))
            except UnicodeDecodeError:
                raise EvidenceError(f"{SIGNATURE}: is not text") from None
            except SignatureError as error:
                raise EvidenceError(f"{SIGNATURE}: {error.message}") from error

        return self._once("signature", read)

    @property
    def key(self) -> PublicKey:
        """The key that the package says it is signed by: a hint, which everything signed must bear out."""

        def read() -> PublicKey:
            try:
                return PublicKey.from_openssh(f"ssh-ed25519 {base64.b64encode(self.signature.key).decode()}")
            except SignatureError as error:
                raise EvidenceError(f"{SIGNATURE}: {error.message}") from error

        return self._once("key", read)

    @property
    def intent(self) -> Intent:
        """The intent, signed by that key."""
        return self._once("intent", lambda: open_intent(self.files.read(INTENT), [self.key], where=INTENT)[0])

    @property
    def ledger(self) -> tuple[Tree, list[AnyEntry]]:
        """The ledger, its heads signed by that key."""

        def read() -> tuple[Tree, list[AnyEntry]]:
            self._sized(LEDGER, LARGEST_DOCUMENT)
            self._sized(LEDGER_CHECKPOINTS, LARGEST_DOCUMENT)
            try:
                return read_ledger(self.files.folder, self.key)
            except EvidenceError as error:
                raise EvidenceError(error.message.replace(f"{self.files.folder}/", "")) from error

        return self._once("ledger", read)

    @property
    def log(self) -> LogReading:
        """The run's log, its heads signed by that key."""

        def read() -> LogReading:
            self._sized(LOG, LARGEST_LOG)
            self._sized(CHECKPOINTS, LARGEST_DOCUMENT)
            try:
                run_id = self.intent.run_id
                entries = [e for e in self.ledger[1] if isinstance(e, Resumed | Closed) and e.run_id == run_id]
            except EvidenceError:
                entries = []
            sizes = [entry.log_size for entry in entries]
            return read_run_log(self.files.folder, self.intent.run_id, self.key, roots_at=sizes)

        return self._once("log", read)

    @property
    def metadata(self) -> Metadata:
        """What metadata.json says, which nobody has checked yet."""
        return self._once("metadata", lambda: read_metadata(self.files.read(METADATA)))

    @property
    def report(self) -> Report:
        """What audit-report.json says, in the one way in which it may be written."""

        def read() -> Report:
            data = self.files.read(REPORT)
            try:
                report = msgspec.convert(strict_json.loads(data, where=REPORT), Report)
            except strict_json.JsonError as error:
                raise EvidenceError(error.message) from error
            except msgspec.ValidationError as error:
                raise EvidenceError(f"{REPORT}: {error}") from error
            if encode_report(report) != data:
                raise EvidenceError(f"{REPORT}: not written as it must be")
            return report

        return self._once("report", read)

    @property
    def lines(self) -> Lines:
        """One pass over the trajectories. Faults are within: the other lines are looked at all the same."""
        return self._once("lines", self._read_lines)

    def _read_lines(self) -> Lines:
        self._sized(TRAJECTORIES, None)
        lines = Lines(facts=[], unsound=[], unbound=[], results={})
        try:
            log = self.log
            bound = [task for task in log.finished if task.event.trajectory_sha256 is not None]
        except EvidenceError:
            log, bound = None, []
        try:
            outcomes = {task.task_id: task for task in self.metadata.facts.tasks}
        except EvidenceError:
            outcomes = {}
        number = 0
        for number, found in enumerate(passes(self.files.folder / TRAJECTORIES, whole=self._trajectories), start=1):
            task = bound[number - 1] if number <= len(bound) else None
            if isinstance(found, LineFacts):
                if found.task_id in outcomes:
                    line = result_line(outcomes[found.task_id], found.trace)
                    lines.results[found.task_id] = hashlib.sha256(line).hexdigest()
                lines.facts.append(msgspec.structs.replace(found, trace=""))
            else:
                _few(lines.unsound, found.fault)
            if log is None:
                continue
            if task is None:
                _few(lines.unbound, f"{TRAJECTORIES}:{number}: the log does not have this line")
            elif found.sha256 != task.event.trajectory_sha256:
                _few(
                    lines.unbound,
                    f"{TRAJECTORIES}:{number}: not the line that the log binds ({LOG}:{task.line})",
                )
            elif isinstance(found, LineFacts):
                try:
                    check_binding(found, task, log.resumed)
                except EvidenceError as error:
                    _few(lines.unbound, error.message)
        if number < len(bound):
            _few(
                lines.unbound, f"{TRAJECTORIES}:{number + 1}: the line is missing that {LOG}:{bound[number].line} binds"
            )
        return lines

    def _sized(self, name: str, largest: int | None) -> None:
        """A file that is read by its path must be a plain one, and not too large."""
        if name not in self.files.sizes:
            raise EvidenceError(f"{name}: is missing")
        if largest is not None and self.files.sizes[name] > largest:
            raise EvidenceError(f"{name}: larger than {largest} bytes")

    def _once(self, name: str, read: Callable[[], T]) -> T:
        if name not in self._known:
            try:
                self._known[name] = read()
            except EvidenceError as error:
                self._known[name] = error
        known = self._known[name]
        if isinstance(known, EvidenceError):
            raise known
        return cast(T, known)


def _few(faults: list[str], fault: str) -> None:
    if len(faults) < MOST_FAULTS:
        faults.append(fault)
