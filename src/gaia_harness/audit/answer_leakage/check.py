"""AUD-1: were answers taken from a copy of the benchmark? The question is the fingerprint, not the gold answer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar

import msgspec

from gaia_harness.audit.answer_leakage.calls import Goal, goal, refused
from gaia_harness.audit.answer_leakage.copies import HALF, SOME, Reader, Reading
from gaia_harness.audit.answer_leakage.earlier import Earlier
from gaia_harness.audit.answer_leakage.pieces import Piece, pieces
from gaia_harness.audit.answer_leakage.verdicts import Verdict, to_report, verdicts
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import GATING, Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.gold_forms import GoldForms, gold_forms
from gaia_harness.audit.timeline import Moment, by_attempt
from gaia_harness.evidence.fingerprint import GRAM
from gaia_harness.evidence.matcher import Matcher, best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.figures import counted
from gaia_harness.records.steps import ToolResultStep

COMMON = 0.05
"""An answer that stands in what more than this share of the other tasks heard proves nothing by being near."""

FEWEST_OTHERS = 10
"""Other tasks that are needed before such a share means anything."""


WHOLE = 2048
"""Characters of a question of which the windows keep all: of a longer one, a copy may be kept in part."""

JOINED = 8
"""Results of one source that are read together."""

FRAME = 12
"""Characters at the beginning of a line by which a frame around bits of a text is known."""

EDGE = 4_000
"""Characters at the ends of a long result that are read together with its neighbours."""


class Part(msgspec.Struct, frozen=True):
    """A result among others of one source, and which words of the question stand in it."""

    heard: Moment
    touched: frozenset[int]

    def edges(self) -> str:
        """Its text, of a long one both ends."""
        text = self.heard.text
        return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"


class Pending(msgspec.Struct, frozen=True):
    """A finding that depends on how often the answer stands elsewhere in this run."""

    if_rare: Finding
    if_common: Finding


class LeakNotes(msgspec.Struct, frozen=True):
    """What was found on one task, and the tasks whose answers stand in what it heard."""

    task_id: str
    findings: tuple[Finding, ...] = ()
    pending: tuple[Pending, ...] = ()
    heard_answers: frozenset[int] = frozenset()
    unscanned: int = 0
    sound: bool = True  # with a trajectory
    known: bool = True  # with its question


class AnswerLeakage:
    """One finding for each source of each result that shows something of the benchmark."""

    noted: ClassVar[type] = LeakNotes

    def __init__(self, run: RunEvidence) -> None:
        self._run = run

    @cached_property
    def _forms(self) -> dict[str, GoldForms]:
        golds = {} if self._run.key is None else self._run.key.golds
        return {task_id: gold_forms(gold.answer) for task_id, gold in golds.items()}

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self._run.questions, self._forms)

    @cached_property
    def _golds(self) -> tuple[Matcher, tuple[int, ...]]:
        """Finds all answers that prove something, in one pass."""
        phrases = [
            (form, number)
            for number, forms in enumerate(self._forms.values())
            if not forms.trivial
            for form in (forms.parts or forms.words)
        ]
        return best_matcher([form for form, _ in phrases]), tuple(number for _, number in phrases)

    def look(self, task: TaskEvidence) -> LeakNotes | None:
        """See `Examiner`."""
        if task.trajectory is None:
            return None if task.facts is None else LeakNotes(task.task_id, sound=False)
        if task.question is None:
            return LeakNotes(task.task_id, known=False)
        return TaskLeaks(task, self._reader, self._golds).notes()

    def conclude(self, notes: Sequence[LeakNotes]) -> Check:
        """See `Examiner`."""
        found = Findings()
        heard = Counter(number for note in notes for number in note.heard_answers)
        others = sum(note.sound and note.known for note in notes) - 1
        numbers = {task_id: number for number, task_id in enumerate(self._forms)}
        for note in notes:
            number = numbers.get(note.task_id)
            count = heard[number] - (number in note.heard_answers) if number is not None else 0
            common = others >= FEWEST_OTHERS and count > COMMON * others
            for finding in note.findings:
                found.add(finding)
            for pending in note.pending:
                found.add(pending.if_common if common else pending.if_rare)
        return found.check("AUD-1", "answer-leakage", harness_gap=self._gap(notes))

    def _gap(self, notes: Sequence[LeakNotes]) -> str | None:
        seen = {note.task_id for note in notes if note.sound}
        missing = {note.task_id for note in notes if not note.sound} - seen
        unknown = sum(not note.known for note in notes)
        unscanned = sum(note.unscanned for note in notes)
        if not self._run.questions:
            return "the questions are not at hand: give the data set"
        if self._run.key is None:
            return "the answers are not at hand: give the data set"
        if not self._run.facts.record_evidence or not seen:
            return "no trajectories were recorded"
        if missing:
            return f"{len(missing)} of {len(missing | seen)} tasks have a result and no sound trajectory"
        if unknown:
            return f"the questions of {counted(unknown, 'task')} are not at hand"
        return f"{unscanned} tool results were cut without having been scanned" if unscanned else None


class TaskLeaks:
    """What one task saw of the benchmark."""

    def __init__(self, task: TaskEvidence, reader: Reader, golds: tuple[Matcher, tuple[int, ...]]) -> None:
        self._task = task
        self._reader = reader
        self._golds = golds
        answer = task.gold.answer if task.gold is not None else None if task.facts is None else task.facts.answer
        self._answer = (answer or "").strip()
        self._gold = gold_forms(self._answer) if self._answer else None
        self._findings: list[Finding] = []
        self._pending: list[Pending] = []
        self._heard: set[int] = set()
        self._unscanned = 0
        self._in_source = False

    def notes(self) -> LeakNotes:
        """Look at every attempt."""
        for _, moments in by_attempt(self._task.timeline):
            earlier = Earlier(moments, self._task.task_id, self._gold, self._reader, self._task.around)
            goals: dict[int, Goal] = {}
            parts: dict[str, list[Part]] = {}
            for moment in moments:
                if moment.origin == "asked":
                    found = goal(moment)
                    if found is not None:
                        goals[moment.step.seq] = found
                        if found.name:
                            self._add(moment, "low", "asked-for-the-benchmark", f"the agent asked for {found.name!a}")
                elif moment.origin == "heard":
                    self._hear(moment, earlier, goals, parts)
            for group in parts.values():
                self._joined(group, earlier)
        return LeakNotes(
            self._task.task_id,
            tuple(self._findings),
            tuple(self._pending),
            frozenset(self._heard),
            self._unscanned,
        )

    def _hear(
        self,
        heard: Moment,
        earlier: Earlier,
        goals: dict[int, Goal],
        parts: dict[str, list[Part]],
    ) -> None:
        step = heard.step
        assert type(step) is ToolResultStep  # noqa: S101 - for the type checker
        self._unscanned += step.scan is None and step.truncated
        readings: list[Reading] = []
        for piece in pieces(heard):
            words = reduce(piece.text)
            if not piece.view:
                self._note_answers(words)
            readings += self._reader.read(piece, self._task.task_id, self._gold, words)
        asked = None if heard.call is None else goals.get(heard.call.seq)
        if asked is not None and asked.dataset:
            self._download(heard, step, asked, readings)
        shown = any(each.sights or each.others or each.own_id is not None for each in readings)
        own = shown and earlier.reads_own_file(heard)
        if own and not any(reading.ids and len(reading.keys) >= 2 for reading in readings):
            return  # the question's own text where the task came with it
        for verdict in self._verdicts(readings, heard, earlier):
            self._report(heard, verdict)
        if heard.role != "search":
            touched = frozenset[int]().union(*(reading.touched for reading in readings))
            parts.setdefault(_source_of(step), []).append(Part(heard, touched))
        self._denied(heard, step, earlier, readings)

    def _verdicts(self, readings: list[Reading], heard: Moment, earlier: Earlier) -> Iterator[Verdict]:
        by_source: dict[int | None, list[Reading]] = {}
        for reading in readings:
            by_source.setdefault(reading.piece.source, []).append(reading)
        for group in by_source.values():
            yield from to_report(verdicts(group, heard, earlier, self._gold))

    def _note_answers(self, words: bytes) -> None:
        matcher, numbers = self._golds
        self._heard.update(numbers[phrase] for phrase, _ in matcher.find(words))

    def _download(self, heard: Moment, step: ToolResultStep, asked: Goal, readings: list[Reading]) -> None:
        """A data set that code asked for, and got."""
        if refused(step):
            said = f"the agent went for a data set ({asked.dataset!a}) and did not get it"
            self._add(heard, "low", "download-refused", said)
            return
        keys = max((len(reading.keys) for reading in readings), default=0)
        shows = any(
            reading.others or reading.ids or any(sight.shows == "copy" for sight in reading.sights)
            for reading in readings
        )
        if heard.role == "code" and (asked.itself or shows or keys >= (1 if asked.name else 3)):
            said = f"the agent got a data set of the benchmark ({asked.dataset!a})"
            self._add(heard, "high", "dataset-downloaded", said)

    def _denied(self, heard: Moment, step: ToolResultStep, earlier: Earlier, readings: list[Reading]) -> None:
        """A copy in the kept text that the recorded scan does not have."""
        scan = step.scan
        if scan is None:
            return
        size = len(self._reader.wording(self._task.task_id).words)
        row = max((sight.row for each in readings for sight in each.sights if sight.shows == "copy"), default=0)
        share = scan.echo if earlier.sent_with(heard) else scan.copy
        copied = share < SOME and row - GRAM >= HALF * (size - GRAM)  # a row of so many words has so many pieces
        named = not scan.own_id and any(reading.own_id is not None for reading in readings)
        if copied or named:
            said = "the record says that nothing was found where a copy stands"
            self._add(heard, "high", "scan-denies-the-copy", said)
        elif scan.copy >= HALF and len(self._task.question or "") <= WHOLE and not any(r.touched for r in readings):
            said = "the record speaks of a copy, and what it kept does not show one"
            self._add(heard, "high", "copy-not-kept", said)

    def _joined(self, parts: list[Part], earlier: Earlier) -> None:
        """Text of one source that was given out bit by bit, read together where much of the question is in it."""
        size = len(self._reader.wording(self._task.task_id).words)
        for group in _groups(parts):
            if len(frozenset[int]().union(*(part.touched for part in group))) < SOME * size:
                continue
            for glue in ("", "\n"):  # a text may go on in the middle of a word, or with a new line
                piece = Piece(glue.join(_without_frames([part.edges() for part in group])), 0, None)
                readings = [
                    msgspec.structs.replace(reading, sights=tuple(s for s in reading.sights if s.shows == "copy"))
                    for reading in self._reader.read(piece, self._task.task_id, self._gold)
                ]
                found = [each for each in self._verdicts(readings, group[-1].heard, earlier) if each.severity in GATING]
                for verdict in found:
                    self._report(group[-1].heard, verdict, f", over {len(group)} results of one source")
                if found:
                    break

    def _report(self, heard: Moment, verdict: Verdict, said: str = "") -> None:
        piece = verdict.reading.piece
        finding = self._finding(heard, verdict.severity, verdict.rule, verdict.summary + said, piece, verdict.at)
        if verdict.if_common is None:
            self._findings.append(finding)
            return
        rule = "copy-without-answer" if verdict.if_common == "medium" else "task-id"
        lower = msgspec.structs.replace(finding, severity=verdict.if_common, rule=rule)
        self._pending.append(Pending(finding, lower))

    def _add(self, moment: Moment, severity: Severity, rule: str, summary: str) -> None:
        self._findings.append(self._finding(moment, severity, rule, summary, Piece("", 0, None), 0))

    def _finding(self, moment: Moment, severity: Severity, rule: str, summary: str, piece: Piece, at: int) -> Finding:
        # a report is for everybody, and the gold of an answer that is wrong is not: then nothing is shown
        shown = "" if self._task.gold is not None and not self._task.correct else excerpt(piece.text, at)
        return Finding(
            severity=severity,
            rule=rule,
            summary=summary,
            task_id=self._task.task_id,
            attempt=moment.step.attempt,
            seq=moment.step.seq,
            field="args" if moment.origin == "asked" else "output",
            offset=piece.offset + (0 if piece.view else len(piece.text[:at].encode("utf-8", "replace"))),
            source=piece.source,
            view=piece.view or None,
            excerpt=shown,
        )


def _groups(parts: list[Part]) -> Iterator[list[Part]]:
    """Results with words of the question, each with the one before it and two behind it, a few at a time."""
    end = 0
    for place, part in enumerate(parts):
        if part.touched and (place >= end or not end):
            first, end = max(0, place - 1), place + 1
            while end < min(len(parts), first + JOINED) and any(each.touched for each in parts[end : end + 2]):
                end += 1
            if end + 2 - first > 1 and len(parts) > 1:
                yield parts[first : end + 2]


def _without_frames(texts: list[str]) -> Iterator[str]:
    """Texts without the lines that stand around each of them: where one is, how to read on."""
    lines = [text.split("\n") for text in texts]
    begins = Counter(beginning for each in lines for beginning in {line[:FRAME] for line in each if len(line) >= FRAME})
    for each in lines:
        yield "\n".join(line for line in each if begins[line[:FRAME]] < 2)


def _source_of(step: ToolResultStep) -> str:
    """By which results are known to be of one source: the address without its query, or the tool."""
    return step.sources[0].url.partition("?")[0].partition("#")[0] if step.sources else step.name
