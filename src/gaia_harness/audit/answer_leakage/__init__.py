"""AUD-1: were answers taken from a copy of the benchmark? The question is the fingerprint, not the gold answer.

A result is cut into texts (`pieces`), a text is read for what it shows of the benchmark (`copies`, `questions`). How
grave that is depends on where the answer stands and on what the agent knew (`verdicts`, `earlier`).
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal

from gaia_harness.audit.answer_leakage.copies import Benchmark, Reader, Reading
from gaia_harness.audit.answer_leakage.earlier import Earlier
from gaia_harness.audit.answer_leakage.pieces import Piece, pieces
from gaia_harness.audit.answer_leakage.verdicts import Verdict, worst
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import GATING, Check, Finding, Findings, Notes, excerpt
from gaia_harness.audit.gold_forms import gold_forms
from gaia_harness.audit.timeline import Moment, by_attempt
from gaia_harness.figures import counted
from gaia_harness.records.steps import ToolResultStep

MOST_JOINED = 8  # results of one source, from the first that has words of the question on, that are read together


class LeakNotes(Notes, frozen=True, gc=False):
    """What was found on one task, how many results were cut and not scanned, and what was not at hand."""

    lacks: Literal["", "trajectory", "question"] = ""


class AnswerLeakage:
    """One finding for each source of each result that shows something of the benchmark."""

    noted: ClassVar[type] = LeakNotes

    def __init__(self, run: RunEvidence) -> None:
        self._run = run

    @cached_property
    def _benchmark(self) -> Benchmark:
        golds = {} if self._run.key is None else self._run.key.golds
        return Benchmark(self._run.questions, {task_id: gold.answer for task_id, gold in golds.items()})

    def look(self, task: TaskEvidence) -> LeakNotes | None:
        """See `Examiner`."""
        if task.trajectory is None:
            return None if task.facts is None else LeakNotes(task.task_id, lacks="trajectory")
        if task.question is None:
            return LeakNotes(task.task_id, lacks="question")
        answer = task.gold.answer if task.gold is not None else None if task.facts is None else task.facts.answer
        return TaskLeaks(task, Reader(self._benchmark, task.task_id, task.question, gold_forms(answer or ""))).notes()

    def conclude(self, notes: Sequence[LeakNotes]) -> Check:
        """See `Examiner`."""
        found = Findings().add_all(*(note.findings for note in notes))
        return found.check("AUD-1", "answer-leakage", harness_gap=self._gap(notes))

    def _gap(self, notes: Sequence[LeakNotes]) -> str | None:
        lacking = Counter(note.lacks for note in notes)
        missing, unscanned = lacking["trajectory"], sum(note.not_seen for note in notes)
        none = not self._run.facts.record_evidence or missing == len(notes)
        gaps = (
            (not self._run.questions, "the questions are not at hand: give the data set"),
            (self._run.key is None, "the answers are not at hand: give the data set"),
            (none, "no trajectories were recorded"),
            (missing, f"{missing} of {len(notes)} tasks have a result and no sound trajectory"),
            (lacking["question"], f"the questions of {counted(lacking['question'], 'task')} are not at hand"),
            (unscanned, f"{unscanned} tool results were cut without having been scanned"),
        )
        return next((gap for holds, gap in gaps if holds), None)


class TaskLeaks:
    """What one task saw of the benchmark."""

    def __init__(self, task: TaskEvidence, reader: Reader) -> None:
        self._task = task
        self._reader = reader
        self._findings: list[Finding] = []

    def notes(self) -> LeakNotes:
        """Look at every attempt."""
        unscanned = 0
        for _, moments in by_attempt(self._task.timeline):
            earlier = Earlier(moments, self._task, self._reader)
            by_source: dict[str, list[Moment]] = {}
            for moment in moments:
                if moment.origin == "heard" and type(moment.step) is ToolResultStep:
                    unscanned += moment.step.scan is None and moment.step.truncated
                    touched = self._hear(moment, earlier)
                    group = by_source.setdefault(_source_of(moment.step), [])
                    if moment.role != "search" and (touched or group):
                        group.append(moment)
            for group in by_source.values():
                if not any(each.severity in GATING for each in self._findings):
                    self._hear_together(group[:MOST_JOINED], earlier)
        return LeakNotes(self._task.task_id, tuple(self._findings), unscanned)

    def _hear(self, heard: Moment, earlier: Earlier) -> bool:
        """Report what a result shows, each source by itself; whether words of the question stand in it."""
        by_source: dict[int | None, list[Reading]] = {}
        for piece in pieces(heard):
            for reading in self._reader.read(piece, heard.words if piece.text is heard.text else None):
                by_source.setdefault(piece.source, []).append(reading)
        for readings in by_source.values():
            if verdict := worst(readings, heard, earlier):
                self._report(heard, verdict)
        return any(reading.touched for group in by_source.values() for reading in group)

    def _hear_together(self, parts: Sequence[Moment], earlier: Earlier) -> None:
        """Report what text of one source shows that was given out bit by bit."""
        if len(parts) < 2:
            return
        readings = list(self._reader.read(Piece("".join(heard.text for heard in parts))))
        verdict = worst(readings, parts[-1], earlier)
        if verdict and verdict.severity in GATING:
            self._report(parts[-1], verdict, f", over {len(parts)} results of one source")

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
