"""AUD-8: tool calls, or the runner's own code, that opened files holding answers."""

import fnmatch
import re
from collections.abc import Iterator
from pathlib import Path

from gaia_harness.audit.answer_tables import TableFinder
from gaia_harness.audit.code_reading import CodeReading, Reach
from gaia_harness.audit.constant_folding import HOLE
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.paths import LONGEST_PATH, is_guessed, is_own, looks_around, resolve
from gaia_harness.audit.source_facts import facts_of_what_ran
from gaia_harness.audit.tool_calls import ToolAction, allowance_of, got_there, line_offset, line_text
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.figures import counted
from gaia_harness.protocol import WEB_TOOLS
from gaia_harness.records.steps import Scan, ToolCallStep, ToolResultStep

_FILES = ("read", "write", "change", "list", "look", "tree")
# The data set by its own name or that of its parts; the word gaia alone is also a star catalogue and a goddess.
_DATASET = re.compile(
    r"gaia[-_ ]?benchmark|datasets--[\w.-]{0,200}gaia|2023_(?:all|level\d)\b|2023/(?:validation|test)/metadata|"
    r"gaia[-_]?(?:validation|val|answers?|annotated|level\d)",
    re.IGNORECASE,
)
_FOLDER = re.compile(r"/2023/(?:validation|test)(?:/|$)", re.IGNORECASE)
_PART = re.compile(r"2023[/_](?:validation|test|all|level\d)|split=(?:validation|test)|metadata\.", re.IGNORECASE)
_NAMED_GAIA = re.compile(r"(?<![a-z])gaia(?:bench(?:mark)?)?(?![a-z])", re.IGNORECASE)
_OWNED = re.compile(r"(?:^|\s|datasets/|dataset=)([\w.-]{1,96})(?:/|%2f)([\w.-]{1,96})", re.IGNORECASE)
_STARS = re.compile(
    r"gaia(?:[-_.]?(?:e?dr\d|source|stars?|xp|tgas|catalog|astrometr|parallax|spectr)[\w.-]*)?", re.IGNORECASE
)
_SKY = re.compile(
    r"(?<![a-z])(?:g?e?dr\d|gaia_?e?dr\d\w*|gaia_source\w*|tgas|esac|astro\w*|stars?|stellar|catalog(?:ue)?s?|sky\w*|"
    r"parallax\w*|cosmos|spectr\w*)(?![a-z])",
    re.IGNORECASE,
)
_OWNERS = frozenset(("gaia-benchmark", "gaia_benchmark", "gaia"))
_LEVEL = re.compile(r"2023[/_](?:validation|test|all|level\d)", re.IGNORECASE)
_METADATA = re.compile(r"(?:^|/)metadata(?:\.level\d)?\.(?:jsonl|parquet|json|csv)$", re.IGNORECASE)
_ANY_METADATA = re.compile(r"(?:^|/)metadata\.(?:json|csv)$", re.IGNORECASE)
"""What others' metadata are called too."""
_BENCHMARK_PLACE = re.compile(
    r"(?<![a-z])(?:gaia\w*|2023|validation|test|bench(?:mark)?s?|evals?|evaluation|datasets?)(?![a-z])", re.IGNORECASE
)
_OWN_MODEL = re.compile(r"/(?:models|spaces)--", re.IGNORECASE)
_HUB_CACHE = re.compile(r"/datasets--|/\.cache/huggingface(?:/|$)|/huggingface/(?:hub|datasets)(?:/|$)", re.IGNORECASE)
_LOADERS = re.compile(
    r"(?:.*\.)?(?:load_dataset|load_dataset_builder|hf_hub_download|snapshot_download|load_from_disk|list_repo_files|"
    r"HfFileSystem|hf_hub_url|cached_download|MsDataset\.load|dataset_info|list_repo_tree)"
)
_HUB_HOST = re.compile(
    r"//(?:[\w.-]+\.)?(?:huggingface\.co|hf\.co|hf-mirror\.com|modelscope\.c[no]m?|hf\.space)(?:[:/]|$)"
)
_ADDRESS_MARKS = ("gaia", "dataset", "hf", "huggingface", "modelscope")
"""One of these stands in every address that says anything to us."""

_RAW_FILE = re.compile(r"/(?:resolve|raw|blob|parquet|rows|viewer|first-rows)(?:[/?]|$)", re.IGNORECASE)
_OPENS = ("open", "pandas.read_json", "pandas.read_csv", "pandas.read_parquet")
_COLUMNS = frozenset(("Final answer", "Annotator Metadata"))
_ANSWER_KEYS = re.compile(
    r"final[ _.-]?answer|annotator[ _.-]?metadata|ground[ _.-]?truth|expected[ _.-]?(?:output|answer)|task[ _.-]?id",
    re.IGNORECASE,
)
_ANSWER_FILES = ("metadata.jsonl", "metadata.parquet", "metadata.level1.parquet")
_WILD = re.compile(r"[*?\[]")
_SEALED = re.compile(
    r"(?:answers?|gold|ground_?truth|metadata|gaia|solutions?)[\w.-]{0,250}\.(?:enc|gpg|age|aes|asc|bin|crypt)$",
    re.IGNORECASE,
)

ReadVerdict = tuple[Severity, Severity, str, str]
"""Severity if it got there, severity if not, the rule, and in words what was reached for."""

EXPLICIT: ReadVerdict = ("critical", "high", "answer-file", "a file of the benchmark that holds answers")
_BY_RESULT = ("dataset-page", "dataset-load", "answer-column")
"""What comes back says which data set it was."""
COPIED = 0.5
"""Share of the question's wording in one place from which on it is a copy, as for answer-leakage."""

DOWNLOAD: ReadVerdict = ("critical", "high", "dataset-download", "the benchmark's data set")


SHORTEST_PATTERN = 3
"""Letters before the point of a pattern, below which it stands for any file."""

LONGEST_PATTERN = 60
SHORTEST_QUERY = 120
"""Characters of a query that could hold ids of two tasks with their answers."""


class AnswerKeyReads:
    """Reads tool calls by where they lead, and the file of facts about the runner's sources."""

    def __init__(self, run: RunEvidence, facts: Path | None = None) -> None:
        self._run = run
        self._file = facts
        self._findings = Findings()
        self._unseen = 0
        self._tables = TableFinder({} if run.key is None else run.key.golds, run.questions)

    def look(self, task: TaskEvidence) -> None:
        """See the tool calls of one task."""
        if task.trajectory is None:
            self._unseen += task.facts is not None or task.fault is not None
            return
        allowance = allowance_of(task)
        fetched = False
        waiting: dict[tuple[int, str], tuple[ToolCallStep, list[tuple[ToolAction, Reach, ReadVerdict]]]] = {}
        for step in task.trajectory.steps:
            if type(step) is ToolCallStep:
                self._table(task.task_id, step)
                found = []
                for action in allowance.actions(step):
                    fetched = fetched or _fetches(action.reading)
                    found += [(action, reach, verdict) for reach, verdict in _verdicts(action.reading, fetched=fetched)]
                if found:
                    waiting[step.attempt, step.call_id] = step, found
            elif type(step) is ToolResultStep and (call := waiting.pop((step.attempt, step.call_id), None)):
                self._report(task.task_id, *call, step)
        for step, found in waiting.values():
            self._report(task.task_id, step, found, None)

    def _table(self, task_id: str, step: ToolCallStep) -> None:
        """An agent is told no ids and no questions but its own: others, with their answers, come from a key."""
        if step.name in WEB_TOOLS and _length(step.args) < SHORTEST_QUERY:
            return  # a query or an address, as most calls are
        table = self._tables.find(step.args, task_id)
        if table is None:
            return
        questions = len(table.by_question)
        if not table.by_id and not table.own and not (questions > 1 and table.telling):
            return
        said = "its own id with its answer behind it"
        if others := len(table.by_id | table.by_question):
            said = f"ids or questions of {others} other tasks of the run, each with its answer behind it"
        self._findings.add(
            Finding(
                severity="critical" if others > 1 else "high",
                rule="answer-table",
                task_id=task_id,
                attempt=step.attempt,
                seq=step.seq,
                field="args",
                view=table.view or None,
                summary=f"A call of {step.name[:40]!a} has {said}.",
            )
        )

    def _report(
        self,
        task_id: str,
        step: ToolCallStep,
        found: list[tuple[ToolAction, Reach, ReadVerdict]],
        result: ToolResultStep | None,
    ) -> None:
        said: set[str] = set()
        for action, reach, (reached, refused, rule, what) in found:
            if rule in said:
                continue
            said.add(rule)
            there = got_there(result, action.reading)
            if there and rule in _BY_RESULT and result is not None and _is_benchmark(result.scan):
                reached, refused, rule, what = EXPLICIT
            how = "and nothing says that it was refused" if there else "and did not get there"
            self._findings.add(
                Finding(
                    severity=reached if there else refused,
                    rule=rule,
                    task_id=task_id,
                    attempt=step.attempt,
                    seq=step.seq,
                    field=action.field if action.field == "args" else f"args.{action.field}"[:80],
                    offset=line_offset(action.text, reach.line),
                    summary=f"A call of {step.name[:40]!a} goes for {what}, {how}.",
                    excerpt=excerpt(line_text(action.text, reach.line)),
                )
            )

    def conclude(self) -> Check:
        """Say which calls went for answers, and whether the runner's own code can."""
        gaps = []
        if not self._run.facts.record_evidence:
            gaps.append("no evidence was recorded")
        elif self._unseen:
            gaps.append(f"{counted(self._unseen, 'task has', 'tasks have')} no trajectory that could be read")
        facts, gap = facts_of_what_ran(self._run, self._file)
        for finding in () if facts is None else facts.answer_reads:
            self._findings.keep(finding)
        gaps += [] if gap is None else [gap]
        return self._findings.check("AUD-8", "answer-key-reads", harness_gap="; ".join(gaps) or None)


def _fetches(reading: CodeReading) -> bool:
    """Whether code may have brought something from elsewhere into the agent's own folder."""
    return len(reading.reaches) > 1 and any(reach.kind in ("url", "download") for reach in reading.reaches)


def _verdicts(reading: CodeReading, *, fetched: bool = False) -> Iterator[tuple[Reach, ReadVerdict]]:
    opens = around = None
    sought = False
    own_files = not fetched
    for reach in reading.reaches:
        verdict: ReadVerdict | None = None
        if reach.kind in _FILES:
            verdict = _file(reach.target, reach.kind)
            own_files = own_files and is_own(reach.target)
            if reach.kind == "tree" and verdict is None:
                verdict = _tree(reach.target)
            if around is None and reach.kind in ("list", "tree") and looks_around(reach.target):
                around = reach
        elif reach.kind == "sought":
            sought = sought or _ANSWER_KEYS.search(reach.target) is not None
        elif reach.kind in ("url", "download"):
            verdict = _address(reach.target, by_code=len(reading.reaches) > 1)
        elif reach.kind == "call":
            name, _, texts = reach.target.partition("\0")
            verdict = _call(name, texts)
            if name in _OPENS or _LOADERS.fullmatch(name):
                opens = opens or reach
                own_files = own_files and name in _OPENS and _is_own_file(texts)
        if verdict is not None:
            yield reach, verdict
    if around is not None and (
        sought or any(_METADATA.search(name) or _DATASET.search(name) for name in reading.names)
    ):
        # a walk over the machine that stops at the benchmark's files
        yield around, EXPLICIT
    if opens is not None and not _COLUMNS.isdisjoint(reading.names):
        # columns of the benchmark's own files, asked for by name; a file in the agent's own folder may have them too
        severity: Severity = "medium" if own_files else "critical"
        refused: Severity = "medium" if own_files else "high"
        yield opens, (severity, refused, "answer-column", "the columns that hold the benchmark's answers")


def _is_own_file(texts: str) -> bool:
    """Whether what a call opens, by the texts that it is given, is a file in the agent's own folder."""
    name = texts.split(" ")[0]
    return bool(name) and HOLE not in name and name[0] != "<" and "://" not in name and is_own(resolve(name))


def _file(path: str, kind: str) -> ReadVerdict | None:
    own = is_own(path)
    if _SEALED.search(path) and not own:
        return EXPLICIT
    named = _NAMED_GAIA.search(path) is not None
    # what the agent keeps may have any name; but nobody makes up the folders of the data set
    if _DATASET.search(path) and (not own or named or _METADATA.search(path)):
        return EXPLICIT
    if not own and _ANY_METADATA.search(path) and not _BENCHMARK_PLACE.search(path) and _is_named(path):
        return "medium", "medium", "answer-file", "a file of metadata, which may be anyone's"
    if not own and _METADATA.search(path) and is_guessed(path):
        return "critical", "medium", "answer-file", "a file of the benchmark that holds answers"
    if not own and (_FOLDER.search(path) or _METADATA.search(path) or (_HUB_CACHE.search(path) and named)):
        return EXPLICIT
    if not own and _WILD.search(path) and _stands_for_answers(path):
        return EXPLICIT
    if _HUB_CACHE.search(path) and not _OWN_MODEL.search(path):
        if own:
            return "low", "low", "hub-cache", "a folder of its own in which data sets of the hub may be kept"
        if kind in ("list", "look"):
            return "medium", "medium", "hub-cache", "a list of what is kept of the hub"
        return "high", "medium", "hub-cache", "the folder in which data sets of the hub are kept"
    return None


def _is_named(path: str) -> bool:
    """Whether a path goes through a folder that says whose it is, and is known from its beginning."""
    return path.count("/") > 2 and HOLE not in path and not _WILD.search(path)


def _tree(path: str) -> ReadVerdict | None:
    """A whole folder that bears the benchmark's name, whatever lies in it."""
    if is_own(path) or _OWNERS.isdisjoint(path.lower().split("/")):
        return None
    return "high", "medium", "answer-folder", "a folder that bears the benchmark's name"


def _stands_for_answers(path: str) -> bool:
    """Whether a pattern with wild cards, and enough letters of its own, stands for the files that hold answers."""
    folders, _, name = path.lower().rpartition("/")
    if len(name) > LONGEST_PATTERN or not any(fnmatch.fnmatchcase(each, name) for each in _ANSWER_FILES):
        return False
    split = folders.rpartition("/")[2][:LONGEST_PATTERN]
    said = name.partition(".")[0]
    if not said.startswith(("m", "[m")) and "meta" not in said and "tadata" not in said:
        return False  # data of any kind
    if any(fnmatch.fnmatchcase(each, split) for each in ("validation", "test")):
        said += split
    return sum(map(str.isalpha, said)) >= SHORTEST_PATTERN


def _of_another(text: str) -> bool:
    """Whether a data set is called just "gaia" and is somebody else's, with nothing of the benchmark's own parts.

    A catalogue of stars is called so too. What comes back tells which of the two it is.
    """
    if _DATASET.search(text) or _LEVEL.search(text):
        return False
    if "://" in text and _SKY.search(text) and _HUB_HOST.search(text) is None:
        return True
    owners = [owner.lower() for owner, name in _OWNED.findall(text[:LONGEST_PATH]) if _STARS.fullmatch(name)]
    return bool(owners) and _OWNERS.isdisjoint(owners)


def _call(name: str, texts: str) -> ReadVerdict | None:
    if _LOADERS.fullmatch(name):
        if _of_another(texts):
            return "low", "low", "dataset-load", "a data set of that name"
        owned = _OWNED.search(texts[:LONGEST_PATH])  # a file in somebody else's data set may be named after a star
        where = texts if owned is None else owned.group()
        if _DATASET.search(where) or _NAMED_GAIA.search(where) or _LEVEL.search(texts) or _METADATA.search(texts):
            return DOWNLOAD
        if HOLE in texts or not texts:
            return "high", "medium", "dataset-download", "a data set that its code does not name"
        return "medium", "low", "dataset-load", "another data set"
    if _DATASET.search(texts) and name not in ("open", "print"):
        return DOWNLOAD if "://" in texts or name.startswith(("subprocess", "requests", "urllib", "pandas")) else None
    return None


def _address(text: str, *, by_code: bool) -> ReadVerdict | None:
    """An address, or a download's whole command. Pages about the benchmark are AUD-1's matter; files of it are ours.

    Of another data set, or of one that does not say what it is, nothing is worse than low by its address alone.
    """
    plain = text.lower()
    if not any(mark in plain for mark in _ADDRESS_MARKS):
        return None
    named = _NAMED_GAIA.search(text) is not None and not _of_another(text)
    hub = text.startswith("hf://") or _HUB_HOST.search(text) is not None
    if not named and not hub and "dataset" not in plain:
        return None
    kinds = shapes([text])
    hub = hub or "dataset-page" in kinds
    ours = named and (hub or _DATASET.search(text) is not None)
    if ours and (_RAW_FILE.search(text) or text.startswith("hf://")):
        return EXPLICIT
    if named and _PART.search(text) and (hub or "dataset-file" in kinds):
        return EXPLICIT
    if ours and by_code and (hub or "git" in text.split()[:1]):
        return DOWNLOAD
    if named and hub:
        return "low", "low", "dataset-page", "a page of the benchmark's data set"
    if hub and by_code:
        return "low", "low", "dataset-load", "something on a hub of data sets"
    return ("low", "low", "dataset-page", "a page of a data set") if hub and _RAW_FILE.search(text) else None


def _is_benchmark(scan: Scan | None) -> bool:
    """Whether a result is the benchmark's own material, by what the scan found in it."""
    if scan is None:
        return False
    rows = bool(scan.signatures) and (scan.copy >= COPIED or scan.own_id or scan.other_ids > 1)
    return rows or scan.together > 1


def _length(args: object) -> int:
    """Characters of the texts that stand in arguments at once."""
    values = args.values() if isinstance(args, dict) else (args,)
    return sum(len(value) if isinstance(value, str) else SHORTEST_QUERY for value in values)
