"""Looks at what one task was given and told, rule by rule, and notes what may mean something."""

from array import array
from collections.abc import Iterator, Sequence
from itertools import islice

from gaia_harness.audit.answer_tables import AnswerTables
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, excerpt
from gaia_harness.audit.gold_forms import gold_forms, places_in
from gaia_harness.audit.oracle_leakage import given, verdicts
from gaia_harness.audit.oracle_leakage.annotator_steps import Solutions, steps_in
from gaia_harness.audit.oracle_leakage.given import Golds, Reading
from gaia_harness.audit.oracle_leakage.gold_in_prompt import disguises, ways_it_stands
from gaia_harness.audit.oracle_leakage.notes import How, Note, Suspicion
from gaia_harness.audit.oracle_leakage.prompts import LONGEST_REMARK, Prompts, Told
from gaia_harness.audit.oracle_leakage.question import MARK, Question
from gaia_harness.audit.timeline import Moment
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import Prompt

PIECES_NEAR = 4  # behind a question
MOST_KEYS, MOST_TEXTS = 10_000, 200  # pieces and texts of a task that are compared

SUMMARIES = {
    "verdict-fed-back": "The model is told how its answer was judged, or earlier ones to its task.",
    "gold-in-prompt": "The answer stands in what only this task was given beside its question.",
    "answer-table": "A prompt that tasks were given has this task's answer in a table of answers.",
    "annotator-steps": "A prompt has the wording of the annotator's solution.",
    "prompt-missing": "The model was asked, and what it was given is not recorded.",
}


class TaskReader:
    """Reads one task."""

    def __init__(self, task: TaskEvidence, golds: Golds, tables: AnswerTables, solutions: Solutions) -> None:
        self._task, self._golds, self._tables, self._solutions = task, golds, tables, solutions
        self._gold = None if task.gold is None else task.gold.answer
        forms = gold_forms(self._gold or "")
        self._answer = forms if forms.words else None
        self._question = Question((task.question or "").strip())
        self._prompts = Prompts(task)
        openings = {told.text: told.reading.words for told in self._prompts.openings if told.moment.step.attempt == 1}
        self._asked_twice = sum(map(self._question.copies_in, openings.values())) > 1
        self._keys: dict[int, None] = {}  # of the pieces that the task was given
        self._texts: list[Told] = []
        self._read: set[str] = set()  # openings that earlier attempts began with, too
        self._suspicions: list[Suspicion] = []
        self._findings: list[Finding] = []

    def note(self) -> Note:
        """All that is noted of the task."""
        prompts = self._prompts
        self._findings += [self._finding("high", "prompt-missing", moment) for moment in prompts.missing]
        for told in prompts.openings:
            self._opening(told)
        for told in prompts.later:
            self._later(told)
        self._annotator_steps()
        return Note(
            task_id=self._task.task_id,
            keys=array("Q", islice(self._keys, MOST_KEYS)).tobytes(),
            suspicions=tuple(self._suspicions),
            remarks=tuple(self._remarks()),
            findings=tuple(self._findings),
            not_kept=prompts.not_kept,
        )

    def _opening(self, told: Told) -> None:
        """What was given before the first word: that earlier answers were judged, the answer, a table of answers."""
        moment, reading = told.moment, told.reading
        if told.text in self._read:
            return
        self._read.add(told.text)
        for line in verdicts.lines_on_answers(reading.text, again=moment.step.attempt > 1):
            keys = Reading(line).keys
            if not self._keys.keys() >= set(keys):
                finding = self._finding("critical", "verdict-fed-back", moment, line)
                self._suspicions.append(Suspicion(finding, "judged_before", tuple(keys)))
        self._texts.append(told)
        self._keys.update(dict.fromkeys(reading.keys))
        # what stands behind the question everywhere is no answer to any
        for at in places_in(reading.words, MARK):
            first = reading.piece_at(at) + 1
            behind = map(given.key_behind_question, reading.pieces[first : first + PIECES_NEAR])
            self._keys.update(dict.fromkeys(behind))
        if self._answer is None:
            return
        self._find_answer(moment, reading)
        listed = any(self._golds.are_listed(each.words, self._answer) for each in (reading, *reading.hidden))
        if listed or self._is_tabled(reading.text):
            self._findings.append(self._finding("critical", "answer-table", moment))

    def _later(self, told: Told) -> None:
        """What was given in the middle of the work: the answer, if the attempt has not met it yet."""
        reading, answer = told.reading, self._answer
        if len(self._texts) < MOST_TEXTS:
            self._texts.append(told)
            self._keys.update(dict.fromkeys(reading.keys))
        if answer is None or answer.common or not answer.stands_in(reading.words):
            return
        before = self._prompts.before(told)
        if before is None or any(not each.whole or answer.stands_in(each.words) for each in before if _is_met(each)):
            return
        self._find_answer(told.moment, reading)

    def _is_tabled(self, text: str) -> bool:
        """Whether the answer stands behind the task's id: right behind it, or in a table with that of another task."""
        task_id, found = self._task.task_id, self._tables.find(text, "")
        return task_id in found and (len(found) > 1 or task_id in self._tables.find(text, task_id))

    def _find_answer(self, moment: Moment, reading: Reading) -> None:
        """Note in which pieces of a text the answer stands, and how."""
        answer = self._answer
        if answer is None:
            return
        whole = array("Q", reading.keys).tobytes()
        for how, where in ways_it_stands(
            answer, reading, self._question, has_file=self._task.has_file, asked_twice=self._asked_twice
        ):
            self._suspect(how, where, self._finding("critical", "gold-in-prompt", moment), whole)
        for view in disguises(answer, reading):
            self._suspect("hidden", reading.keys, self._finding("critical", "gold-in-prompt", moment, view=view))

    def _suspect(self, how: How, where: Sequence[int], finding: Finding, whole: bytes = b"") -> None:
        if where:
            common = self._answer is None or self._answer.common
            self._suspicions.append(Suspicion(finding, how, tuple(dict.fromkeys(where)), common, whole))

    def _remarks(self) -> Iterator[verdicts.Remark]:
        """What prompts behind an answer say about that answer, and tools about what they were sent."""
        boxed = self._task.around.boxed
        for told in (*self._prompts.later, *self._prompts.by_tools):
            moment, answers = told.moment, told.answers
            if answers is None or len("".join(answers)) > LONGEST_REMARK:
                continue
            about_it = bool(answers) and moment.role in ("answer", "other")
            text = told.text.replace(given.ASKED, " ")
            said = verdicts.lower(text) if about_it or verdicts.may_judge(told.text) else ""
            place = verdicts.verdict_in(said, about_it=about_it)
            if place is None:
                continue
            before = self._prompts.before(told)
            if before is not None and boxed and verdicts.is_passed_on(said, place, moment, before):
                continue
            argued = before is None or (
                not told.by_tool and verdicts.is_shown_again(told.text, answers, self._question.words, before)
            )
            argued = argued or (boxed and verdicts.was_reviewed(answers, moment, before or ()))
            finding = self._finding("medium" if argued else "critical", "verdict-fed-back", moment, told.text)
            right = verdicts.is_right(answers, self._gold)
            yield verdicts.Remark(finding, right, verdicts.is_praise(said, place), told.by_tool)

    def _annotator_steps(self) -> None:
        """The wording of the annotator's solution; in the middle of the work, nobody else was given it."""
        for told, severity, rows in steps_in(self._texts, self._prompts, self._task, self._solutions):
            pieces = zip(told.reading.keys, told.reading.pieces, strict=False) if told.opening else ()
            keys = (key for key, piece in pieces if any(row in piece for row in rows))
            finding = self._finding(severity, "annotator-steps", told.moment)
            self._suspicions.append(Suspicion(finding, "steps", tuple(keys)))

    def _finding(
        self, severity: Severity, rule: str, moment: Moment, text: str = "", view: str | None = None
    ) -> Finding:
        """One, with the place of the answer in its text; of a remark the beginning, unless that has the answer."""
        step, answer = moment.step, self._answer
        shown = excerpt(text.replace(given.ASKED, " "))
        if answer is not None and answer.stands_in(reduce(shown)):
            shown = ""  # a report is for everybody, the answer is not
        at = -1 if self._gold is None or rule != "gold-in-prompt" else moment.text.find(self._gold.strip())
        offset = len(to_bytes(moment.text[:at])) if at >= 0 else None
        field = "head"
        if type(step) is Prompt and offset is not None and offset >= len(to_bytes(step.head)):
            field = f"prompt {step.content_sha256[:16]}"
        return Finding(
            severity=severity,
            rule=rule,
            task_id=self._task.task_id,
            attempt=step.attempt,
            seq=step.seq,
            field=field,
            offset=offset,
            view=view,
            summary=SUMMARIES[rule],
            excerpt=shown,
        )


def _is_met(moment: Moment) -> bool:
    """Whether the agent came upon it, and was not given it by the scaffold."""
    return moment.origin != "given"
