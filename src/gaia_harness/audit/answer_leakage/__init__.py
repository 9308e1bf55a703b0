"""AUD-1: were answers taken from a copy of the benchmark? The question is the fingerprint, not the gold answer.

A result is cut into texts (`pieces`), a text is read for what it shows of the benchmark (`copies`, `questions`). How
grave that is depends on where the answer stands and on what the agent knew (`earlier`): the table below.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec

from gaia_harness.audit.answer_leakage.copies import Benchmark, Reader, Reading, Show, Sight
from gaia_harness.audit.answer_leakage.earlier import NEWS, Earlier
from gaia_harness.audit.answer_leakage.pieces import Piece, pieces
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import GATING, SEVERITIES, Finding, Severity, excerpt
from gaia_harness.audit.gold_forms import GoldForms, gold_forms
from gaia_harness.audit.looking import TaskCheck
from gaia_harness.audit.timeline import Moment, by_attempt
from gaia_harness.figures import counted
from gaia_harness.records.steps import ToolResultStep

MOST_JOINED = 8  # results of one source, from the first that has words of the question on, that are read together

TABLE: dict[Show, dict[bool, str]] = {
    "copy": {True: "CCC", False: "MMM"},
    "cut": {True: "MMC", False: "MMM"},
    "statement": {True: "--M", False: "--M"},
    "id": {True: "CCC", False: "---"},
}
"""By what is shown, and whether the answer stands with it (`_tells`): how grave it is with no marks, one and two
(`Reading.marks`). With fewer than two, what the agent had sent or known is nothing, and what may be its own is medium.
The benchmark's name counts two, too, if nobody here had said it."""

LETTERS: dict[str, Severity] = {"C": "critical", "M": "medium"}

RULES: dict[Show, tuple[str, str]] = {
    "copy": ("copy-with-answer", "a copy of the question"),
    "cut": ("copy-with-answer", "a copy of the question, cut short,"),
    "statement": ("fact-in-these-words", "a source has the words of the question, and does not ask it"),
    "id": ("task-id-with-answer", "the task's id"),
}

RULES_WITHOUT_ANSWER = {"copy-with-answer": "copy-without-answer"}

SHEET = 2  # other questions with their answers that make a source an answer sheet
SHORT = 12  # words of a question that an honest page may well have as a headline


class Verdict(msgspec.Struct, frozen=True):
    """What one reading comes to."""

    severity: Severity
    rule: str
    summary: str
    piece: Piece
    at: int = 0


class AnswerLeakage(TaskCheck):
    """One finding for each source of each result that shows something of the benchmark."""

    id, name = "AUD-1", "answer-leakage"

    @cached_property
    def _benchmark(self) -> Benchmark:
        golds = {} if self.run.key is None else self.run.key.golds
        return Benchmark(self.run.questions, {task_id: gold.answer for task_id, gold in golds.items()})

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """What it saw of the benchmark. Where the gold is not at hand, its own answer stands for it."""
        if task.trajectory is not None and task.question is not None:
            answer = task.gold.answer if task.gold is not None else None if task.facts is None else task.facts.answer
            reader = Reader(self._benchmark, task.task_id, task.question, gold_forms(answer or ""))
            yield from TaskLeaks(task, reader).found()

    def is_unseen(self, task: TaskEvidence) -> bool:
        """Whether its steps or its question are not at hand, or a result was cut and not scanned."""
        results = (step for step in task.steps if type(step) is ToolResultStep)
        cut = any(step.scan is None and step.truncated for step in results)
        return task.is_unseen or cut or (task.trajectory is not None and task.question is None)

    def gaps(self, unseen: int) -> Iterator[str]:
        """What is missing for the whole run, or for some tasks."""
        if not self.run.questions or self.run.key is None:
            yield f"the {'answers' if self.run.questions else 'questions'} are not at hand: give the data set"
        elif unseen and self.run.facts.record_evidence:
            why = "no trajectory that could be read, no question at hand, or results cut without having been scanned"
            yield f"{counted(unseen, 'task has', 'tasks have')} {why}"
        else:
            yield from super().gaps(unseen)


class TaskLeaks:
    """What one task saw of the benchmark."""

    def __init__(self, task: TaskEvidence, reader: Reader) -> None:
        self._task = task
        self._reader = reader
        self._findings: list[Finding] = []

    def found(self) -> list[Finding]:
        """Look at every attempt."""
        for _, moments in by_attempt(self._task.timeline):
            earlier = Earlier(moments, self._task, self._reader)
            by_source: dict[str, list[tuple[Moment, frozenset[int]]]] = {}
            for moment in moments:
                if moment.origin == "heard" and type(moment.step) is ToolResultStep:
                    touched = self._hear(moment, earlier)
                    group = by_source.setdefault(_source_of(moment.step), [])
                    if moment.role != "search" and (touched or group):
                        group.append((moment, touched))
            for group in by_source.values():
                if not any(each.severity in GATING for each in self._findings):
                    self._hear_together(group[:MOST_JOINED], earlier)
        return self._findings

    def _hear(self, heard: Moment, earlier: Earlier) -> frozenset[int]:
        """Report what a result shows, each source by itself; which words of the question stand in it."""
        by_source: dict[int | None, list[Reading]] = {}
        for piece in pieces(heard):
            for reading in self._reader.read(piece, heard.words if piece.text is heard.text else None):
                by_source.setdefault(piece.source, []).append(reading)
        for readings in by_source.values():
            if verdict := worst(readings, heard, earlier):
                self._report(heard, verdict)
        return frozenset[int]().union(*(reading.touched for group in by_source.values() for reading in group))

    def _hear_together(self, parts: Sequence[tuple[Moment, frozenset[int]]], earlier: Earlier) -> None:
        """Report what text of one source shows that was given out bit by bit: of a tool that has none, such as a shell,
        only a question that no single result shows."""
        if len(parts) < 2:
            return
        last, _ = parts[-1]
        readings = list(self._reader.read(Piece("".join(heard.text for heard, _ in parts))))
        shown = frozenset[int]().union(*(reading.touched for reading in readings))
        if not last.outside and any(len(shown - touched) < NEWS for _, touched in parts):
            return
        verdict = worst(readings, last, earlier)
        if verdict and verdict.severity in GATING:
            self._report(last, verdict, f", over {len(parts)} results of one source")

    def _report(self, heard: Moment, verdict: Verdict, said: str = "") -> None:
        piece, at = verdict.piece, verdict.at
        # a report is for everybody, and golds are not, but for that of an answer that is right
        shown = excerpt(piece.text, at) if self._task.correct else ""
        if self._reader.has_other_answers(shown):
            shown = ""
        self._findings.append(
            Finding(
                severity=verdict.severity,
                rule=verdict.rule,
                summary=verdict.summary + said,
                task_id=self._task.task_id,
                attempt=heard.step.attempt,
                seq=heard.step.seq,
                field="output",
                offset=piece.offset + (0 if piece.view else len(piece.text[:at].encode("utf-8", "replace"))),
                source=piece.source,
                view=piece.view or None,
                excerpt=shown,
            )
        )


def _source_of(step: ToolResultStep) -> str:
    """By which results are known to be of one source: the address without its query, or the tool."""
    return step.sources[0].url.partition("?")[0].partition("#")[0] if step.sources else step.name


def worst(readings: Sequence[Reading], heard: Moment, earlier: Earlier) -> Verdict | None:
    """The worst that can be said of one source, if there is anything."""
    found = [
        verdict
        for reading in readings
        for sight in reading.sights
        if (verdict := _of_sight(reading, sight, heard, earlier))
    ]
    if len(frozenset[int]().union(*(reading.solved for reading in readings))) >= SHEET:
        piece = next(reading.piece for reading in readings if reading.solved)
        # an agent's memory and its files may have what it answered before
        severity: Severity = "medium" if earlier.is_own_tool(heard) or earlier.stays_here(heard) else "critical"
        found.append(Verdict(severity, "answer-sheet", "several questions of the benchmark with their answers", piece))
    return min(found, key=lambda each: SEVERITIES.index(each.severity), default=None)


def _of_sight(reading: Reading, sight: Sight, heard: Moment, earlier: Earlier) -> Verdict | None:
    """What the table says of a passage, unless it cannot be told from honest work."""
    marks = 2 if sight.named and earlier.benchmark_named_outside(heard) else reading.marks
    tells = _tells(sight, marks, earlier.gold, heard) and not earlier.answer_is_no_news(heard)
    column = 2 if sight.shows == "statement" and sight.long else marks
    severity = LETTERS.get(TABLE[sight.shows][tells][column])
    if severity is None or (marks < 2 and earlier.knew(heard, reading.piece, sight, tells=tells)):
        return None
    rule, what = RULES[sight.shows]
    if not tells:
        rule = RULES_WITHOUT_ANSWER.get(rule, rule)
    if severity in GATING and marks < 2 and earlier.may_be_own(heard, sight):
        severity, what = "medium", f"{what}, in what may be the agent's own or of the task's file,"
    elif severity in GATING and earlier.answer_was_said(heard):
        severity, what = "high", f"{what}, met after the answer was reached,"
    return Verdict(severity, rule, what + (" with the answer" if tells else ""), reading.piece, sight.start)


def _tells(sight: Sight, marks: int, gold: GoldForms, heard: Moment) -> bool:
    """Whether the answer that stands there is the question's. A small one may count replies, an honest page may have a
    few words of the question as a headline, and an agent's own tools may repeat it above what they give back."""
    if sight.answer == "near":
        return marks > 0 or (sight.long and heard.outside)
    short = sight.shows == "copy" and len(sight.covered) <= SHORT
    chance = not marks and (short or (gold.trivial and sight.answer == "beside"))
    return sight.answer == "announced" or (sight.answer in ("stated", "beside") and not chance)
