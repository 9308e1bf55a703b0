"""Which of the things that a call reaches for hold the benchmark's answers? One function per kind of thing."""

import posixpath
from collections.abc import Iterator
from typing import Any

import msgspec

from gaia_harness.audit.findings import Severity
from gaia_harness.audit.reaching import FILES, HOLE, Reach, Reading
from gaia_harness.audit.reaching.paths import (
    LONGEST_PATH,
    is_guessed,
    is_open,
    is_own,
    looks_around,
    stands_for_answers,
)
from gaia_harness.audit.reaching.tables import names, pattern
from gaia_harness.evidence.page_shapes import shapes

Verdict = tuple[Severity, Severity, str, str]
"""Severity if it got there, severity if not, the rule, and in words what was reached for."""

ANSWERS = "a file of the benchmark that holds answers"
ANSWER_FILE: Verdict = ("critical", "high", "answer-file", ANSWERS)
ANSWER_PAGE: Verdict = ("critical", "medium", "answer-file", ANSWERS)
"""By its address. A link that is refused may have stood in a search result."""

BESIDE: Verdict = ("medium", "low", "answer-folder", "the folder of the data set in which the task's own file lies")
DOWNLOAD: Verdict = ("critical", "high", "dataset-download", "the benchmark's data set")


class Own(msgspec.Struct, frozen=True):
    """What is the agent's own in a task: its folder, and the file that came with the task, by its names."""

    workdir: str
    files: frozenset[str]  # names of attachments
    folders: frozenset[str]  # in which they lie
    task_id: str
    seen: set[str] = msgspec.field(default_factory=set)  # folders in which calls found the file, by its name

    def see(self, reading: Reading) -> None:
        """Remember where the task's file lies by what calls do with it: not every run declares it."""
        for reach in reading.reaches:
            folder = posixpath.dirname(reach.target)
            if reach.kind in FILES and folder.count("/") > 1 and self.is_attachment(reach.target):
                self.seen.add(folder)

    def has_beside_it(self, path: str) -> bool:
        """Whether a path is that of the folder in which the task's file lies, or of a file in it that is named."""
        folder = posixpath.dirname(path)
        if path in self.folders or folder in self.folders or path in self.seen:
            return True
        return folder in self.seen and not is_open(path)

    def is_attachment(self, path: str) -> bool:
        """Whether a path is that of the task's file, or of a file that is named after the task."""
        name = posixpath.basename(path)
        return name in self.files or (bool(self.task_id) and name.startswith(self.task_id))


def verdicts(reading: Reading, own: Own, *, fetched: bool, by_code: bool) -> Iterator[tuple[Reach, Verdict]]:
    """What of a call's reaches holds answers. `fetched`: code of the task has brought in something from elsewhere."""
    own.see(reading)
    opens = around = None
    sought = any(pattern("benchmark", "metadata").search(name) or _is_dataset(name) for name in reading.names)
    foreign = fetched
    for reach in reading.reaches:
        verdict: Verdict | None = None
        if reach.kind in FILES:
            verdict = _file(reach.target, reach.kind, own)
            foreign = foreign or not is_own(reach.target, own.workdir)
            opens = opens or (reach if reach.kind == "read" else None)
            if around is None and reach.kind in ("list", "tree") and looks_around(reach.target):
                around = reach
        elif reach.kind == "sought":
            sought = sought or pattern("benchmark", "keys").search(reach.target) is not None
        elif reach.kind in ("url", "download"):
            verdict = _address(reach.target, by_code=by_code)
            opens, foreign = opens or reach, True
        elif reach.kind == "load":
            verdict = _load(reach.target)
            opens, foreign = opens or reach, True
        if verdict is not None:
            yield reach, verdict
    if around is not None and sought:
        yield around, ANSWER_FILE  # a walk over the machine that stops at the benchmark's files
    if opens is not None and not names("benchmark", "columns").isdisjoint(reading.names):
        # columns of the benchmark's own files, asked for by name; a file in the agent's own folder may have them too
        severities: Any = ("critical", "high") if foreign else ("medium", "medium")
        yield opens, (*severities, "answer-column", "the columns that hold the benchmark's answers")


def _is_dataset(text: str) -> bool:
    return pattern("benchmark", "dataset").search(text) is not None


def _file(path: str, kind: str, own: Own) -> Verdict | None:
    """A file or a folder on the machine. The task's own file is nobody's answers, wherever it lies."""
    if own.is_attachment(path) or kind == "unpack":
        return None
    mine = is_own(path, own.workdir)
    metadata = pattern("benchmark", "metadata").search(path) is not None
    named = pattern("benchmark", "named").search(path) is not None
    if (path in own.folders or path in own.seen) and kind in ("list", "look", "mention"):
        return BESIDE
    # what the agent keeps may have any name; but nobody makes up the folders of the data set
    if _is_dataset(path) and (metadata or (not mine and kind != "mention") or (named and mine)):
        return ANSWER_FILE
    if mine:
        cached = pattern("hub", "cache").search(path) and not pattern("hub", "own_model").search(path)
        return ("low", "low", "hub-cache", "a folder of its own in which data sets may be kept") if cached else None
    if stands_for_answers(path) or pattern("benchmark", "sealed").search(path):
        return ANSWER_FILE
    anyones = pattern("benchmark", "any_metadata").search(path) and not pattern("benchmark", "place").search(path)
    if anyones and path.count("/") > 2 and HOLE not in path:
        return "medium", "medium", "answer-file", "a file of metadata, which may be anyone's"
    if metadata:
        return "critical", "medium" if is_guessed(path) else "high", "answer-file", ANSWERS
    if own.has_beside_it(path):
        return BESIDE
    if pattern("benchmark", "folder").search(path) or (_is_dataset(path) and kind != "mention"):
        return ANSWER_FILE
    return _cache_or_folder(path, kind, named=named)


def _cache_or_folder(path: str, kind: str, *, named: bool) -> Verdict | None:
    if pattern("hub", "cache").search(path) and not pattern("hub", "own_model").search(path):
        if named:
            return ANSWER_FILE
        if kind in ("list", "look", "mention"):
            return "medium", "medium", "hub-cache", "a list of what is kept of the hub"
        return "high", "medium", "hub-cache", "the folder in which data sets of the hub are kept"
    if kind == "tree" and not names("benchmark", "owners").isdisjoint(path.lower().split("/")):
        return "high", "medium", "answer-folder", "a folder that bears the benchmark's name"
    return None


def _of_another(text: str) -> bool:
    """Whether a data set is called just "gaia" and is somebody else's, with nothing of the benchmark's own parts.

    A catalogue of stars is called so too. What comes back tells which of the two it is.
    """
    if _is_dataset(text) or pattern("benchmark", "level").search(text):
        return False
    if "://" in text and pattern("benchmark", "sky").search(text) and pattern("hub", "host").search(text) is None:
        return True
    found = pattern("benchmark", "owned").findall(text[:LONGEST_PATH])
    owners = [owner.lower() for owner, name in found if pattern("benchmark", "stars").fullmatch(name)]
    return bool(owners) and names("benchmark", "owners").isdisjoint(owners)


def _load(texts: str) -> Verdict:
    """A data set by the library of a hub."""
    if _of_another(texts):
        return "low", "low", "dataset-load", "a data set of that name"
    owned = pattern("benchmark", "owned").search(texts[:LONGEST_PATH])
    where = texts if owned is None else owned.group()  # a file in somebody else's data set may be named after a star
    parts = pattern("benchmark", "level").search(texts) or pattern("benchmark", "metadata").search(texts)
    if _is_dataset(where) or pattern("benchmark", "named").search(where) or parts:
        return DOWNLOAD
    if HOLE in texts or not texts:
        return "medium", "medium", "dataset-download", "a data set that its code does not name"
    return "medium", "low", "dataset-load", "another data set"


def _address(text: str, *, by_code: bool) -> Verdict | None:
    """An address, or a download's whole command. Pages about the benchmark are AUD-1's matter; files of it are ours.

    Of another data set, or of one that does not say what it is, nothing is worse than low by its address alone.
    """
    plain = text.lower()
    if not any(mark in plain for mark in names("hub", "marks")):
        return None
    named = pattern("benchmark", "named").search(text) is not None and not _of_another(text)
    hub = text.startswith("hf://") or pattern("hub", "host").search(text) is not None
    if not named and not hub and "dataset" not in plain:
        return None
    kinds = shapes([text])
    hub = hub or "dataset-page" in kinds
    ours = named and (hub or _is_dataset(text))
    raw = pattern("hub", "raw").search(text) is not None
    if ours and (raw or text.startswith("hf://")):
        return ANSWER_PAGE
    if named and pattern("benchmark", "part").search(text) and (hub or "dataset-file" in kinds):
        return ANSWER_PAGE
    if ours and by_code and (hub or text.split()[:1] == ["git"]):
        return DOWNLOAD
    if named and hub:
        return "low", "low", "dataset-page", "a page of the benchmark's data set"
    if hub and by_code:
        return "low", "low", "dataset-load", "something on a hub of data sets"
    return ("low", "low", "dataset-page", "a page of a data set") if hub and raw else None
