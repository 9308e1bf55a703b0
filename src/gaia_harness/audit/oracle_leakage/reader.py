"""Looks at what one task was given and at what it was told of its answers, and notes what may mean something."""

import re
from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, islice
from os.path import commonprefix

from gaia_harness.audit.answer_key_reads import AnswerTables
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, excerpt
from gaia_harness.audit.gold_forms import GoldForms, gold_forms, places_in
from gaia_harness.audit.oracle_leakage import given, verdicts
from gaia_harness.audit.oracle_leakage.given import Golds, Reading
from gaia_harness.audit.oracle_leakage.notes import How, Note, Suspicion
from gaia_harness.audit.oracle_leakage.verdicts import phrases
from gaia_harness.audit.timeline import Moment, by_attempt, strings
from gaia_harness.evidence.wording import reduce
from gaia_harness.protocol import REMARKS, last_marked
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import LlmCall, Prompt, ToolResultStep

LONGEST_REMARK = 600  # characters beside the question; a longer prompt sums up the work, or begins another agent's
SHORT_READING = 25  # words of something decoded in which an answer was put on purpose
BEGINNING, FAR = 8, 200  # words of a question by which it is known, and bytes from there to its answer
PIECES_NEAR = 4  # behind a question
BETWEEN = 1  # words between a question and an answer right behind it, such as a label
RELATED, RESTATED = 0.6, 0.5  # share of the question's telling words in other words that ask the same, or answer it
MOST_KEYS, MOST_TEXTS = 4_000, 200  # pieces and texts of a task that are compared
MOST_LOOKED_BACK = 60  # times that all that went before a remark is gone through
MOST_LINES = 200  # of an annotator's solution
GRAM, FEW_GRAMS, MANY_GRAMS = 5, 3, 6  # words in a row as the annotator has them; rows that are medium, and critical

_NUMBERED = re.compile(r"\s*(?:step\s*)?\d+\s*[.:)]", re.IGNORECASE)

SUMMARIES = {
    "verdict-fed-back": "The model is told how its answer was judged, or earlier ones to its task.",
    "gold-in-prompt": "The answer stands in what only this task was given beside its question.",
    "answer-table": "A prompt that tasks were given has this task's answer in a table of answers.",
    "annotator-steps": "A prompt has the wording of the annotator's solution.",
    "prompt-missing": "The model was asked, and what it was given is not recorded.",
}


class TaskReader:
    """Reads one task, moment by moment."""

    def __init__(self, task: TaskEvidence, golds: Golds, tables: AnswerTables) -> None:
        self._task, self._golds, self._tables = task, golds, tables
        self._gold = gold = None if task.gold is None else task.gold.answer
        forms = None if gold is None else gold_forms(gold)
        self._answer = forms if forms is not None and forms.words else None
        self._question = (task.question or "").strip()
        self._asked = reduce(self._question)
        self._begin = b" " + b" ".join(self._asked.split()[:BEGINNING]) + b" "
        self._telling = {word for word in self._asked.split() if len(word) >= verdicts.TELLING}
        self._in_question = self._answer is not None and self._answer.stands_in(self._asked)
        self._keys: dict[int, None] = {}
        self._suspicions: list[Suspicion] = []
        self._remarks: list[verdicts.Remark] = []
        self._findings: list[Finding] = []
        self._texts: list[tuple[Moment, Reading, Sequence[Moment]]] = []
        self._not_kept = self._looked_back = 0

    def note(self) -> Note:
        """All that is noted of the task."""
        for _, moments in by_attempt(self._task.timeline):
            self._attempt(moments)
        self._steps()
        return Note(
            task_id=self._task.task_id,
            keys=array("Q", islice(self._keys, MOST_KEYS)).tobytes(),
            suspicions=tuple(self._suspicions),
            remarks=tuple(self._remarks),
            findings=tuple(self._findings),
            not_kept=self._not_kept,
        )

    def _attempt(self, moments: Sequence[Moment]) -> None:
        answer: str | None = None  # the last that the model gave
        prompted = opened = False
        after, answerable = "", True
        for at, moment in enumerate(moments):
            step = moment.step
            if type(step) is LlmCall:
                if not prompted and self._task.around.imported:
                    self._not_kept += 1  # nobody can record what another program's log does not have
                elif not prompted:
                    self._findings.append(self._finding("high", "prompt-missing", moment))
                prompted = True
                answer = last_marked(moment.text) or answer
            if type(step) is ToolResultStep and moment.call is not None and step.bytes <= LONGEST_REMARK:
                self._remark(moments, at, moment.text, strings(moment.call.args), by_tool=True)
            if type(step) is not Prompt:
                if opened or moment.origin != "said":  # a log may have the first prompt behind the first words
                    after, answerable = moment.origin, moment.origin == "said" or moment.role in ("answer", "other")
                continue
            prompted, opened = prompted or bool(step.bytes), True
            rest = self._rest(moment)
            self._not_kept += step.truncated and len(moment.text) <= len(step.head) and given.ASKED not in rest
            if not rest.replace(given.ASKED, "").strip() or moment.text in REMARKS:  # those are our own loop's
                continue
            if not after:
                self._opening(moment, given.reading_of(rest))
            elif len(rest) <= LONGEST_REMARK:
                self._within(moment, Reading(rest), self._before(moments, at))
                if answer or answerable:  # else nothing was answered that a verdict could be about
                    self._remark(moments, at, rest, [answer] if answer and after == "said" else [])

    def _rest(self, moment: Moment) -> str:
        """A prompt with a mark in the place of the question, however its lines are broken."""
        text, words = moment.text, self._question.split()
        if self._question in text or not all(map(text.__contains__, words)):
            return text.replace(self._question, f"\n{given.ASKED}\n") if words else text
        return re.sub(r"\s+".join(map(re.escape, words)), f"\n{given.ASKED}\n", text)

    # ---- what was given before the first word

    def _opening(self, moment: Moment, reading: Reading) -> None:
        if self._texts and self._keys.keys() >= set(reading.keys):  # as in the attempt before
            return
        for line in verdicts.lines_on_answers(reading.text, again=moment.step.attempt > 1):
            keys = Reading(line).keys
            if not self._keys.keys() >= set(keys):
                finding = self._finding("critical", "verdict-fed-back", moment, line)
                self._suspicions.append(Suspicion(finding, "judged_before", tuple(keys)))
        self._texts.append((moment, reading, ()))
        self._keys.update(dict.fromkeys(reading.keys))
        # what stands behind the question everywhere is no answer to any
        for at in places_in(reading.words, given.ASKED.encode()):
            first = reading.piece_at(at) + 1
            self._keys.update(
                dict.fromkeys(map(given.key_behind_question, reading.pieces[first : first + PIECES_NEAR]))
            )
        if self._answer is not None:
            self._find_answer(self._answer, moment, reading)
            listed = any(self._golds.are_listed(each.words, self._answer) for each in (reading, *reading.hidden))
            if listed or self._is_tabled(reading.text):
                self._findings.append(self._finding("critical", "answer-table", moment))

    def _is_tabled(self, text: str) -> bool:
        """Whether the answer stands behind the task's id: right behind it, or in a table with that of another task."""
        task_id, found = self._task.task_id, self._tables.find(text, "")
        return task_id in found and (len(found) > 1 or task_id in self._tables.find(text, task_id))

    def _find_answer(self, answer: GoldForms, moment: Moment, reading: Reading) -> None:
        """The task's answer in a text, by how it stands there."""
        keys = reading.keys
        found: dict[How, list[int]] = {"solved": [], "announced": [], "example": [], "plain": [], "inlined": []}
        concluding = self._concluding(answer, reading)
        is_example = cache(lambda first, last: self._is_example(reading.pieces[first:last]))  # a piece has many places
        for at, announced in given.places(answer, reading.words, self._asked):
            piece = reading.piece_at(at + 1)
            if piece >= len(keys):
                break
            behind = reading.words[max(0, at - 40) : at].rpartition(given.ASKED.encode())
            next_to = behind[1] and behind[2].count(b" ") <= (0 if answer.common else BETWEEN)
            if next_to or (announced and self._is_asked(reading, at)) or piece in concluding:
                found["solved"].append(given.key_behind_question(reading.pieces[piece]))
            if announced:
                easy = answer.common or answer.words[0].count(b" ") == 2
                example = easy and is_example(max(0, piece - 4), piece + 1)
                found["example" if example else "announced"].append(keys[piece])
            elif not (self._in_question or answer.of_calendar or is_example(piece, piece + 1)):
                found["inlined" if self._task.has_file else "plain"].append(keys[piece])
        for how, where in found.items():
            self._suspect(how, moment, where, keys)
        if any(code in reading.text for code in answer.codes) or reading.has_with_gaps(answer):
            self._suspect("hidden", moment, keys, (), "code")
        for each in reading.hidden:
            if each.words.count(b" ") <= SHORT_READING and answer.stands_in(each.words):
                self._suspect("hidden", moment, keys, (), "base64")

    def _concluding(self, answer: GoldForms, reading: Reading) -> set[int]:
        """The pieces that are called the answer, restate the question, which stands there twice, and end in it."""
        if reading.words.count(given.ASKED.encode()) < 2:
            return set()
        ending = (n for n, piece in enumerate(reading.pieces) if n and piece.endswith(answer.words))
        called = (n for n in ending if reading.pieces[n - 1].rsplit(maxsplit=1)[-1] in phrases().cues)
        return {n for n in called if self._likeness(reading.pieces[n]) >= RESTATED}

    def _is_example(self, pieces: Sequence[bytes]) -> bool:
        """Whether these ask a question that is not the task's."""
        asks = any(each.split(maxsplit=1)[0] in phrases().asking for each in pieces)
        return asks and self._likeness(b" ".join(pieces)) < RELATED

    def _likeness(self, words: bytes) -> float:
        """The share of the question's telling words that stand in others."""
        return len(self._telling.intersection(words.split())) / len(self._telling) if self._telling else 0.0

    def _is_asked(self, reading: Reading, at: int) -> bool:
        """Whether the task's question is asked before a place, as a whole, by its beginning or in other words."""
        start = max(0, at - len(self._asked) - FAR)
        words = reading.words[start : at + 1]
        copy, begun = words.rfind(given.ASKED.encode()), words.rfind(self._begin)
        row = commonprefix([words[begun:], self._asked])  # noqa: RUF071 - these are words and no paths
        end = copy if copy > begun else begun + len(row)
        if max(copy, begun) >= 0 and len(words) - end <= FAR:
            return not self._is_example(reading.pieces[reading.piece_at(start + end) + 1 : reading.piece_at(at + 1)])
        return self._likeness(words) >= RELATED

    # ---- what was given within an attempt

    def _within(self, moment: Moment, reading: Reading, before: Sequence[Moment]) -> None:
        """The task's answer in a remark, which the attempt has not met yet."""
        if len(self._texts) < MOST_TEXTS:
            self._texts.append((moment, reading, before))
        answer = self._answer
        if answer is None or answer.common or not answer.stands_in(reading.words):
            return
        if all(each.whole and not answer.stands_in(each.words) for each in before if each.origin != "given"):
            self._keys.update(dict.fromkeys(reading.keys))
            self._find_answer(answer, moment, reading)

    def _remark(
        self, moments: Sequence[Moment], at: int, rest: str, answers: Sequence[str], *, by_tool: bool = False
    ) -> None:
        """What a prompt behind an answer says about that answer, or a tool about what it was given."""
        moment, boxed = moments[at], self._task.around.boxed
        about_it = bool(answers) and moment.role in ("answer", "other")
        said = verdicts.lower(rest.replace(given.ASKED, " ")) if about_it or verdicts.may_judge(rest) else ""
        place = verdicts.verdict_in(said, about_it=about_it)
        if place is None or len("".join(answers)) > LONGEST_REMARK:
            return
        before = self._before(moments, at)
        if boxed and verdicts.is_passed_on(said, place, moment, before):
            return
        argued = not by_tool and verdicts.is_shown_again(rest, answers, self._asked, before)
        argued = argued or (boxed and verdicts.was_reviewed(answers, moment, before))
        finding = self._finding("medium" if argued else "critical", "verdict-fed-back", moment, rest)
        yes = phrases().praise.search(said[slice(*place)]) is not None
        self._remarks.append(verdicts.Remark(finding, verdicts.is_right(answers, self._gold), yes, by_tool))

    def _before(self, moments: Sequence[Moment], at: int) -> Sequence[Moment]:
        """What went before a remark; nothing, where there are very many of them."""
        self._looked_back += 1
        return moments[:at] if self._looked_back <= MOST_LOOKED_BACK else ()

    # ---- the annotator's steps

    def _steps(self) -> None:
        """The wording of the annotator's solution in what the task was given.

        Of one step alone that is no sign: annotators quote the task's file, and a scaffold may put it into its prompt.
        """
        gold = self._task.gold
        steps = _rows(gold.annotator_steps) if gold is not None and gold.annotator_steps else {}
        rows = {row: number for row, number in steps.items() if row not in self._asked}
        found = []
        for moment, reading, before in self._texts if rows else ():
            there = [row for row in rows if row in reading.words and not any(row in each.words for each in before)]
            if len(there) >= FEW_GRAMS:
                found.append((moment, reading, before, there))
        shown = Counter(rows[row] for *_, there in found for row in there)
        several = sum(count > 1 for count in shown.values()) > 1  # one row alone may be chance
        for moment, reading, before, there in found:
            pieces = zip(reading.keys, reading.pieces, strict=False)
            keys = () if before else (key for key, piece in pieces if any(row in piece for row in there))
            severity: Severity = "critical" if several and len(there) >= MANY_GRAMS else "medium"
            finding = self._finding(severity, "annotator-steps", moment)
            self._suspicions.append(Suspicion(finding, "steps", tuple(keys)))

    # ---- findings

    def _suspect(
        self, how: How, moment: Moment, where: Sequence[int], text: Sequence[int], view: str | None = None
    ) -> None:
        """Note in which pieces the answer stands, if in any."""
        if where:
            finding = self._finding("critical", "gold-in-prompt", moment, view=view)
            common = self._answer is None or self._answer.common
            packed = array("Q", text).tobytes()
            self._suspicions.append(Suspicion(finding, how, tuple(dict.fromkeys(where)), common, packed))

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


def _rows(solution: str) -> dict[bytes, int]:
    """The words in a row, as they stand in reduced text, of each line of a solution, and in which of its steps.

    Lines without a number belong to the step above, where any line has one.
    """
    rows: dict[bytes, int] = {}
    lines = solution.splitlines()[:MOST_LINES]
    begins = [_NUMBERED.match(line) is not None for line in lines]
    steps = accumulate(begins if any(begins) else [True] * len(lines))
    for step, line in zip(steps, lines, strict=True):
        words = reduce(line).split()
        for at in range(len(words) - GRAM + 1):
            rows[b" " + b" ".join(words[at : at + GRAM]) + b" "] = step
    return rows
