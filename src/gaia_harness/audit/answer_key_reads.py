"""AUD-8: did a tool call, or can the runner's own code, open files that hold answers?"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Finding, found
from gaia_harness.audit.looking import TaskCheck
from gaia_harness.audit.reaching.actions import Action, Verdict, calls_in, findings_in
from gaia_harness.audit.reaching.folding import HOLE
from gaia_harness.audit.reaching.paths import is_guessed, is_open, is_own, resolve, stands_for
from gaia_harness.audit.reaching.reading import FILES, Reach
from gaia_harness.audit.reaching.tables import names, says
from gaia_harness.audit.source_facts import facts_of_what_ran
from gaia_harness.evidence.matcher import any_of
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

# severities: if it was reached, if it was refused
ANSWER_FILE = Verdict("critical", "high", "answer-file", "a file of the benchmark that holds answers")
# a guess, or an address that is not clearly the benchmark's: refused only medium, as it may be from a search hit
UNSURE = ANSWER_FILE._replace(refused="medium")
ANYONES = Verdict("medium", "medium", "answer-file", "a file of metadata, which may be anyone's")
DOWNLOAD = Verdict("critical", "high", "dataset-download", "the benchmark's data set")
PAGE = Verdict("medium", "medium", "dataset-download", "a page of a hub that is called after the benchmark")
COLUMNS = Verdict("critical", "high", "answer-column", "the columns that hold the benchmark's answers")

SHORTEST_ID = 6  # characters of an id's first part that stand for the whole: `90f59395` do, `task` does not
FAR = 16  # words behind an id among which its answer is: a level and a label fit between
TELLING = 4  # letters or digits of an answer that is no mere "3" or "yes"

_PATH = re.compile(r"(?<![\w.~-])[\w.~-]*+(?:[/\\]++[\w.~-]++)++[/\\]?+|(?<![\w.-])[\w-]++\.[a-zA-Z]\w{1,4}+(?![\w.])")

OUTSIDE = ("url", "page", "download", "load")  # kinds of reaches that leave the machine


class AnswerKeyReads(TaskCheck):
    """AUD-8. Tool calls are read by where they lead; of the runner's own sources there is a file of facts."""

    id, name = "AUD-8", "answer-key-reads"

    def __init__(self, run: RunEvidence, facts: Path | None = None) -> None:
        super().__init__(run)
        self._attached = [resolve(path, run.around.workdir) for path in run.around.attachments]
        self._tables = AnswerTables({} if run.key is None else run.key.golds)
        self._facts, self._gap = facts_of_what_ran(run, facts)

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """What its calls went for, and tables of answers in them."""
        yield from findings_in(task, _AnswerReaches(task, self._attached).verdict)
        told = any(task.task_id in moment.text for moment in task.timeline if moment.origin in ("given", "heard"))
        for moment, step in calls_in(task.timeline):
            table = self._tables.find(moment.text, task.task_id)
            others = len(table - {task.task_id})
            # an agent is told no ids but its own, to hand it in: others, with their answers, come from a key
            fields = step.args.values() if isinstance(step.args, dict) else ()
            if others or (table and not told and task.task_id not in fields):
                said = f"ids of {others} other tasks of the run, each" if others else "its own id"
                summary = f"A call of {step.name[:40]!a} has {said} with the answer behind it."
                yield found("critical" if others > 1 else "high", "answer-table", summary, at=step)

    def of_run(self, task_ids: Sequence[str]) -> Iterator[Finding]:
        """Where the runner's own code comes near answers."""
        yield from () if self._facts is None else self._facts.answer_reads

    def gaps(self, unseen: int) -> Iterator[str]:
        """What is not known of calls and sources."""
        yield from super().gaps(unseen)
        if self._gap is not None:
            yield self._gap


class _AnswerReaches:
    """Says which reaches of a task's calls go for answers, in their order: what earlier ones wrote is its own."""

    def __init__(self, task: TaskEvidence, attached: Sequence[str]) -> None:
        self._workdir, self._task_id = task.around.workdir, task.task_id
        self._task, self._declared = task, attached
        self._written: set[str] = set()  # by paths and by names

    def verdict(self, action: Action, reach: Reach) -> Verdict | None:
        """What a reach comes to, if it is for answers."""
        if reach.kind in OUTSIDE and self._is_own_address(reach.target):
            return None
        verdict = self._by_target(reach.kind, reach.target)
        if verdict is None and self._is_foreign(reach):
            if _takes_columns(action.text):
                return COLUMNS
            if says(reach.target, "hub", "raw") and _names_data_set(action.text):
                return DOWNLOAD
        return verdict

    def _is_own_address(self, target: str) -> bool:
        """Whether an address, or one in a command, is that of the task's own file."""
        addresses = (word for word in target.split() if "://" in word)
        return any(posixpath.basename(address).startswith(self._task_id) for address in addresses)

    def _is_foreign(self, reach: Reach) -> bool:
        """Whether it opens something that is not the agent's own."""
        return reach.kind in OUTSIDE or (reach.kind == "read" and not is_own(reach.target, self._workdir))

    def _by_target(self, kind: str, target: str) -> Verdict | None:
        if kind == "write":
            self._written.update((target, posixpath.basename(target)))
            return None
        if kind in FILES:
            # the task's own file, or what was unpacked of it
            own = f"/{self._task_id}" in target and not _says(target, "metadata")
            return None if own else self._file(target, kind)
        if kind == "load":  # by the library of a hub: the name of the data set counts, or a part of the benchmark's
            repository = target if _says(target, "part") else target.partition(" ")[0]
            return DOWNLOAD if _is_benchmarks(repository, hub=True) else None
        return _address(target, by_code=kind != "page") if kind in OUTSIDE else None

    def _file(self, path: str, kind: str) -> Verdict | None:
        """A file or a folder on the machine, by the first line that fits: the task's files, the agent's own, what is
        named after the data set, and metadata."""
        folder, name = posixpath.split(path)
        in_folder = _says(path, "folder")
        is_metadata = _says(path, "metadata") or stands_for(
            name.lower(), names("benchmark", "files"), wide=in_folder or is_open(folder)
        )
        named_after_it = in_folder or _says(path, "dataset")
        if named_after_it and not (is_metadata or _says(name, "dataset")) and {path, folder, name} & self._attached:
            return None  # also what lies beside a task's file, which is looked for there
        place = path.removeprefix(self._workdir)
        own = is_own(path, self._workdir) and not place.startswith("/$")  # a variable leads to who knows where
        if own or (named_after_it and self._is_written(path)):
            # its own files may be called anything, but nobody has the folders of a hub's cache by chance
            is_copy = _says(place, "copy") or (is_metadata and _says(place, "dataset"))
            return ANSWER_FILE if is_copy else None
        if named_after_it:  # as a project's folder may be
            of_data = _says(path, "copy") or says(name, "grader", "data_file") or is_open(name)
            return ANSWER_FILE if of_data or (in_folder and kind not in ("list", "mention")) else ANYONES
        if not is_metadata:
            return None
        anyones = _says(path, "any_metadata") or HOLE in path
        made = self._is_written(path) and not _says(path, "named")
        if made or (anyones and not _says(path, "place")):
            return ANYONES  # a museum has such files too
        return UNSURE if is_guessed(path) else ANSWER_FILE

    @cached_property
    def _attached(self) -> set[str]:
        """The files that came with tasks, be they declared or named in a prompt: by their names and folders."""
        return {part for path in (*self._declared, *_offered(self._task)) for part in posixpath.split(path)}

    def _is_written(self, path: str) -> bool:
        """Whether the task wrote a file of this name, or made the folder that it is in."""
        near = (posixpath.basename(path), path, *map(str, PurePosixPath(path).parents))
        return not self._written.isdisjoint(near)


def _offered(task: TaskEvidence) -> Iterator[str]:
    """The paths that prompts name: those of the task's file, if none speaks of answers."""
    for moment in task.timeline:
        for path in _PATH.findall(moment.text) if moment.origin == "given" else ():
            if not _says(path, "metadata") and not says(path, "grader", "answers"):
                yield resolve(path.rstrip("."), task.around.workdir)


@lru_cache(maxsize=2)  # a long text with many reaches is searched once
def _takes_columns(code: str) -> bool:
    return _says(code, "columns") and not _says(code, "gives")


@lru_cache(maxsize=2)
def _names_data_set(code: str) -> bool:
    return _says(code, "copy")


def _says(text: str, name: str) -> bool:
    return says(text, "benchmark", name)


def _is_benchmarks(text: str, *, hub: bool) -> bool:
    """Whether a text names the benchmark's data set or a part of it.

    On a hub, any name with "gaia" in it does, but for one that is just that, or that of a catalogue of stars.
    """
    certain = _says(text, "dataset") or _says(text, "part")
    return _says(text, "named") and (certain or (hub and not _says(text, "stars")))


def _address(text: str, *, by_code: bool) -> Verdict | None:
    """An address, or a download's whole command. Pages about the benchmark are AUD-1's matter; files of it are ours."""
    # where it is put says nothing of what it is
    text = unquote(" ".join(word for word in text.split(" ") if word[:1] not in ("/", "~", ".")))
    hub = text.startswith("hf://") or says(text, "hub", "host")
    if not _is_benchmarks(text, hub=hub):
        return None
    path = text.partition("?")[0]
    of_data = says(path, "grader", "data_file") and _says(path, "dataset")
    if of_data or _says(text, "part") or says(text, "hub", "raw"):  # a file or its rows, not a page about the data set
        return ANSWER_FILE if _says(text, "dataset") or _says(text, "part") else UNSURE
    if not by_code or not (hub or says(text, "hub", "program")):
        return None
    return DOWNLOAD if _says(text, "copy") or says(text, "hub", "program") else PAGE


class AnswerTables:
    """Finds tables of answers in a text: ids of the run's tasks, each with its answer behind it."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        self._golds = {task_id: words for task_id, gold in golds.items() if (words := reduce(gold.answer))}
        self._ids = {task_id: reduce(task_id).split() for task_id in self._golds}
        self._begin: dict[bytes, list[str]] = {}  # an id stands whole, in one piece, or by its first part
        for task_id, parts in self._ids.items():
            for name in {b"".join(parts), *parts[:1]}:
                if len(name) >= SHORTEST_ID and any(byte in b"0123456789" for byte in name):
                    self._begin.setdefault(name, []).append(task_id)
        self._has_id = any_of([name.decode() for name in self._begin])

    def find(self, text: str, task_id: str) -> frozenset[str]:
        """The tasks whose ids stand in a text with their answers behind them; the own one only right behind."""
        if not self._has_id(text.lower()):
            return frozenset()
        # an id in a path is no id: work folders and files are named after tasks
        words = reduce(_PATH.sub(" ", text)).split()
        tasks: set[str] = set()
        for at, word in enumerate(words):
            for whose in (begun := self._begin.get(word, ())):
                parts, gold = self._ids[whose], self._golds[whose]
                whole = words[at : at + len(parts)] == parts
                if len(begun) > 1 and not whole:
                    continue  # what two tasks have in common tells nothing of either
                start, far = at + (len(parts) if whole else 1), FAR
                if whose == task_id:
                    far = len(gold.split()) + 1 if len(gold.replace(b" ", b"")) >= TELLING else 0
                if gold in b" ".join((b"", *words[start : start + far], b"")):
                    tasks.add(whose)
        return frozenset(tasks)
