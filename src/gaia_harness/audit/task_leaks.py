"""What one task saw of the benchmark, step by step: one finding for each source of a result."""

from collections.abc import Iterable
from typing import Protocol
from urllib.parse import unquote_plus

import msgspec

from gaia_harness.audit.asked_for import AskedFor, arguments, asked_for, refused
from gaia_harness.audit.copies import COPY, PART, Piece, Reader, Reading, pieces
from gaia_harness.audit.denials import Denials
from gaia_harness.audit.earlier_steps import EarlierSteps
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, excerpt
from gaia_harness.audit.gold_forms import GoldForms, gold_forms
from gaia_harness.audit.joined_results import source_key, whole, without_frames
from gaia_harness.audit.leak_verdicts import ID_ALONE, WITHOUT, Judge, LeakVerdict, to_report
from gaia_harness.audit.result_origins import fetches, reads_the_attachment, stays_here
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.evidence.scan import scan
from gaia_harness.evidence.windows import word_position
from gaia_harness.evidence.wording import reduce
from gaia_harness.protocol import PYTHON, WEB_FETCH, WEB_SEARCH
from gaia_harness.records.steps import Scan, Step, ToolCallStep, ToolResultStep

JOINED = 8
"""Results of one source that are read together."""

WHOLE = 2048
"""Characters of a question of which the windows keep all: of a longer one, a copy may be kept in part."""

_NOTHING_ASKED = AskedFor("", "", "", "")


class Pending(msgspec.Struct, frozen=True):
    """A finding that depends on how often the answer stands elsewhere in this run."""

    task_id: str
    gold: GoldForms
    if_rare: Finding
    if_frequent: Finding


class Collector(Protocol):
    """What a task's findings are handed to, and what it needs to know of its run."""

    def reader(self) -> Reader:
        """Reads pieces of text with the run's questions and answers."""
        ...

    def attachment(self, task: TaskEvidence) -> str:
        """The name of the file that came with a task; empty where none did."""
        ...

    def add(self, finding: Finding) -> None:
        """Keep a finding that is certain."""
        ...

    def wait(self, pending: Pending) -> None:
        """Keep a finding until the whole run is known."""
        ...

    def unscanned(self) -> None:
        """Count a result of which only the beginning could be looked at."""
        ...


class _Result(msgspec.Struct, frozen=True):
    step: ToolResultStep
    call: AskedFor
    index: int
    called: ToolCallStep | None = None


class TaskLeaks:
    """One task's trajectory, step by step."""

    def __init__(self, check: Collector, task: TaskEvidence) -> None:
        assert task.trajectory is not None  # noqa: S101 - for the type checker
        self.check = check
        self.task = task
        self.steps = task.trajectory.steps
        answer = task.gold.answer if task.gold is not None else None if task.facts is None else task.facts.answer
        self.answer = (answer or "").strip()
        self.gold = gold_forms(self.answer) if self.answer else None
        self.denials = Denials(task.question or "", task.task_id)
        self.before = EarlierSteps(task, self.steps, self.gold, self.denials)
        self.name: str | None = None
        self.found_gold = self.gold is None or self.gold.trivial or not task.correct

    def look(self) -> None:
        """Every result beside its call; then results of one source read together."""
        calls: dict[str, tuple[AskedFor, ToolCallStep | None]] = {}
        results: list[_Result] = []
        attempts: list[list[_Result]] = [results]
        attempt = 0
        for index, step in enumerate(self.steps):
            if step.attempt != attempt:
                calls, results, attempt = {}, [], step.attempt
                attempts.append(results)
            if type(step) is ToolCallStep:
                calls[step.call_id] = self._call(step), step
            elif type(step) is ToolResultStep:
                asked, called = calls.get(step.call_id, (_NOTHING_ASKED, None))
                result = _Result(step, asked, index, called)
                self._result(result)
                results.append(result)
        for results in attempts:
            self._joined(results)
        if self.task.correct and (not self.found_gold or (self.gold is not None and self.gold.trivial)):
            self._disguised(result for results in attempts for result in results)

    def _disguised(self, results: Iterable[_Result]) -> None:
        """A right answer that no source has in plain words: does a scan deny a copy in base64?"""
        signs = self.denials.signs(self.steps) if self.task.signs is None else self.task.signs
        for result in results if signs.coded else ():
            recorded = result.step.scan
            if recorded is None or recorded.copy >= PART or recorded.readings:
                continue
            if result.step.seq in signs.coded:
                self._anew(result, recorded)

    def _call(self, step: ToolCallStep) -> AskedFor:
        text = arguments(step)
        asked = asked_for(step, text)
        what = asked.name or asked.decryption
        if len(self.task.task_id) >= 10 and self.task.task_id in text:
            what = what or "the task by its id"
        if what:
            at = text.find(what)
            self._add(step, "low", "asked-for-the-benchmark", f"the agent asked for {what!a}", text, max(0, at))
        return asked

    def _result(self, result: _Result) -> None:
        """Look at one result by itself."""
        step = result.step
        recorded = step.scan
        if recorded is None:
            if step.truncated:
                self.check.unscanned()
            step = self._scanned(result)
        elif (recorded.echo >= PART > recorded.copy or self._may_be(step)) and self._denied(result, recorded):
            self._anew(result, recorded)
            return
        self._look_at(result, step)

    def _may_be(self, step: ToolResultStep) -> bool:
        """Whether a copy may stand in a head; whoever has checked the line may have looked already."""
        signs = self.task.signs
        return self.denials.may_be(step.head) if signs is None else step.seq in signs.plain

    def _anew(self, result: _Result, recorded: Scan) -> None:
        """Scan a head whose recorded scan seems untrue."""
        step = self._scanned(result)
        found = step.scan
        if found is not None and (found.copy >= COPY or found.own_id > recorded.own_id):
            self._add(
                step, "high", "scan-denies-the-copy", "the record says that nothing was found where a copy stands"
            )
        self._look_at(result, step)

    def _look_at(self, result: _Result, step: ToolResultStep) -> None:
        """Look at a result by its figures."""
        head = step.head
        figures = step.scan
        if figures is None:
            return
        if not self.found_gold and self.answer in head:
            self._provenance(step)
        if asked := result.call.dataset:
            self._download(result, asked)
        if not (
            figures.copy >= PART
            or figures.echo >= COPY
            or figures.questions
            or figures.own_id
            or figures.other_ids
            or figures.pages
            or (figures.cover >= COPY and figures.signatures)
            or (figures.signatures and figures.echo > 0)
            or len(figures.signatures) >= 2
        ):
            return
        ids = figures.own_id or figures.other_ids
        if not (ids and len(figures.signatures) >= 2) and reads_the_attachment(result.called, self.attachment()):
            return  # the question's own text where the task came with it
        self._sources(msgspec.structs.replace(result, step=step))

    def _scanned(self, result: _Result) -> ToolResultStep:
        step = result.step
        found = scan(
            step.head,
            self.check.reader().fingerprint,
            self.task.task_id,
            sources=[s for s in step.sources if s.offset < len(step.head)],
            sent=result.call.text,
        )
        return msgspec.structs.replace(step, scan=found.scan, windows=found.windows)

    def _denied(self, result: _Result, recorded: Scan) -> bool:
        """Whether a head holds the task's id, or words of its question that the agent did not send."""
        if not recorded.own_id and self.denials.has_id(result.step.head):
            return True
        cut = result.called is not None and result.called.args_truncated  # the scan saw all that was sent
        return recorded.copy < PART and not self.denials.sent(result.call.text) and not (cut and recorded.echo >= PART)

    def attachment(self) -> str:
        """The name of the task's file, looked up when it is first needed."""
        if self.name is None:
            self.name = self.check.attachment(self.task)
        return self.name

    def _provenance(self, step: ToolResultStep) -> None:
        """In the agent's favour: the answer stands in a source that is no copy of the benchmark."""
        if self.gold is not None and self.gold.stands_in(reduce(step.head)):
            self.found_gold = True
            self._add(step, "info", "answer-in-a-source", f"the answer stands in what {step.name[:40]} gave")

    def _download(self, result: _Result, asked: str) -> None:
        step = result.step
        if refused(step.head, is_error=step.is_error):
            self._add(step, "low", "download-refused", f"the agent went for a data set ({asked!a}) and did not get it")
        elif step.name == PYTHON and (result.call.itself or _material(step, by_name=bool(result.call.name))):
            self._add(step, "high", "dataset-downloaded", f"the agent got a data set of the benchmark ({asked!a})")

    def _sources(self, result: _Result) -> None:
        """The worst that each source of a result shows."""
        step = result.step
        readings: dict[int | None, list[Reading]] = {}
        sent = result.call.text + self.before.noted(result.step, result.called)
        for piece in pieces(step):
            if piece.text:
                reading = self.check.reader().read(piece, self.task.task_id, self.gold, sent)
                readings.setdefault(piece.source, []).append(reading)
        recorded = step.scan is not None and step.scan.copy >= COPY and len(self.task.question or "") <= WHOLE
        if recorded and not any(map(_shows, readings.values())):
            self._add(step, "high", "copy-not-kept", "the record speaks of a copy, and what it kept does not show one")
        for source, read in sorted(readings.items(), key=lambda item: -1 if item[0] is None else item[0]):
            known = () if source is None else shapes([step.sources[source].url])
            self._decide(result, read, known, sent, "" if source is None else step.sources[source].url)

    def _decide(
        self,
        result: _Result,
        readings: list[Reading],
        known: tuple[str, ...],
        sent: str,
        address: str = "",
        joined: str = "",
    ) -> None:
        step = result.step
        fetched = fetches(result.called)
        judge = Judge(
            self.gold,
            self.check.reader().golds.get,
            reached=lambda: self.before.reached(result.index),
            met=lambda: self.before.met(result.index, result.call.text),
            opened=step.name == WEB_FETCH and not step.is_error,
            sent=reduce(sent),
            fetched=fetched,
            program=step.name.startswith(PYTHON),
            attached=bool(self.attachment()),
            here=fetched and not step.sources and self._read_here(result),
            known=known,
            address=reduce(unquote_plus(address, errors="replace"))
            + (b"" if step.name == WEB_SEARCH else reduce(sent)),
        )
        for verdict in to_report(judge.verdicts(readings)):
            self._report(step, verdict, joined)

    def _read_here(self, result: _Result) -> bool:
        """Whether it may be from the task's file: the call stays on the machine, where that file was gone for."""
        name = self.attachment()
        return bool(name) and stays_here(result.called) and self.before.went_for(name, result.index)

    def _report(self, step: ToolResultStep, verdict: LeakVerdict, joined: str) -> None:
        piece = verdict.reading.piece
        finding = self._finding(
            step,
            verdict.severity,
            verdict.rule,
            verdict.summary + joined,
            piece.text,
            _character(verdict),
            offset=piece.offset,
            source=piece.source,
            view=piece.view or None,
        )
        if verdict.if_frequent is None or self.gold is None:
            self.check.add(finding)
        else:
            lower = msgspec.structs.replace(
                finding,
                severity=verdict.if_frequent,
                rule="copy-without-answer" if verdict.if_frequent == "medium" else "task-id",
                summary=(WITHOUT if verdict.if_frequent == "medium" else ID_ALONE) + joined,
            )
            self.check.wait(Pending(self.task.task_id, self.gold, finding, lower))

    def _joined(self, results: list[_Result]) -> None:
        """Text of one source that was given out bit by bit, read together."""
        if not any(result.step.scan is not None and result.step.scan.echo > 0 for result in results):
            return
        parts: dict[str, list[_Result]] = {}
        for result in results:
            if reads_the_attachment(result.called, self.attachment()):
                continue
            if key := source_key(result.step):
                parts.setdefault(key, []).append(result)
        for results in parts.values():
            for first in range(0, len(results) - 1, JOINED // 2):
                group = results[first : first + JOINED]
                if not any(result.step.scan is not None and result.step.scan.echo > 0 for result in group):
                    continue
                sent = "\n".join(result.call.text for result in group) + self.before.noted(
                    group[-1].step, group[-1].called
                )
                for glue in ("", "\n"):  # a text may go on in the middle of a word, or with a new line
                    text = glue.join(without_frames([whole(result.step) for result in group]))
                    piece = Piece(None, "", 0, text, bool(group[0].step.sources))
                    reading = self.check.reader().read(piece, self.task.task_id, self.gold, sent)
                    if any(copy.share >= COPY for copy in reading.copies):
                        self._decide(
                            group[-1], [reading], (), sent, joined=f", over {len(group)} results of one source"
                        )
                        break

    def _add(self, step: Step, severity: Severity, rule: str, summary: str, text: str = "", at: int = 0) -> None:
        self.check.add(self._finding(step, severity, rule, summary, text, at))

    def _finding(
        self,
        step: Step,
        severity: Severity,
        rule: str,
        summary: str,
        text: str = "",
        at: int = 0,
        *,
        offset: int = 0,
        source: int | None = None,
        view: str | None = None,
    ) -> Finding:
        return Finding(
            severity=severity,
            rule=rule,
            summary=summary,
            task_id=self.task.task_id,
            attempt=step.attempt,
            seq=step.seq,
            field="args" if isinstance(step, ToolCallStep) else "output",
            offset=offset + (0 if view else len(text[:at].encode("utf-8", "replace"))),
            source=source,
            view=view,
            excerpt=self._shown(excerpt(text, at)),
        )

    def _shown(self, piece: str) -> str:
        """What a report may show: it is for everybody, and the gold of an answer that is wrong is not.

        Nothing is shown then, gold or not: a piece that is left out only where it has the gold would say where it is.
        """
        return "" if self.task.gold is not None and not self.task.correct else piece


def _character(verdict: LeakVerdict) -> int:
    """Where in the text the passage begins."""
    if verdict.copy is None:
        return 0
    return word_position(verdict.reading.piece.text, verdict.reading.words.count(b" ", 0, verdict.copy.passage.start))


def _material(step: ToolResultStep, *, by_name: bool) -> bool:
    """Whether something of the benchmark came back; what was asked for by its name needs less to show it."""
    scan = step.scan
    if scan is None:
        return by_name
    keys = len(scan.signatures) >= (1 if by_name else 3)
    return bool(scan.copy >= (PART if by_name else COPY) or scan.questions or scan.own_id or scan.other_ids or keys)


def _shows(readings: list[Reading]) -> bool:
    """Whether a source's kept text has anything to speak of in common with the question."""
    return any(copy.whole >= PART for reading in readings for copy in reading.copies)
