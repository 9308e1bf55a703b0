"""AUD-4: did the agent's calls reach for judge, cache, key, gold, results or log, and was the sandbox in force?"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import ClassVar

import msgspec

from gaia_harness import protocol
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, found
from gaia_harness.audit.reaching.actions import Action, Verdict, findings_in
from gaia_harness.audit.reaching.graders import CONTAINERS, RUN_FILES, grader_part, is_grader_address
from gaia_harness.audit.reaching.paths import is_anyones, is_own
from gaia_harness.audit.reaching.reading import FILES, Reach
from gaia_harness.audit.reaching.tables import names, says
from gaia_harness.figures import counted
from gaia_harness.records.steps import ToolResultStep
from gaia_harness.shortening import shorten

# what the sandbox says of itself when it is in force: its name and its version, and nothing else
_SANDBOX = re.compile(r"bubblewrap(?: \d{1,4}(?:\.\d{1,4}){1,3})?", re.ASCII)
_NOT_CONTAINED = frozenset((protocol.UNSANDBOXED, "none", "no", "nothing", "no sandbox", "not contained", "not at all"))


class Noted(msgspec.Struct, frozen=True, gc=False):
    """What is kept of one task."""

    findings: tuple[Finding, ...] = ()
    unseen: bool = False  # it has no trajectory that could be read
    unlogged: bool = False
    code_ran: bool = False


class GraderIsolation:
    """Reads every tool call by where it leads, not by the words in it."""

    noted: ClassVar[type[Noted]] = Noted

    def __init__(self, run: RunEvidence) -> None:
        self._run = run

    def look(self, task: TaskEvidence) -> Noted:
        """See the tool calls of one task."""
        unlogged = task.log is None and (task.facts is not None or task.trajectory is not None)
        if task.trajectory is None:
            return Noted(unseen=task.is_unseen, unlogged=unlogged)
        findings, unread = findings_in(task, _Judge(task.around.workdir).verdicts)
        if unread:
            summary = f"{unread} calls were not read to their end: no honest task has so much code."
            findings.add(found("high", "code-unread", summary, task_id=task.task_id))
        code_ran = any(
            moment.role == "code" and type(moment.step) is ToolResultStep and not moment.step.is_error
            for moment in task.timeline
        )
        return Noted(findings.sorted(), unlogged=unlogged, code_ran=code_ran)

    def conclude(self, notes: Sequence[Noted]) -> Check:
        """Say what the calls reached, whether the sandbox was in force, and whether the judge's cache held."""
        facts, log = self._run.facts, self._run.log
        findings = Findings().keep(*(finding for note in notes for finding in note.findings))
        isolation, gaps = _isolation(self._run, code_ran=any(note.code_ran for note in notes))
        findings.add_all(isolation)
        if log.fault is not None:
            gaps.append(f"the log could not be read to its end ({shorten(log.fault, 200)})")
        elif unlogged := sum(note.unlogged for note in notes):
            gaps.append(f"the log has nothing about {counted(unlogged, 'task')} of the run")
        if events := max(facts.judge_cache_integrity_events, log.integrity_events):
            entries = counted(events, "entry of the judge cache was", "entries of the judge cache were")
            said = f"the summary has {facts.judge_cache_integrity_events}, the log {log.integrity_events}"
            findings.add(found("critical", "integrity-events", f"{entries} not as signed: {said}."))
        if log.failures:
            times = counted(len(log.failures), "time")
            findings.add(found("high", "recording-failed", f"{times} evidence could not be kept."))
        gaps += self._run.gaps_of_unseen(sum(note.unseen for note in notes))
        return findings.check("AUD-4", "grader-isolation", harness_gap="; ".join(gaps) or None)


def _isolation(run: RunEvidence, *, code_ran: bool) -> tuple[list[Finding], list[str]]:
    """How the agent's code was contained, as the run states it: what is wrong with that, and what it does not state."""
    if run.facts.origin is not msgspec.UNSET:  # another program contained its agent, or nobody knows
        said = run.facts.isolation.get("agent", "").strip().lower()
        if said in _NOT_CONTAINED:
            return [], ["the agent's code was not contained, as the run says"]
        return [], [] if said else ["how the agent's code was contained is not known"]
    gaps: list[str] = []
    match run.facts.isolation.get(protocol.PYTHON):
        case protocol.UNSANDBOXED:
            return [found("high", "unsandboxed", "Code ran, or could run, without a sandbox.")], []
        case protocol.NOT_OFFERED:
            finding = found("critical", "isolation-unknown", "Code ran although the run says that no tool runs any.")
        case None:
            finding = found("high", "isolation-unknown", "Code ran, and how it was contained is not recorded.")
            gaps = ["how the python tool was contained is not recorded"]
        case how:
            summary = f"The run names a containment that is not known: {how[:60]!a}."
            return [] if _SANDBOX.fullmatch(how) else [found("high", "isolation-unknown", summary)], []
    return [finding] if code_ran else [], gaps


class _Judge:
    """Says which reaches of a task's calls are a grader's, in their order: what earlier ones made may be its own."""

    def __init__(self, workdir: str) -> None:
        self._workdir = workdir
        self._made: set[str] = set()  # files and folders, by their paths and by their names
        self._serves = False

    def verdicts(self, action: Action) -> Iterator[tuple[Reach, Verdict]]:
        """What of an action's reaches is a grader's."""
        for reach in action.reading.reaches:
            verdict = self._verdict(reach.kind, reach.target, action)
            if verdict is not None:
                yield reach, verdict

    def _verdict(self, kind: str, target: str, action: Action) -> Verdict | None:
        match kind:
            case "module" if target.split(".")[0] in ("gaia_harness", "gaia-harness"):
                return Verdict("critical", "high", "harness-import", "the harness's own code")
            case "memory":
                return _memory(target, action)
            case "serve":
                self._serves = True
            case "url" | "page" if is_grader_address(target):
                what = "a grader on this machine or its network"
                if self._serves:
                    return Verdict("medium", "medium", "grader-address", f"what may be {what} or a server of its own")
                return Verdict("critical", "high", "grader-address", what)
            case _ if kind in FILES:
                return self._file(target, kind)
        return None

    def _file(self, path: str, kind: str) -> Verdict | None:
        """A file or a folder. The agent's own are nothing, what may be its own is medium."""
        part, mine = grader_part(path, self._workdir), is_own(path, self._workdir)
        if kind == "write":  # or a folder that it makes; it may read it again from the root
            self._made.update((posixpath.basename(path), path))
        elif kind == "tree" and mine:  # an archive or a folder of its own, unpacked or copied to who knows where
            self._made.update(names("folders", "temporary"))
        if part is None or (part.what == CONTAINERS and kind in ("list", "mention")):
            return None  # programs look so whether they run in a container
        # a run's files may lie in a folder that it made; one of a grader's may be "made" once more
        folders = map(str, PurePosixPath(path).parents) if part.what == RUN_FILES else ()
        made = not self._made.isdisjoint((posixpath.basename(path), *folders))
        if not part.certain and (made or is_anyones(path)):
            what = f"what may be {part.what} by its name and may be its own"
            return Verdict("medium", "medium", "grader-access", what)
        return Verdict("critical", "high", "grader-access", part.what)


def _memory(function: str, action: Action) -> Verdict:
    """Memory of another process, or of this one where the code names a grader's values and looks for them."""
    foreign = function.endswith(("process_vm_readv", "ptrace"))
    named = says(action.text, "grader", "values") and not function.startswith("ctypes.")
    if foreign or named:
        return Verdict("critical", "high", "memory-access", "a grader's values in memory")
    return Verdict("medium", "medium", "memory-access", "objects that are not its own")
