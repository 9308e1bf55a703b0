"""AUD-8: did a tool call, or can the runner's own code, open files that hold answers?"""

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar
from urllib.parse import unquote

from gaia_harness.audit.answer_tables import AnswerTables
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Findings, Notes, Severity, found
from gaia_harness.audit.reaching.actions import Action, Verdict, calls_in, findings_in
from gaia_harness.audit.reaching.folding import HOLE
from gaia_harness.audit.reaching.paths import is_guessed, is_own, looks_around, resolve, stands_for
from gaia_harness.audit.reaching.reading import FILES, Reach
from gaia_harness.audit.reaching.tables import names, pattern, says
from gaia_harness.audit.source_facts import facts_of_what_ran
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.records.steps import Scan

COPIED = 0.5  # share of the question's wording from which on a text is a copy of it, as for answer-leakage

ANSWER_FILE = Verdict("critical", "high", "answer-file", "a file of the benchmark that holds answers")
# opened by no code, or guessed at: what is refused may have stood in a search hit
OPENED = ANSWER_FILE._replace(refused="medium")
BESIDE = Verdict("medium", "low", "answer-folder", "the folder of the data set in which the task's own file lies")
NAMED = Verdict("high", "medium", "answer-folder", "a folder that bears the benchmark's name")
DOWNLOAD = Verdict("critical", "high", "dataset-download", "the benchmark's data set")
PAGE = Verdict("low", "low", "dataset-page", "a page or a data set of a hub")
COLUMNS = Verdict("critical", "high", "answer-column", "the columns that hold the benchmark's answers")
OWN_COLUMNS = Verdict("medium", "low", "answer-column", "columns of such names in a file of its own")

OUTSIDE = ("url", "page", "download", "load")  # kinds of reaches that leave the machine


class AnswerKeyReads:
    """Reads tool calls by where they lead, and the file of facts about the runner's sources."""

    noted: ClassVar[type[Notes]] = Notes

    def __init__(self, run: RunEvidence, facts: Path | None = None) -> None:
        self._run = run
        self._file = facts
        self._attached = [resolve(path, run.around.workdir) for path in run.around.attachments]
        self._tables = AnswerTables({} if run.key is None else run.key.golds)

    def look(self, task: TaskEvidence) -> Notes | None:
        """See the tool calls of one task."""
        if task.trajectory is None:
            return Notes(task.task_id, not_seen=1) if task.is_unseen else None
        findings, _ = findings_in(task, _Judge(task, self._attached).verdicts)
        for moment, step in calls_in(task.timeline):
            # an agent is told no ids but its own: others, with their answers, come from a key
            if table := self._tables.find(moment.text, task.task_id):
                others = len(table - {task.task_id})
                said = f"ids of {others} other tasks of the run, each" if others else "its own id"
                summary = f"A call of {step.name[:40]!a} has {said} with the answer behind it."
                severity: Severity = "critical" if others > 1 else "high"
                findings.add(found(severity, "answer-table", summary, task_id=task.task_id, at=step))
        return Notes(task.task_id, found_here) if (found_here := findings.sorted()) else None

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say which calls went for answers, and whether the runner's own code can."""
        facts, gap = facts_of_what_ran(self._run, self._file)
        findings = Findings().keep(*(finding for note in notes for finding in note.findings))
        findings.keep(*(facts.answer_reads if facts else ()))
        gaps = [*self._run.gaps_of_unseen(sum(note.not_seen for note in notes)), *([] if gap is None else [gap])]
        return findings.check("AUD-8", "answer-key-reads", harness_gap="; ".join(gaps) or None)


class _Judge:
    """Says which reaches of a task's calls go for answers. The files that came with tasks are nobody's answers."""

    def __init__(self, task: TaskEvidence, attached: Sequence[str]) -> None:
        self._workdir, self._task_id = task.around.workdir, task.task_id
        self._files = set(map(posixpath.basename, attached))
        self._folders = set(map(posixpath.dirname, attached))
        self._written: set[str] = set()

    def verdicts(self, action: Action) -> Iterator[tuple[Reach, Verdict]]:
        """What of an action's reaches holds answers. Of data sets and columns, what comes back says whose they are."""
        is_benchmark = action.result is not None and _is_benchmark(action.result.scan)
        for reach, verdict in self._by_target(action):
            yield reach, ANSWER_FILE if is_benchmark and verdict in (PAGE, OWN_COLUMNS) else verdict

    def _by_target(self, action: Action) -> Iterator[tuple[Reach, Verdict]]:
        for reach in action.reading.reaches:
            verdict = self._verdict(reach.kind, reach.target, action)
            if verdict is not None:
                yield reach, verdict
        if _says(action.text, "columns"):
            opened = [reach for reach in action.reading.reaches if reach.kind in ("read", *OUTSIDE)]
            foreign = [reach for reach in opened if reach.kind != "read" or not is_own(reach.target, self._workdir)]
            yield from ((reach, COLUMNS if foreign else OWN_COLUMNS) for reach in (foreign or opened)[:1])

    def _verdict(self, kind: str, target: str, action: Action) -> Verdict | None:
        if kind == "list" and looks_around(target) and _says(action.text, "sought"):
            return ANSWER_FILE  # a walk over the machine that stops at the benchmark's files
        if kind in FILES:
            return self._file(target, kind)
        if kind == "load":
            return _load(target)
        return _address(target, by_code=kind != "page") if kind in OUTSIDE else None

    def _file(self, path: str, kind: str) -> Verdict | None:
        """A file or a folder on the machine. The task's own file is nobody's answers, wherever it lies."""
        folder, _, name = path.rpartition("/")
        if name.startswith(self._task_id):  # so is what lies beside it
            self._files.add(name)
            self._folders.add(folder)
        is_metadata = _says(path, "metadata")
        if name in self._files or (kind == "write" and not is_metadata):
            return None
        if kind == "write":
            self._written.add(name)
        mine = is_own(path, self._workdir)
        # what the agent keeps may have any name; but nobody makes up the folders of the data set
        if _says(path, "dataset") and (is_metadata or (_says(path, "named") if mine else kind != "mention")):
            return ANSWER_FILE
        if mine:
            return None
        if stands_for(name.lower(), names("benchmark", "files")):
            return ANSWER_FILE
        # a museum has such files too, in a folder of another name, or that only running the code would tell
        anyones = _says(path, "any_metadata") and path.count("/") > 2 and HOLE not in path
        anyones = anyones or (is_metadata and folder == f"/{HOLE}")
        if (anyones or name in self._written) and not _says(path, "place"):
            return Verdict("medium", "medium", "answer-file", "a file of metadata, which may be anyone's")
        if is_metadata:
            return OPENED if is_guessed(path) else ANSWER_FILE
        if _says(path, "folder"):  # answers lie beside the attachments
            return BESIDE if {path, folder} & self._folders else ANSWER_FILE
        bears_its_name = not names("benchmark", "owners").isdisjoint(path.lower().split("/"))
        return NAMED if kind == "tree" and bears_its_name else None


def _is_benchmark(scan: Scan | None) -> bool:
    """Whether a result is the benchmark's own material, by what the scan found in it."""
    if scan is None:
        return False
    shows_it = scan.copy >= COPIED or scan.own_id or scan.other_ids > 1
    return scan.together > 1 or (bool(scan.signatures) and shows_it)


def _says(text: str, name: str) -> bool:
    return says(text, "benchmark", name)


def _is_of_stars(text: str) -> bool:
    """Whether a data set is called just "gaia" and is somebody else's, with nothing of the benchmark's own parts.

    A catalogue of stars is called so too. What comes back tells which of the two it is.
    """
    if _says(text, "dataset") or _says(text, "level"):
        return False
    if "://" in text and _says(text, "sky") and not says(text, "hub", "host"):
        return True
    found = pattern("benchmark", "owned").findall(text)
    owners = [owner.lower() for owner, name in found if pattern("benchmark", "stars").fullmatch(name)]
    return bool(owners) and names("benchmark", "owners").isdisjoint(owners)


def _load(texts: str) -> Verdict:
    """A data set by the library of a hub."""
    owned = pattern("benchmark", "owned").search(texts)
    where = texts if owned is None else owned.group()  # a file in somebody else's data set may be named after a star
    ours = _says(where, "dataset") or _says(where, "named") or _says(texts, "level") or _says(texts, "metadata")
    return DOWNLOAD if ours and not _is_of_stars(texts) else PAGE


def _address(text: str, *, by_code: bool) -> Verdict | None:
    """An address, or a download's whole command. Pages about the benchmark are AUD-1's matter; files of it are ours."""
    if not any(mark in text.lower() for mark in names("hub", "marks")):
        return None
    text = unquote(text)
    kinds = shapes([text])  # also of an address within another one, as of a proxy or an archive
    hub = text.startswith("hf://") or says(text, "hub", "host") or "dataset-page" in kinds
    named = _says(text, "named") and not _is_of_stars(text)
    raw = says(text, "hub", "raw")  # a file or its rows, not a page about the data set
    ours = named and (hub or _says(text, "dataset"))
    rows = "dataset-file" in kinds or (ours and "dataset=" in text)  # or those of a viewer, on whichever host
    if (ours and raw) or (named and _says(text, "part") and (hub or rows)):
        return ANSWER_FILE if by_code else OPENED
    if ours and by_code and (hub or text.startswith("git ")):
        return DOWNLOAD
    return PAGE if hub and (named or raw or by_code) else None
