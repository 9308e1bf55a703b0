"""Looks at what one task was given and told, rule by rule, and notes what may mean something."""

from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice, takewhile
from typing import Literal

import msgspec

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, excerpt, found
from gaia_harness.audit.gold_forms import GoldForms, are_given, gold_forms, steps_of
from gaia_harness.audit.oracle_leakage import verdicts
from gaia_harness.audit.oracle_leakage.prompts import LONGEST_REMARK, Prompts, Told
from gaia_harness.audit.oracle_leakage.reading import (
    ASKED,
    AnswerKey,
    Question,
    Reading,
    key_behind_question,
    phrases,
)
from gaia_harness.audit.timeline import Moment
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import Prompt

FEWEST_ROWS = 3  # of an annotator's words in a text that are no chance
EXAMPLE = 4  # pieces before an answer among which the question of an example stands
MOST_KEYS, MOST_TEXTS = 10_000, 200  # pieces and texts of a task that are compared

SUMMARIES = {
    "verdict-fed-back": "The model is told how its answer was judged, or earlier ones to its task.",
    "gold-in-prompt": "The answer stands in what only this task was given beside its question.",
    "answer-table": "A prompt that tasks were given has this task's answer in a table of answers.",
    "annotator-steps": "A prompt has the wording of the annotator's solution.",
}

How = Literal["solved", "hidden", "announced", "plain", "same_sentence", "listed", "steps", "judged_before"]
"""How an answer stands there: behind this very question, in disguise, called an answer, by itself, or in whatever way;
or what there is instead: a list of answers, steps of the annotator, earlier answers judged."""
OF_GOLD: tuple[How, ...] = ("solved", "hidden", "announced", "plain")


class Suspicion(msgspec.Struct, frozen=True, gc=False):
    """Something that a task was given, and in which pieces; what that means is known at the end."""

    finding: Finding
    how: How
    keys: tuple[int, ...] = ()  # of these pieces; none where it matters to nobody else
    common: bool = False  # the answer is a common word or a number like 3 or 17
    text: bytes = b""  # the keys of all pieces of the text in which it stands
    imported: bool = False  # it stands in the log of another program
    sentences: frozenset[int] = frozenset()  # the keys of these pieces with a gap in the place of the answer


class Note(msgspec.Struct, frozen=True, gc=False):
    """What is noted of one task. `keys` are of the pieces that it was given, as an array in bytes: runs have many."""

    task_id: str
    keys: bytes = b""
    holding: tuple[int, ...] = ()  # of those in which its answer stands, be it by chance
    suspicions: tuple[Suspicion, ...] = ()
    remarks: tuple[verdicts.Remark, ...] = ()
    right: bool | None = None  # whether the answer that stood at the end is right
    unseen: int = 0
    not_kept: int = 0


def has_met(answer: GoldForms, before: Iterable[Moment]) -> bool:
    """Whether the work came upon the answer."""
    return any(each.origin != "given" and answer.stands_in(each.words) for each in before)


class TaskReader:
    """Reads one task."""

    def __init__(self, task: TaskEvidence, key: AnswerKey) -> None:
        self._task, self._key = task, key
        self._gold = None if task.gold is None else task.gold.answer
        forms = gold_forms(self._gold or "")
        self._answer = forms if forms.words else None
        self._question = Question((task.question or "").strip())
        self._prompts = Prompts(task)
        self._keys: dict[int, None] = {}  # of the pieces that the task was given
        self._texts: list[Told] = []
        self._holding: set[int] = set()
        self._suspicions: list[Suspicion] = []
        self._met: dict[int, bool] = {}  # by attempt

    def note(self) -> Note:
        """All that is noted of the task."""
        prompts = self._prompts
        for told in {told.text: told for told in reversed(prompts.openings)}.values():  # attempts may begin alike
            self._opening(told)
        for told in prompts.later:
            self._later(told)
        self._annotator_steps()
        return Note(
            task_id=self._task.task_id,
            keys=array("Q", islice(self._keys, MOST_KEYS)).tobytes(),
            holding=tuple(self._holding),
            suspicions=tuple(self._suspicions),
            remarks=tuple(self._remarks()),
            right=self._task.correct,
            not_kept=prompts.not_kept,
        )

    def _opening(self, told: Told) -> None:
        """What was given before the first word: that earlier answers were judged, the answer, a list of answers."""
        moment, reading, answer = told.moment, told.reading, self._answer
        for line in () if told.inlined else verdicts.lines_on_answers(reading.text):
            finding = self._found_at(
                "verdict-fed-back", moment, line, "medium" if self._task.around.imported else "critical"
            )
            self._suspicions.append(Suspicion(finding, "judged_before", tuple(Reading(line).keys)))
        self._texts.append(told)
        self._keys.update(dict.fromkeys(reading.keys))
        # what stands behind the question everywhere is no answer to any
        behind = self._question.pieces_behind(reading)
        self._keys.update((key_behind_question(reading.pieces[number]), None) for number in sorted(behind))
        if answer is not None and not self._was_met(moment.step.attempt, answer):
            self._find_answer(told, answer)
        if answer is not None and not told.inlined and self._key.is_listed(answer, reading.words):
            self._suspicions.append(Suspicion(self._found_at("answer-table", moment), "listed"))

    def _was_met(self, attempt: int, answer: GoldForms) -> bool:
        """Whether the work came upon the answer before the first prompt of an attempt: a second one may be told what
        the first came to, and a log may have its first prompt late."""
        if attempt not in self._met:
            earlier = takewhile(
                lambda each: each.step.attempt < attempt or type(each.step) is not Prompt, self._task.timeline
            )
            self._met[attempt] = has_met(answer, earlier)
        return self._met[attempt]

    def _later(self, told: Told) -> None:
        """What was given in the middle of the work: the answer, if the attempt has not met it yet."""
        reading, answer = told.reading, self._answer
        if len(self._texts) < MOST_TEXTS:
            self._texts.append(told)
            self._keys.update(dict.fromkeys(reading.keys))
        if answer is None or not answer.stands_in(reading.words):
            return
        before = self._prompts.before(told)
        # where no tool was heard, prompts may be how tools speak, as in loops that are all text
        heard = [each for each in before if each.origin == "heard"]
        # what was not kept whole may have had it
        if heard and all(each.whole for each in heard) and not has_met(answer, before):
            self._find_answer(told, answer)

    def _find_answer(self, told: Told, answer: GoldForms) -> None:
        """Note in which pieces of a text the answer stands, and how."""
        reading, question = told.reading, self._question
        in_question = answer.stands_in(question.words)
        by_itself = not (self._task.has_file or answer.of_calendar or in_question)
        # one word may be the answer of an example for another question, too
        short = answer.common or answer.words[0].count(b" ") == 2
        of_example = cache(lambda piece: short and question.asks_other(reading, piece - EXAMPLE, piece))
        near = question.pieces_behind(reading)
        places: dict[How, set[int]] = {"solved": set(), "announced": set(), "plain": set()}
        standing: set[int] = set()
        for piece, announced in reading.places(answer):
            standing.add(piece)
            if of_example(piece):
                continue
            # alone behind the question, it may be a line of a question in other words that has it
            if piece in near and (announced or (not in_question and reading.has_only(answer, piece))):
                places["solved"].add(piece)
            if announced:
                places["announced"].add(piece)
            elif by_itself:
                places["plain"].add(piece)
        behind = {piece: key_behind_question(reading.pieces[piece]) for piece in standing}
        finding = self._gold_found(told.moment)
        if not in_question:  # choices that it offers may all stand in a piece
            self._holding.update(behind.values(), (reading.keys[piece] for piece in standing))
            sentences = reading.with_gap(standing, answer)
            self._suspicions.append(Suspicion(finding, "same_sentence", sentences=sentences))
        if answer.common and not told.opening:  # but for the same sentence, it says nothing of this task
            return
        whole = array("Q", reading.keys).tobytes()
        for how, pieces in places.items():
            keys = {behind[piece] if how == "solved" else reading.keys[piece] for piece in pieces}
            if keys:
                self._holding |= keys
                sentences = frozenset() if in_question else reading.with_gap(pieces, answer)
                self._suspicions.append(
                    Suspicion(finding, how, tuple(keys), answer.common, whole, self._task.around.imported, sentences)
                )
        for view in reading.disguises(answer):
            self._holding.update(reading.keys)
            self._suspicions.append(Suspicion(self._gold_found(told.moment, view), "hidden", tuple(reading.keys)))

    def _remarks(self) -> Iterator[verdicts.Remark]:
        """What prompts behind an answer say about that answer, and tools about what they were sent."""
        for told in (*self._prompts.later, *self._prompts.by_tools):
            moment, answers = told.moment, told.answers
            if not 0 < len("".join(answers)) <= LONGEST_REMARK:
                continue
            about_it, by_tool = moment.role in ("answer", "other"), moment.origin == "heard"
            verdict = verdicts.verdict_in(verdicts.lower(told.text.replace(ASKED, " ")), about_it=about_it)
            right = verdicts.is_right(answers, self._gold, checked=by_tool and moment.role != "code")
            if verdict is None:
                if not by_tool:
                    yield verdicts.Remark(self._found_at("verdict-fed-back", moment, told.text, "medium"), right)
                continue
            before = self._prompts.before(told)
            passed_on = verdicts.is_passed_on(verdict, moment, before)
            boxed = self._task.around.boxed
            if passed_on and (by_tool or boxed):
                continue
            argued = (
                passed_on
                or (boxed and verdicts.others_spoke(moment, before))
                or verdicts.is_argued(told.text, answers, self._question.words, before)
            )
            finding = self._found_at("verdict-fed-back", moment, told.text, "medium" if argued else "critical")
            yes = phrases().praise.search(verdict) is not None
            yield verdicts.Remark(finding, right, yes, by_tool, " ".join(answers).strip().lower())

    def _annotator_steps(self) -> None:
        """A third of the annotator's wording, with most of two steps, in texts that repeat nothing.

        Of one step that is no sign: annotators quote the task's file, and a scaffold may put it into its prompt.
        """
        solution = None if self._task.gold is None else self._task.gold.annotator_steps
        steps = steps_of(solution, self._question.words)
        every = sorted(set().union(*steps))
        matcher = best_matcher(every)
        found: list[tuple[Told, set[bytes]]] = []
        for told in self._texts if len(steps) > 1 else ():
            rows = {every[number] for number in matcher.which(told.reading.words)}
            if len(rows) >= FEWEST_ROWS and not told.opening:
                before = [each.words for each in self._prompts.before(told)]
                rows = {row for row in rows if before and not any(row in words for words in before)}
            if len(rows) >= FEWEST_ROWS:
                found.append((told, rows))
        given = set().union(*(rows for _, rows in found))
        telling = any(map(self._key.is_own, given))
        for told, rows in found if telling and are_given(steps, given) else ():
            # in the middle of the work, nobody else was given it
            pieces = zip(told.reading.keys, told.reading.pieces, strict=False) if told.opening else ()
            keys = tuple(key for key, piece in pieces if any(row in piece for row in rows))
            self._suspicions.append(Suspicion(self._found_at("annotator-steps", told.moment), "steps", keys))

    def _found_at(self, rule: str, moment: Moment, shown: str = "", severity: Severity = "critical") -> Finding:
        """A finding; it shows the beginning of a remark, unless that has the answer: a report is for everybody."""
        shown = shown.replace(ASKED, " ")
        if self._answer is not None and self._answer.stands_in(reduce(excerpt(shown))):
            shown = ""
        finding = found(severity, rule, SUMMARIES[rule], shown, task_id=self._task.task_id, at=moment.step)
        return msgspec.structs.replace(finding, field="head")

    def _gold_found(self, moment: Moment, view: str | None = None) -> Finding:
        """A finding of the answer, with its place: in the head that the step has, or in the prompt as it was kept."""
        step, at = moment.step, moment.text.find((self._gold or "").strip())
        offset = len(to_bytes(moment.text[:at])) if at >= 0 else None
        finding = msgspec.structs.replace(self._found_at("gold-in-prompt", moment), offset=offset, view=view)
        if type(step) is Prompt and offset is not None and offset >= len(to_bytes(step.head)):
            return msgspec.structs.replace(finding, field=f"prompt {step.content_sha256[:16]}")
        return finding
