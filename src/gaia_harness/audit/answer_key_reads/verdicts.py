"""Which of the things that a call reaches for hold the benchmark's answers? One function per kind of thing."""

from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from gaia_harness.audit.reaching import FILES, HOLE, Action, Reach, Verdict, got_there
from gaia_harness.audit.reaching.folding import LONGEST_PATH
from gaia_harness.audit.reaching.paths import is_guessed, is_own, looks_around, stands_for
from gaia_harness.audit.reaching.tables import names, pattern
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.records.steps import Scan

COPIED = 0.5
"""Share of the question's wording in one place from which on it is a copy, as for answer-leakage."""

ANSWER_FILE = Verdict("critical", "high", "answer-file", "a file of the benchmark that holds answers")
LINK = ANSWER_FILE._replace(refused="medium")
"""By its address, not by code: a link that is refused may have stood in a search result."""

BESIDE = Verdict("medium", "low", "answer-folder", "the folder of the data set in which the task's own file lies")
NAMED = Verdict("high", "medium", "answer-folder", "a folder that bears the benchmark's name")
DOWNLOAD = Verdict("critical", "high", "dataset-download", "the benchmark's data set")
PAGE = Verdict("low", "low", "dataset-page", "a page or a data set of a hub")
COLUMNS = Verdict("critical", "high", "answer-column", "the columns that hold the benchmark's answers")
OWN_COLUMNS = Verdict("medium", "low", "answer-column", "columns of such names in a file of its own")


class Own(NamedTuple):
    """What is the agent's own in a task: its folder, and the file that came with the task, by its names."""

    workdir: str
    files: frozenset[str]  # names of attachments
    folders: frozenset[str]  # in which they lie
    task_id: str


def verdicts(action: Action, own: Own) -> Iterator[tuple[Reach, Verdict]]:
    """What of a call's reaches holds answers. Of data sets and columns, what comes back says whose they are."""
    for reach, verdict in _verdicts(action, own):
        unsure = verdict in (PAGE, OWN_COLUMNS) and action.result is not None and _is_benchmark(action.result.scan)
        yield reach, ANSWER_FILE if unsure and got_there(action) else verdict


def _verdicts(action: Action, own: Own) -> Iterator[tuple[Reach, Verdict]]:
    opened: list[tuple[Reach, bool]] = []
    sought = pattern("benchmark", "columns").search(action.text) is not None
    for reach in action.reading.reaches:
        target, verdict = reach.target, None
        if reach.kind in FILES:
            verdict = _file(target, reach.kind, own)
            if reach.kind == "list" and looks_around(target) and pattern("benchmark", "sought").search(action.text):
                verdict = ANSWER_FILE  # a walk over the machine that stops at the benchmark's files
        elif reach.kind in ("url", "download", "load"):
            verdict = _load(target) if reach.kind == "load" else _address(target, by_code=action.is_code)
        if verdict is not None:
            yield reach, verdict
        if reach.kind in ("read", "url", "download", "load"):
            opened.append((reach, reach.kind != "read" or not is_own(target, own.workdir)))
    if sought and opened:
        reach, foreign = max(opened, key=itemgetter(1))
        yield reach, COLUMNS if foreign else OWN_COLUMNS


def _is_benchmark(scan: Scan | None) -> bool:
    """Whether a result is the benchmark's own material, by what the scan found in it."""
    if scan is None:
        return False
    rows = bool(scan.signatures) and (scan.copy >= COPIED or scan.own_id or scan.other_ids > 1)
    return rows or scan.together > 1


@lru_cache(maxsize=4096)
def _is(kind: str, text: str) -> bool:
    """Whether a text has what a pattern of the benchmark says."""
    return pattern("benchmark", kind).search(text) is not None


def _file(path: str, kind: str, own: Own) -> Verdict | None:
    """A file or a folder on the machine. The task's own file is nobody's answers, wherever it lies."""
    folder, _, name = path.rpartition("/")
    if name in own.files or name.startswith(own.task_id) or kind == "unpack":
        return None
    mine = is_own(path, own.workdir)
    # what the agent keeps may have any name; but nobody makes up the folders of the data set
    if _is("dataset", path) and (_is("metadata", path) or (_is("named", path) if mine else kind != "mention")):
        return ANSWER_FILE
    if mine:
        return None
    if stands_for(name.lower(), names("benchmark", "files")):
        return ANSWER_FILE
    if _is("any_metadata", path) and not _is("place", path) and path.count("/") > 2 and HOLE not in path:
        return Verdict("medium", "medium", "answer-file", "a file of metadata, which may be anyone's")
    if _is("metadata", path):
        return LINK if is_guessed(path) else ANSWER_FILE
    if {path, folder} & own.folders:
        return BESIDE
    if _is("folder", path):
        return ANSWER_FILE
    return NAMED if kind == "tree" and not names("benchmark", "owners").isdisjoint(path.lower().split("/")) else None


def _is_of_stars(text: str) -> bool:
    """Whether a data set is called just "gaia" and is somebody else's, with nothing of the benchmark's own parts.

    A catalogue of stars is called so too. What comes back tells which of the two it is.
    """
    if _is("dataset", text) or _is("level", text):
        return False
    if "://" in text and _is("sky", text) and pattern("hub", "host").search(text) is None:
        return True
    found = pattern("benchmark", "owned").findall(text[:LONGEST_PATH])
    owners = [owner.lower() for owner, name in found if pattern("benchmark", "stars").fullmatch(name)]
    return bool(owners) and names("benchmark", "owners").isdisjoint(owners)


def _load(texts: str) -> Verdict:
    """A data set by the library of a hub."""
    owned = pattern("benchmark", "owned").search(texts[:LONGEST_PATH])
    where = texts if owned is None else owned.group()  # a file in somebody else's data set may be named after a star
    if _is_of_stars(texts):
        return PAGE
    if _is("dataset", where) or _is("named", where) or _is("level", texts) or _is("metadata", texts):
        return DOWNLOAD
    return PAGE


def _address(text: str, *, by_code: bool) -> Verdict | None:
    """An address, or a download's whole command. Pages about the benchmark are AUD-1's matter; files of it are ours."""
    if not any(mark in text.lower() for mark in names("hub", "marks")):
        return None
    kinds = shapes([text])
    hub = text.startswith("hf://") or pattern("hub", "host").search(text) is not None or "dataset-page" in kinds
    named = _is("named", text) and not _is_of_stars(text)
    raw = text.startswith("hf://") or pattern("hub", "raw").search(text) is not None
    ours = named and (hub or _is("dataset", text))
    if (ours and raw) or (named and _is("part", text) and (hub or "dataset-file" in kinds)):
        return ANSWER_FILE if by_code else LINK
    if ours and by_code and (hub or text.startswith("git ")):
        return DOWNLOAD
    return PAGE if hub and (named or raw or by_code) else None
