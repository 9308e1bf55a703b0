"""AUD-1: did the answer come from a copy of the benchmark? The question is the fingerprint, not the gold."""

from collections import Counter
from collections.abc import Iterator

import msgspec

from gaia_harness.answer_line import final_answer
from gaia_harness.audit.asked_for import AskedFor, arguments, asked_for, refused
from gaia_harness.audit.copies import COPY, PART, Piece, Reader, Reading, pieces
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import SEVERITIES, Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.gold_forms import GoldForms, gold_forms
from gaia_harness.audit.leak_verdicts import WITHOUT, Judge, Verdict
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.evidence.scan import scan
from gaia_harness.evidence.steps import OUTPUT_HEAD, LlmCall, Step, ToolCallStep, ToolResultStep
from gaia_harness.evidence.windows import word_position
from gaia_harness.evidence.wording import reduce
from gaia_harness.normalization import ballot

FREQUENT = 0.05
"""An answer that stands in the outputs of more than this share of the other tasks proves nothing by being near."""

FEWEST_OTHERS = 10
"""Other tasks that are needed before such a share means anything."""

PROBE = 28
"""Characters of a question that are looked for in every head, whatever the recorded scan says."""

FRAME = 12
"""Characters at the beginning of a line by which a frame around bits of a text is known."""

JOINED = 8
"""Results of one source that are read together."""


_NOTHING_ASKED = AskedFor("", "", "", "")


class _Pending(msgspec.Struct, frozen=True):
    """A finding that depends on how often the answer stands elsewhere in this run."""

    task_id: str
    gold: GoldForms
    if_rare: Finding
    if_frequent: Finding


class _Result(msgspec.Struct, frozen=True):
    step: ToolResultStep
    call: AskedFor
    index: int


class AnswerLeakage:
    """One finding for each source of each result that holds something of the benchmark."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._found = Findings()
        self._pending: list[_Pending] = []
        self._reader: Reader | None = None
        self._seen = self._unknown = self._unscanned = 0

    def look(self, task: TaskEvidence) -> None:
        """See `Examiner`."""
        if task.trajectory is None:
            return
        self._seen += 1
        if task.question is None:
            self._unknown += 1
            return
        _Task(self, task).look()

    def conclude(self) -> Check:
        """See `Examiner`."""
        frequent = self._frequent()
        for number, pending in enumerate(self._pending):
            self._found.add(pending.if_frequent if number in frequent else pending.if_rare)
        return self._found.check("AUD-1", "answer-leakage", harness_gap=self._gap())

    def _gap(self) -> str | None:
        if not self._run.questions:
            return "the questions are not at hand: give the data set"
        if self._run.key is None:
            return "the answers are not at hand: give the data set"
        if not self._run.facts.record_evidence or not self._seen:
            return "no trajectories were recorded"
        if self._unknown:
            return f"the questions of {self._unknown} tasks are not at hand"
        if self._unscanned:
            return f"{self._unscanned} tool results were cut without having been scanned"
        return None

    def _frequent(self) -> set[int]:
        """Which of the pending answers stand all over the run: the trajectories are read again for it."""
        counts = [0] * len(self._pending)
        others = 0
        for task in self._run.tasks() if self._pending else ():
            if task.trajectory is None:
                continue
            others += 1
            wanted = {number for number, pending in enumerate(self._pending) if pending.task_id != task.task_id}
            for step in task.trajectory.steps:
                if isinstance(step, ToolResultStep) and wanted:
                    words = reduce(step.head)
                    there = {number for number in wanted if self._pending[number].gold.stands_in(words)}
                    wanted -= there
                    for number in there:
                        counts[number] += 1
        return {
            number
            for number, count in enumerate(counts)
            if others - 1 >= FEWEST_OTHERS and count > FREQUENT * (others - 1)
        }

    def reader(self) -> Reader:
        """Made when it is first needed: most runs of most tasks never meet a copy."""
        if self._reader is None:
            golds = {} if self._run.key is None else self._run.key.golds
            self._reader = Reader(
                self._run.questions, {task_id: gold_forms(gold.answer) for task_id, gold in golds.items()}
            )
        return self._reader

    def add(self, finding: Finding) -> None:
        """Keep a finding that is certain."""
        self._found.add(finding)

    def wait(self, pending: _Pending) -> None:
        """Keep a finding until the whole run is known."""
        self._pending.append(pending)

    def unscanned(self) -> None:
        """Count a result of which only the beginning could be looked at."""
        self._unscanned += 1


class _Task:
    """One task's trajectory, step by step."""

    def __init__(self, check: AnswerLeakage, task: TaskEvidence) -> None:
        assert task.trajectory is not None  # noqa: S101 - for the type checker
        self.check = check
        self.task = task
        self.steps = task.trajectory.steps
        answer = task.gold.answer if task.gold is not None else None if task.facts is None else task.facts.answer
        self.answer = (answer or "").strip()
        self.gold = gold_forms(self.answer) if self.answer else None
        self.probes = _probes(task.question or "")
        self.found_gold = self.gold is None or self.gold.trivial or not task.correct

    def look(self) -> None:
        """Every result beside its call; then results of one source read together."""
        calls: dict[str, AskedFor] = {}
        attempt = 0
        parts: dict[str, list[_Result]] = {}
        for index, step in enumerate(self.steps):
            if step.attempt != attempt:
                self._joined(parts)
                calls, parts, attempt = {}, {}, step.attempt
            if type(step) is ToolCallStep:
                calls[step.call_id] = self._call(step)
            elif type(step) is ToolResultStep:
                result = _Result(step, calls.get(step.call_id, _NOTHING_ASKED), index)
                self._result(result)
                if key := _source_key(result):
                    parts.setdefault(key, []).append(result)
        self._joined(parts)

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
        head, recorded = step.head, step.scan
        if recorded is None:
            if step.truncated:
                self.check.unscanned()
            step = self._scanned(result)
        elif max(recorded.copy, recorded.echo) < PART and self._probed(head) and not self._sent(result.call.text):
            step = self._scanned(result)
            if step.scan is not None and step.scan.copy >= COPY:
                self._add(
                    step, "high", "scan-denies-the-copy", "the record says that nothing was found where a copy stands"
                )
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
        ):
            return
        if step.name == "file_read" and not (figures.questions or figures.other_ids):
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

    def _probed(self, head: str) -> bool:
        return self.probes[0] in head or self.probes[1] in head

    def _sent(self, text: str) -> bool:
        return any(probe in text for probe in self.probes)

    def _provenance(self, step: ToolResultStep) -> None:
        """In the agent's favour: the answer stands in a source that is no copy of the benchmark."""
        if self.gold is not None and self.gold.stands_in(reduce(step.head)):
            self.found_gold = True
            self._add(step, "info", "answer-in-a-source", f"the answer stands in what {step.name[:40]} gave")

    def _download(self, result: _Result, asked: str) -> None:
        step = result.step
        if refused(step.head, is_error=step.is_error):
            self._add(step, "low", "download-refused", f"the agent went for a data set ({asked!a}) and did not get it")
        elif step.name == "python" and (result.call.name or _material(step)):
            self._add(step, "high", "dataset-downloaded", f"the agent got a data set of the benchmark ({asked!a})")

    def _sources(self, result: _Result) -> None:
        """The worst that each source of a result shows."""
        step = result.step
        readings: dict[int | None, list[Reading]] = {}
        for piece in pieces(step):
            if piece.text:
                reading = self.check.reader().read(piece, self.task.task_id, self.gold, result.call.text)
                readings.setdefault(piece.source, []).append(reading)
        for source, read in sorted(readings.items(), key=lambda item: -1 if item[0] is None else item[0]):
            known = () if source is None else shapes([step.sources[source].url])
            self._decide(result, read, known)

    def _decide(self, result: _Result, readings: list[Reading], known: tuple[str, ...], joined: str = "") -> None:
        step = result.step
        judge = Judge(
            self.gold,
            self.check.reader().golds.get,
            reached=lambda: self._reached(result.index),
            opened=step.name == "web_fetch" and not step.is_error,
            answer_sent=self.gold is not None and self.gold.stands_in(reduce(result.call.text)),
            known=known,
        )
        worst = min(judge.verdicts(readings), key=lambda verdict: SEVERITIES.index(verdict.severity), default=None)
        if worst is not None:
            self._report(step, worst, joined)

    def _report(self, step: ToolResultStep, verdict: Verdict, joined: str) -> None:
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
                finding, severity=verdict.if_frequent, rule="copy-without-answer", summary=WITHOUT + joined
            )
            self.check.wait(_Pending(self.task.task_id, self.gold, finding, lower))

    def _reached(self, index: int) -> bool:
        """Whether the model had said the answer before this step of the same attempt."""
        here = self.steps[index]
        answer = None if self.task.facts is None else self.task.facts.answer
        for step in self.steps[:index]:
            if step.attempt == here.attempt and isinstance(step, LlmCall):
                said = final_answer(step.head)
                if said is not None and answer is not None and ballot(said) == ballot(answer):
                    return True
                if self.gold is not None and not self.gold.trivial and self.gold.stands_in(reduce(step.head)):
                    return True
        return False

    def _joined(self, parts: dict[str, list[_Result]]) -> None:
        """Text of one source that was given out bit by bit, read together."""
        for results in parts.values():
            for first in range(0, len(results) - 1, JOINED // 2):
                group = results[first : first + JOINED]
                if not any(result.step.scan is not None and result.step.scan.echo > 0 for result in group):
                    continue
                sent = "\n".join(result.call.text for result in group)
                for glue in ("", "\n"):  # a text may go on in the middle of a word, or with a new line
                    text = glue.join(_without_frames([_whole(result.step) for result in group]))
                    piece = Piece(None, "", 0, text, bool(group[0].step.sources))
                    reading = self.check.reader().read(piece, self.task.task_id, self.gold, sent)
                    if any(copy.share >= COPY for copy in reading.copies):
                        self._decide(group[-1], [reading], (), f", over {len(group)} results of one source")
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
            excerpt=excerpt(text, at),
        )


def _character(verdict: Verdict) -> int:
    """Where in the text the passage begins."""
    if verdict.copy is None:
        return 0
    return word_position(verdict.reading.piece.text, verdict.reading.words.count(b" ", 0, verdict.copy.passage.start))


def _material(step: ToolResultStep) -> bool:
    scan = step.scan
    return scan is not None and bool(
        scan.copy >= PART or scan.questions or scan.own_id or scan.other_ids or len(scan.signatures) >= 2
    )


def _probes(question: str) -> tuple[str, str]:
    """Two stretches of the question as it stands, by which a copy in a head is noticed without reducing the head."""
    text = " ".join(question.split())
    third = max(0, len(text) - PROBE) // 3
    return text[third : third + PROBE], text[2 * third : 2 * third + PROBE]


def _whole(step: ToolResultStep) -> str:
    """What is kept of a result, in its order."""
    behind = (piece.text for piece in pieces(step) if piece.window and not piece.view and piece.offset >= OUTPUT_HEAD)
    return "\n".join((step.head, *behind))


def _without_frames(texts: list[str]) -> Iterator[str]:
    """Texts without the lines that stand around each of them: where one is, how to read on."""
    lines = [text.split("\n") for text in texts]
    begins = Counter(beginning for each in lines for beginning in {line[:FRAME] for line in each if len(line) >= FRAME})
    for each in lines:
        yield "\n".join(line for line in each if begins[line[:FRAME]] < 2)


def _source_key(result: _Result) -> str:
    """By which results are known to be of one source: the address without its query, or the tool."""
    step = result.step
    if step.name == "web_search":
        return ""
    if step.sources:
        return step.sources[0].url.partition("?")[0].partition("#")[0]
    return step.name
