"""Reads each part of a package once, and records why a part cannot be read."""

import base64
import contextlib
import hashlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import msgspec

from gaia_harness.audit.report import Report, encode_report
from gaia_harness.errors import EvidenceError
from gaia_harness.records.claims import miscounted
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.intent import Intent
from gaia_harness.records.ledger import AnyEntry, CloseEntry, ResumeEntry
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.package import Metadata
from gaia_harness.signing import sshsig
from gaia_harness.signing.intent import open_intent
from gaia_harness.signing.ledger import read_ledger
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import PublicKey, SignatureError
from gaia_harness.submission.costs import cost_faults, stated_fault
from gaia_harness.submission.file_set import (
    CHECKPOINTS,
    INTENT,
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
from gaia_harness.submission.metadata import read_exactly, read_metadata
from gaia_harness.submission.results import result_line
from gaia_harness.submission.trajectory_lines import MOST_HOSTS, LineFacts, check_binding, count_served
from gaia_harness.submission.trajectory_pass import FileHash, examine_lines

T = TypeVar("T")


class Unavailable(Exception):
    """Something that another check is about does not hold, so that this one cannot be made."""


class Lines(msgspec.Struct, kw_only=True):
    """The result of one pass over the trajectories. Lines are not kept, as there may be many."""

    sound: int = 0
    steps: int = 0
    prompts: set[str] = msgspec.field(default_factory=set)
    catalogues: set[str] = msgspec.field(default_factory=set)
    systems: set[str] = msgspec.field(default_factory=set)
    """Hashes of the system prompts."""
    bodies: set[str] = msgspec.field(default_factory=set)
    every_body: bool = True
    words: set[str] = msgspec.field(default_factory=set)
    words_cut: int = 0
    unsound: list[str] = msgspec.field(default_factory=list)
    """What is wrong with lines by themselves; `unlike` has where they are not what the facts say."""
    unlike: list[str] = msgspec.field(default_factory=list)
    unbound: list[str] = msgspec.field(default_factory=list)
    costs_not_ours: list[str] = msgspec.field(default_factory=list)
    costs_unlike: list[str] = msgspec.field(default_factory=list)
    """Costs that tokens and our prices do not give: a fault where this very version ran, else to be said."""
    served: dict[str, int] = msgspec.field(default_factory=dict)
    """How many replies gave which name of a model."""
    hosts: dict[str, int] = msgspec.field(default_factory=dict)
    """How many requests an agent in a box made to which host."""
    results: dict[str, bytes] = msgspec.field(default_factory=dict)
    """For every task with a trajectory the hash of its line in results.jsonl; empty where there are no facts of it."""


class Examination:
    """A package under examination. Every part raises an EvidenceError where it cannot be had, the same every time."""

    def __init__(self, files: FileSet) -> None:
        self.files = files
        self.notes: list[str] = []
        """What a verifier should know and no check fails for."""
        self._known: dict[str, Any] = {}
        # the file is not read once to be hashed and once more for its lines
        self._hashing = Hashing(files, later=frozenset({TRAJECTORIES}))
        self._trajectories = FileHash()

    def close(self) -> None:
        """Let go of what still runs."""
        self._hashing.close()

    def hash_of(self, name: str) -> str:
        """The hash of a file; waits for it if need be."""
        if name == TRAJECTORIES:
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
            self.files.require(LEDGER)
            self.files.require(LEDGER_CHECKPOINTS)
            try:
                return read_ledger(self.files.folder, self.key)
            except EvidenceError as error:
                raise EvidenceError(error.message.replace(f"{self.files.folder}/", "")) from error

        return self._once("ledger", read)

    @property
    def log(self) -> LogReading:
        """The run's log, its heads signed by that key."""

        def read() -> LogReading:
            self.files.require(LOG)
            self.files.require(CHECKPOINTS)
            try:
                run_id = self.intent.run_id
                entries = [e for e in self.ledger[1] if isinstance(e, ResumeEntry | CloseEntry) and e.run_id == run_id]
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
            return read_exactly(self.files.read(REPORT), Report, encode_report, where=REPORT)

        return self._once("report", read)

    @property
    def lines(self) -> Lines:
        """One pass over the trajectories. Faults are within: the other lines are looked at all the same."""
        return self._once("lines", self._read_lines)

    def _read_lines(self) -> Lines:
        self.files.require(TRAJECTORIES)
        lines = Lines()
        try:
            log = self.log
            bound = [task for task in log.finished if task.trajectory_sha256 is not None]
        except EvidenceError:
            log, bound = None, []
        facts: RunFacts | None = None
        outcomes: dict[str, TaskFacts] = {}
        with contextlib.suppress(EvidenceError):
            facts = self.metadata.facts
            outcomes = {task.task_id: task for task in facts.tasks}
        number = 0
        for number, found in enumerate(
            examine_lines(self.files.folder / TRAJECTORIES, whole=self._trajectories), start=1
        ):
            task = bound[number - 1] if number <= len(bound) else None
            if isinstance(found, LineFacts):
                _gather(lines, found, outcomes.get(found.task_id), facts)
            else:
                _few(lines.unsound, found.fault)
            if log is None:
                continue
            if task is None:
                _few(lines.unbound, f"{TRAJECTORIES}:{number}: the log does not have this line")
            elif found.sha256 != task.trajectory_sha256:
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


def _gather(lines: Lines, line: LineFacts, task: TaskFacts | None, facts: RunFacts | None) -> None:
    """Add a line that holds up, and compare it with the facts of its task."""
    where = f"{TRAJECTORIES}:{line.number}"
    lines.sound += 1
    lines.steps += line.marks[-1].steps if line.marks else 0
    lines.prompts.update(line.named.prompts)
    lines.catalogues.update(line.named.catalogues)
    lines.systems.update(line.named.systems)
    lines.bodies.update(line.named.bodies)
    lines.every_body &= line.named.every_body
    lines.words.update(line.named.words)
    lines.words_cut += line.named.words_cut
    count_served(lines.served, line.named.served.items())
    count_served(lines.hosts, line.named.hosts.items(), MOST_HOSTS)
    if line.task_id in lines.results:
        _few(lines.unlike, f"{where}: the task {line.task_id[:80]!a} has a trajectory already")
    if task is None or facts is None:
        lines.results[line.task_id] = b""
        return
    lines.results[task.task_id] = hashlib.sha256(result_line(task, line.trace)).digest()
    said = {
        "final_answer": (line.final_answer, task.answer),
        "model": (line.model, task.model),
        "selected_attempt": (line.selected_attempt, task.voting.selected_attempt),
        "voting_attempts": (line.voting_attempts, facts.voting_attempts),
    }
    wrong = [name for name, (claimed, known) in said.items() if claimed != known]
    wrong += miscounted(
        task,
        turns=line.turns,
        input_tokens=line.input_tokens,
        output_tokens=line.output_tokens,
        asked=set(line.asked),
        used=set(line.used),
    )
    cost = stated_fault(task, facts, line.input_tokens, line.output_tokens) or cost_faults(
        task, line.costs, tokens_known=None not in (line.input_tokens, line.output_tokens)
    )
    for faults, fault in (
        (lines.unlike, cost.impossible),
        (lines.costs_not_ours, cost.not_ours),
        (lines.costs_unlike, cost.unlike),
    ):
        if fault is not None:
            _few(faults, f"{where}: {fault}")
    for name in wrong:
        _few(lines.unlike, f"{where}: {name} is not what the facts say")


def _few(faults: list[str], fault: str) -> None:
    if len(faults) < MOST_FAULTS:
        faults.append(fault)
