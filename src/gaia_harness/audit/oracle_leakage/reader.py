"""Looks at what one task was given and at what it was told of its answers, and notes what may mean something."""

from collections.abc import Sequence
from itertools import islice

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, excerpt
from gaia_harness.audit.oracle_leakage import given, verdicts
from gaia_harness.audit.oracle_leakage.golds import Answer, Golds
from gaia_harness.audit.oracle_leakage.notes import How, Note, Suspicion, packed
from gaia_harness.audit.oracle_leakage.phrases import phrases
from gaia_harness.audit.timeline import Moment, by_attempt
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import LlmCall, Prompt, ToolResultStep

MOST_REMEMBERED = 64
"""Readings of texts that are kept: most prompts are those of the task before."""

BRIEF = 600
"""Characters of a prompt within an attempt, beside the question, that is a remark. A longer one sums up the work, or
begins that of another agent."""

FEW_WORDS = 30
"""Words of a remark in which an answer says something that nothing announces."""

RELATED = 0.6
"""Share of the question's telling words that stand in other words: then these ask the same."""

SHORT_READING = 25
"""Words of something decoded: among so few even a small number was put there on purpose."""

MOST_FORMS, MOST_TOLD, MOST_LOOKED_BACK = 4_000, 200, 30
"""Pieces and texts of a task that are compared, and remarks for which all that went before is gone through."""

GRAM, LONG_STEP = 5, 8
"""Words in a row by which an annotator's step is known, and such rows of a step that nobody writes by chance."""

TOLD = "The model is told at the outset how earlier answers to its task were judged."
JUDGED = "{} tells the model how its answer was judged."
AGAIN = "The model had answered, and was asked again within the same attempt."
GIVEN = "The answer stands in what only this task was given beside its question."
LISTED = "A prompt that tasks were given has this task's answer in a table of answers."
DIGEST = "A prompt has a digest of the answer, by which every guess can be checked."
STEPS = "A prompt has the wording of the annotator's solution."
MISSING = "The model was asked, and what it was given is not recorded."
MASKED = "Something in a prompt is masked, so it could not be read."
NOT_KEPT = "A prompt is not kept whole, so it could not be looked at."


class Reader:
    """Reads the tasks of one run. What it remembers are readings of texts that many tasks were given."""

    def __init__(self, golds: Golds, *, prompts_unknown: bool) -> None:
        self.golds = golds
        self.prompts_unknown = prompts_unknown
        self._known: dict[str, given.Reading] = {}

    def reading(self, moment: Moment, text: str) -> given.Reading:
        """A text, read: by its hash if it is the whole of a prompt."""
        if type(moment.step) is not Prompt or text is not moment.text:
            return given.Reading(text, self.golds)
        name = moment.step.stored_sha256
        if name not in self._known:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[name] = given.Reading(text, self.golds)
        return self._known[name]


class TaskReader:
    """Reads one task, moment by moment."""

    def __init__(self, reader: Reader, task: TaskEvidence) -> None:
        self._reader, self._task, self._golds = reader, task, reader.golds
        number = self._golds.of_task.get(task.task_id)
        known = None if number is None else self._golds.answers[number]
        self._number = -1 if number is None else number
        self._answer: Answer | None = known if known is not None and known.forms else None
        self._gold = None if known is None else known.plain
        self._question = (task.question or "").strip()
        self._asked = reduce(self._question)
        self._telling = {word for word in self._asked.split() if len(word) >= verdicts.TELLING}
        self._in_question = self._answer is not None and self._answer.stands_in(self._asked)
        self._keys = given.keys_of(task.task_id, self._asked)
        self._file = self._has_file()
        self._forms: dict[int, None] = {}
        self._stands: dict[tuple[int, int], None] = {}
        self._suspicions: list[Suspicion] = []
        self._remarks: list[verdicts.Remark] = []
        self._answers: list[verdicts.Given] = []
        self._findings: list[Finding] = []
        self._told: list[tuple[Moment, given.Reading, Sequence[Moment], int]] = []
        self._not_kept = self._looked_back = 0

    def note(self) -> Note:
        """All that is noted of the task."""
        for attempt, moments in by_attempt(self._task.timeline):
            self._attempt(attempt, moments)
        self._steps()
        return Note(
            task_id=self._task.task_id,
            number=self._number,
            forms=packed(islice(self._forms, MOST_FORMS)),
            stands=tuple(self._stands),
            suspicions=tuple(self._suspicions),
            remarks=tuple(self._remarks),
            answers=tuple(self._answers),
            findings=tuple(self._findings),
            not_kept=self._not_kept,
        )

    def _has_file(self) -> bool:
        """Whether a file comes with the task: what stands in the prompt may stand in that."""
        if any(self._task.task_id in name for name in self._task.around.attachments):
            return True
        named = phrases().file
        prompts = (
            moment for moment in self._task.timeline if type(moment.step) is Prompt and moment.step.role == "user"
        )
        first = next(prompts, None)
        return named.search(self._question.lower()) is not None or (
            first is not None and named.search(self._rest(first.text).lower()) is not None
        )

    def _rest(self, text: str) -> str:
        """A prompt with a mark in the place of the question."""
        asked = self._question
        return text.replace(asked, f"\n{given.ASKED}\n") if asked and asked in text else text

    def _attempt(self, attempt: int, moments: Sequence[Moment]) -> None:
        answer: str | None = None  # the last that the model gave
        prompted, rounds, after = False, 0, ""
        for at, moment in enumerate(moments):
            step = moment.step
            if type(step) is Prompt and step.bytes:
                prompted = True
                self._kept(moment, step)
                rest = self._rest(moment.text)
                if not rest.replace(given.ASKED, "").strip():
                    continue
                if not after:
                    self._opening(moment, rest, attempt)
                    continue
                open = answer if after == "said" else None
                right, round = verdicts.is_right(open, self._gold), (attempt, rounds if open else 0)
                if len(rest) <= BRIEF:
                    self._within(moment, rest, moments, at)
                    self._remark(moment, rest, round, right, moments, at, open)
                elif open is not None:
                    finding = self._finding("medium", "asked-again", moment, AGAIN, rest)
                    self._remarks.append(verdicts.Remark(finding, round, right))
            elif type(step) is not Prompt:
                after = moment.origin
                if type(step) is LlmCall:
                    if not prompted and not self._reader.prompts_unknown:
                        self._add("high", "prompt-missing", moment, MISSING)
                    prompted = True
                    said = verdicts.answer_said(moment, step)
                    if said is not None:
                        answer, rounds = said, rounds + 1
                        self._answers.append(verdicts.Given((attempt, rounds), verdicts.is_right(said, self._gold)))
                elif type(step) is ToolResultStep and step.bytes <= verdicts.LONGEST_BY_TOOL:
                    self._by_tool(moment, moments, at)
        if answer is not None:
            self._answers.append(verdicts.Given((attempt, 0), verdicts.is_right(answer, self._gold)))

    def _kept(self, moment: Moment, step: Prompt) -> None:
        if step.redactions:
            self._add("medium", "prompt-masked", moment, MASKED)
        is_question = self._question.startswith(step.head[:-4]) and step.bytes <= len(to_bytes(self._question)) + 64
        if step.truncated and len(moment.text) <= len(step.head) and not is_question:
            self._not_kept += 1
            self._add("medium", "prompt-not-kept", moment, NOT_KEPT)

    # ---- what was given before the first word

    def _opening(self, moment: Moment, rest: str, attempt: int) -> None:
        reading = self._reader.reading(moment, rest)
        known, forms = set(self._forms) if attempt > 1 else set(), reading.forms
        if attempt > 1:
            if known.issuperset(forms):
                return
            self._again(moment, rest, attempt, known)
        self._forms.update(dict.fromkeys(forms))
        for number, at in reading.found:
            if (piece := reading.piece_at(at)) < len(forms):
                self._stands[number, forms[piece]] = None
        for line in verdicts.told_before(rest):
            finding = self._finding("critical", "verdict-fed-back", moment, TOLD, line)
            self._suspicions.append(Suspicion(finding, "told", tuple(given.Reading(line, self._golds).forms)))
        self._told.append((moment, reading, (), 0))
        if self._answer is not None:
            self._own(self._answer, moment, reading)
            self._solved(self._answer, moment, reading)
            self._listed(self._answer, moment, reading)

    def _own(self, answer: Answer, moment: Moment, reading: given.Reading) -> None:
        """The task's answer in a text: announced, in an example to another question, by itself, or in disguise."""
        forms = reading.forms
        if answer.has_digest_among(reading.digests, self._task.task_id):
            self._add("critical", "gold-digest", moment, DIGEST, view="digest")
        found: dict[How, list[int]] = {"announced": [], "example": [], "plain": []}
        if answer.stands_in(reading.words):
            for place in given.places(answer, reading.words, self._asked):
                piece = reading.piece_at(place.at + 1)
                if piece >= len(forms):
                    break
                if place.outright or (place.announced and not self._file):
                    easy = (answer.common or answer.is_word or answer.letters < 5) and not place.official
                    found["example" if easy and self._is_example(reading, piece) else "announced"].append(forms[piece])
                elif not self._in_question and not answer.is_of_calendar:
                    found["plain"].append(forms[piece])
        elif view := answer.hidden_in(reading.text.lower(), reading.words):
            self._suspect("hidden", moment, forms, forms, view)
        for how, where in found.items():
            if where:
                self._suspect(how, moment, where, forms)
        for view, each in reading.hidden:
            if answer.stands_in(each.words):
                short = each.words.count(b" ") <= SHORT_READING
                if short or any(place.announced for place in given.places(answer, each.words, self._asked)):
                    self._suspect("hidden", moment, forms, forms, view)

    def _is_example(self, reading: given.Reading, piece: int) -> bool:
        """Whether an announced answer is that of a solved example, to a question that is not the task's."""
        near = reading.pieces[max(0, piece - 4) : piece + 1]
        asks = any(each.split(maxsplit=1)[0] in phrases().asking for each in near)
        return asks and self._likeness(b" ".join(near)) < RELATED

    def _likeness(self, words: bytes) -> float:
        """The share of the question's telling words that stand in others."""
        return len(self._telling.intersection(words.split())) / len(self._telling) if self._telling else 0.0

    def _solved(self, answer: Answer, moment: Moment, reading: given.Reading) -> None:
        """The answer behind this very question, or behind the task's id: in a memory, an example, a table.

        What stands behind the question in the prompts of all tasks is noted, too: it is no answer to any.
        """
        found: list[int] = []
        for end in given.behind(reading, self._keys):
            first = reading.piece_at(end)
            forms = [given.form_behind(p) for p in reading.pieces[first : first + given.PIECES_NEAR]]
            self._forms.update(dict.fromkeys(forms))
            near = b" " + b" ".join(reading.words[end : end + 1_000].split()[: given.NEAR]) + b" "
            if not answer.common and not self._in_question and answer.stands_in(near):
                found += forms
        for place in given.places(answer, reading.words, self._asked):
            if place.outright or (place.announced and not self._file):
                before = reading.words[max(0, place.at - len(self._asked) - 200) : place.at + 1]
                if given.ASKED.encode() in before[-200:] or self._likeness(before) >= RELATED:
                    found.append(given.form_behind(reading.pieces[reading.piece_at(place.at + 1)]))
        if found:
            self._suspect("solved", moment, found, ())

    def _listed(self, answer: Answer, moment: Moment, reading: given.Reading) -> None:
        """A list of the answers of many tasks, in the open or packed."""
        for view, each in (("", reading), *reading.hidden):
            span = given.span_of_list(each, self._golds, telling=2 if view else given.TELLING)
            if span is not None and answer.stands_in(b" " + each.words[max(0, span[0] - 120) : span[1] + 240] + b" "):
                self._add("critical", "answer-table", moment, LISTED, view=view or None)

    def _again(self, moment: Moment, rest: str, attempt: int, known: set[int]) -> None:
        """What a later attempt is told that the first was not."""
        lines = ((line, given.Reading(line, self._golds).forms) for line in rest.splitlines()[: verdicts.MOST_LINES])
        fresh = "\n".join(line for line, forms in lines if not known.issuperset(forms))
        rights = {each.right for each in self._answers}
        right = rights.pop() if len(rights) == 1 else None
        self._remark(moment, fresh, (attempt - 1, 0), right, (), 0, None)

    # ---- what was given within an attempt

    def _within(self, moment: Moment, rest: str, moments: Sequence[Moment], at: int) -> None:
        """The task's answer in a remark, which the attempt has not met yet, or not as the answer."""
        reading = given.Reading(rest, self._golds)
        if len(self._told) < MOST_TOLD:
            self._told.append((moment, reading, moments, at))
        answer, words = self._answer, reading.words
        if answer is None:
            return
        found = [place for place in given.places(answer, words, self._asked) if place.announced]
        if not answer.stands_in(words) or (not found and (self._in_question or words.count(b" ") > FEW_WORDS)):
            return
        before = moments[:at] if self._may_look_back() else ()
        met = {each.origin for each in before if each.origin != "given" and answer.stands_in(each.words)}
        official = any(place.official for place in found)
        if "said" in met or (met and not official and not (answer.common and found)):
            return
        cut = any(type(each.step) is ToolResultStep and each.step.truncated and not each.step.body for each in before)
        known = (bool(met) or (cut and not official)) and verdicts.is_met(rest, answer.plain, self._asked, before)
        self._forms.update(dict.fromkeys(reading.forms))
        how: How = "announced" if found else "plain"
        self._suspect(how, moment, reading.forms, reading.forms, severity="medium" if known else "critical")

    def _may_look_back(self) -> bool:
        self._looked_back += 1
        return self._looked_back <= MOST_LOOKED_BACK

    def _remark(
        self,
        moment: Moment,
        rest: str,
        round: tuple[int, int],
        right: bool | None,
        moments: Sequence[Moment],
        at: int,
        answer: str | None,
    ) -> None:
        """What a prompt behind an answer, or before a later attempt, says about that answer."""
        said, known = verdicts.lower(rest.replace(given.ASKED, " ")), phrases()
        place, key = verdicts.verdict_in(said), verdicts.key_of(rest, answer or "")
        severity: Severity
        if place is not None:
            about = answer is not None or verdicts.of_answers(said, place)
            before = moments[:at] if self._may_look_back() else ()
            argued = verdicts.is_met(rest, answer or "", self._asked, before)
            severity = "medium" if argued or not about else "critical"
            yes = known.praise.search(said[slice(*place)]) is not None
            finding = self._finding(severity, "verdict-fed-back", moment, JUDGED.format("A prompt"), rest)
            self._remarks.append(verdicts.Remark(finding, round, right, key, yes))
        elif answer is not None or (not at and known.again.search(said)):
            severe = (known.again.search(said) and not known.form.search(said)) or len(said.split()) <= 3
            finding = self._finding("high" if severe else "medium", "asked-again", moment, AGAIN, rest)
            self._remarks.append(verdicts.Remark(finding, round, right, key))

    def _by_tool(self, moment: Moment, moments: Sequence[Moment], at: int) -> None:
        """What a tool says of an answer that it was given: no helper that looks, reads or searches is asked that."""
        if moment.role not in ("answer", "other"):
            return
        text, known = moment.text, phrases()
        answer, said = verdicts.answer_handed(moment.call), verdicts.lower(text)
        no = known.judged_no.search(said)
        if answer is None or reduce(answer) == reduce(text) or not (no or known.judged_yes.search(said)):
            return
        if known.form.search(said):
            return
        before = moments[:at] if self._may_look_back() else ()
        severity: Severity = "medium" if verdicts.is_met(text, answer, self._asked, before) else "critical"
        finding = self._finding(severity, "verdict-fed-back", moment, JUDGED.format("A tool"), text)
        right = verdicts.is_right(answer, self._gold)
        self._remarks.append(verdicts.Remark(finding, (0, 0), right, b"", no is None, by_tool=True))

    # ---- the annotator's steps

    def _steps(self) -> None:
        """The wording of the annotator's solution in what the task was given: half of a longer step, or of several."""
        gold = self._task.gold
        if gold is None or not gold.annotator_steps:
            return
        told, forms, where, long = 0, list[int](), None, False
        for line in gold.annotator_steps.splitlines()[:200]:
            words = reduce(line).split()
            grams = [b" " + b" ".join(words[at : at + GRAM]) + b" " for at in range(len(words) - GRAM + 1)]
            grams = [gram for gram in grams if gram not in self._asked]
            most = 0
            for moment, reading, moments, at in self._told if len(grams) >= 2 else ():
                if b"1" * GRAM not in b"".join([b"1" if word in reading.vocabulary else b"0" for word in words]):
                    continue
                there = [gram for gram in grams if gram in reading.words]
                there = [gram for gram in there if not any(gram in each.words for each in moments[:at])]
                most = max(most, len(there))
                where = where or (moment if there else None)
                if not at:
                    pieces = zip(reading.forms, reading.pieces, strict=False)
                    forms += [form for form, piece in pieces if any(gram in piece for gram in there)]
            share = most / max(1, len(grams))
            told += (2 if len(grams) >= 4 else 1) if share >= 0.5 else share >= 0.25
            long = long or (share >= 0.25 and len(grams) >= LONG_STEP)
        if told >= 2 and where is not None:
            finding = self._finding("critical" if told > 2 or long else "medium", "annotator-steps", where, STEPS)
            self._suspicions.append(Suspicion(finding, "steps", tuple(forms)))

    # ---- findings

    def _suspect(
        self,
        how: How,
        moment: Moment,
        where: Sequence[int],
        text: Sequence[int],
        view: str = "",
        severity: Severity = "critical",
    ) -> None:
        common = self._answer is None or self._answer.common
        finding = self._finding(severity, "gold-in-prompt", moment, GIVEN, view=view or None)
        forms = tuple(dict.fromkeys(where))
        self._suspicions.append(Suspicion(finding, how, forms, self._number, common, self._file, packed(text)))

    def _add(self, severity: Severity, rule: str, moment: Moment, summary: str, *, view: str | None = None) -> None:
        self._findings.append(self._finding(severity, rule, moment, summary, view=view))

    def _finding(
        self, severity: Severity, rule: str, moment: Moment, summary: str, text: str = "", view: str | None = None
    ) -> Finding:
        """One, with the place of the answer in its text; of a remark the beginning, unless that has the answer."""
        step, answer = moment.step, self._answer
        shown = excerpt(text.replace(given.ASKED, " "))
        if answer is not None and answer.stands_in(reduce(shown)):
            shown = ""  # a report is for everybody, the answer is not
        at = -1 if answer is None or text or not rule.startswith("gold") else moment.text.find(answer.plain)
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
            summary=summary,
            excerpt=shown,
        )
