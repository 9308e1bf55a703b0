"""Looks at what one task was given, and told of its answers, and notes what may mean something."""

from collections.abc import Sequence

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, excerpt
from gaia_harness.audit.oracle_leakage import given, verdicts
from gaia_harness.audit.oracle_leakage.golds import Answer, Golds
from gaia_harness.audit.oracle_leakage.notes import How, Note, Suspicion, packed
from gaia_harness.audit.oracle_leakage.phrases import phrases
from gaia_harness.audit.timeline import Moment, by_attempt
from gaia_harness.evidence.wording import reduce
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import LlmCall, Prompt, Step, ToolResultStep

MOST_REMEMBERED = 64
"""Readings of texts that are kept: most prompts are those of the task before."""

BRIEF = 600
"""Characters of a prompt within an attempt, beside the question, that is a remark. What is longer sums up the work."""

RELATED = 0.6
"""Share of a sentence's telling words that stand in the question: then it asks the same."""

MOST_FORMS = 4_000
MOST_LINES = 400
MOST_LOOKED_BACK = 30
"""Remarks for which all that went before is gone through; an honest task hears a few."""

SHORT_READING = 25
"""Words of something decoded: among so few even a small number was put there on purpose."""

GRAM = 5
LONG_STEP = 8
"""Five-word rows of a step that nobody writes by chance."""

EXAMPLES = tuple(b" %b " % w for w in b"question q input problem example user who what which when where how".split())
"""Words that an example's question begins with, or that stand before it."""

TOLD = "The model is told at the outset how earlier answers to its task were judged."
SUMMARY = "The answer stands in what only this task was given beside its question."


class Reader:
    """Reads tasks of one run, one by one. What it remembers are readings of texts that many tasks were given."""

    def __init__(self, golds: Golds, *, prompts_unknown: bool) -> None:
        self._golds = golds
        self._prompts_unknown = prompts_unknown
        self._known: dict[str, given.Reading] = {}

    def read(self, task: TaskEvidence) -> Note:
        """All that is noted of a task."""
        return _Task(self, task).note()

    def reading(self, moment: Moment, text: str) -> given.Reading:
        """A text, read: by its hash if it is the whole of a prompt."""
        step = moment.step
        if type(step) is not Prompt or text is not moment.text:
            return given.Reading(text, self._golds)
        known = self._known.get(step.stored_sha256)
        if known is None:
            known = given.Reading(text, self._golds)
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[step.stored_sha256] = known
        return known


class _Task:
    def __init__(self, reader: Reader, task: TaskEvidence) -> None:
        self.reader = reader
        self.task = task
        self.golds = reader._golds
        self.number = self.golds.of_task.get(task.task_id)
        self.answer: Answer | None = None if self.number is None else self.golds.answers[self.number]
        self.question = (task.question or "").strip() or "\0"
        self.asked = reduce(self.question)
        self.in_question = self.answer is not None and self.answer.stands_in(self.asked)
        self.file = False
        self.forms: dict[int, None] = {}
        self.stands: dict[tuple[int, int], None] = {}
        self.suspicions: list[Suspicion] = []
        self.remarks: list[verdicts.Remark] = []
        self.answers: list[tuple[tuple[int, int], bool | None]] = []
        self.findings: list[Finding] = []
        self.not_kept = 0
        self.looked_back = 0
        self.keys = given.keys_of(task.task_id, self.question)
        self.told: list[tuple[Moment, given.Reading, Sequence[Moment]]] = []

    def note(self) -> Note:
        texts = [moment for moment in self.task.timeline if moment.origin == "given" and moment.text]
        self.file = self._has_file(texts)
        seen: set[str] = set()
        for attempt, moments in by_attempt(self.task.timeline):
            self._attempt(attempt, moments, seen)
        self._steps()
        return Note(
            self.task.task_id,
            self.number,
            packed(list(self.forms)[:MOST_FORMS]),
            tuple(self.stands),
            tuple(self.suspicions),
            tuple(self.remarks),
            tuple(self.answers),
            tuple(self.findings),
            not_kept=self.not_kept,
        )

    def _has_file(self, texts: Sequence[Moment]) -> bool:
        """Whether a file comes with the task: what stands in the prompt may stand in it."""
        known = phrases().file
        own = any(self.task.task_id in name for name in self.task.around.attachments)
        return (
            own
            or bool(known.search(self.question.lower()))
            or any(
                known.search(self._rest(moment.text).lower())
                for moment in texts
                if moment.step.role == "user"  # type: ignore[union-attr]
            )
        )

    def _rest(self, text: str) -> str:
        return text.replace(self.question, f"\n{given.ASKED}\n") if self.question in text else text

    def _attempt(self, attempt: int, moments: Sequence[Moment], seen: set[str]) -> None:
        begun, prompted, rounds = False, False, 0
        last: str | None = None  # the answer that stands open
        after = ""
        for at, moment in enumerate(moments):
            step = moment.step
            if type(step) is Prompt:
                if not step.bytes:
                    continue
                prompted = True
                self._kept(moment)
                new = step.content_sha256 not in seen
                seen.add(step.content_sha256)
                rest = self._rest(moment.text)
                if not begun:
                    if new and rest.strip():
                        known = set(self.forms)
                        self._opening(moment, rest)
                        if attempt > 1:
                            fresh = self._fresh(rest, known)
                            self._remark(moment, fresh, (attempt - 1, 0), self._last_right(), (), None)
                else:
                    if new and len(rest) <= BRIEF and rest.strip():
                        self._within(moment, rest, moments[:at])
                    if rest.strip() and (len(rest) <= BRIEF or last is not None):
                        answer = last if after == "said" else None
                        round = (attempt, rounds if answer else 0)
                        right = verdicts.right_or_not(answer, self._gold)
                        self._remark(moment, rest, round, right, moments[:at], answer)
                continue
            begun, after = True, moment.origin
            if type(step) is LlmCall:
                if not prompted and not self.reader._prompts_unknown:
                    prompted = True
                    summary = "The model was asked, and what it was given is not recorded."
                    self._say("high", "prompt-missing", step, summary)
                said = verdicts.answer_said(moment)
                if said is not None:
                    last, rounds = said, rounds + 1
                    self.answers.append(((attempt, rounds), verdicts.right_or_not(said, self._gold)))
            elif type(step) is ToolResultStep:
                self._by_tool(moment, moments[:at])
        if last is not None:
            self.answers.append(((attempt, 0), verdicts.right_or_not(last, self._gold)))

    def _fresh(self, text: str, known: set[int]) -> str:
        """The lines of a later attempt's opening that the first had not."""
        lines = ((line, given.Reading(line, self.golds).forms()) for line in text.splitlines()[:MOST_LINES])
        return "\n".join(line for line, forms in lines if not known.issuperset(forms))

    @property
    def _gold(self) -> str | None:
        return None if self.answer is None else self.answer.plain

    def _last_right(self) -> bool | None:
        """Whether the answers of earlier attempts were right; None where they differ."""
        rights = {right for _, right in self.answers}
        return rights.pop() if len(rights) == 1 else None

    def _kept(self, moment: Moment) -> None:
        step = moment.step
        assert type(step) is Prompt  # noqa: S101 - for the type checker
        if step.redactions:
            self._say("medium", "prompt-masked", step, "Something in a prompt is masked, so it could not be read.")
        if step.truncated and len(moment.text) <= len(step.head):
            if self.question.startswith(step.head[:-4]) and step.bytes <= len(to_bytes(self.question)) + 64:
                return  # it is the question, with the name of its file at most
            self.not_kept += 1
            self._say("medium", "prompt-not-kept", step, "A prompt is not kept whole, so it could not be looked at.")

    # ---- what was given before the first word

    def _opening(self, moment: Moment, rest: str) -> None:
        reading = self.reader.reading(moment, rest)
        forms = reading.forms()
        self.forms.update(dict.fromkeys(forms))
        for number, at in reading.found:
            piece = reading.piece_at(at)
            if piece < len(forms):
                self.stands[number, forms[piece]] = None
        for line in verdicts.told_before(rest):
            finding = self._finding("critical", "verdict-fed-back", moment, TOLD, line)
            self.suspicions.append(Suspicion(finding, "told", tuple(given.Reading(line, self.golds).forms())))
        self.told.append((moment, reading, ()))
        if self.answer is not None and self.answer.forms:
            self._own(moment, reading, forms)
            self._table(moment, reading, rest)

    def _own(self, moment: Moment, reading: given.Reading, forms: list[int]) -> None:
        answer = self.answer
        assert answer is not None
        assert self.number is not None
        text = reading.text
        if answer.has_digest_in(text, self.task.task_id):
            summary = "A prompt has a digest of the answer, by which every guess can be checked."
            self.findings.append(self._finding("critical", "gold-digest", moment, summary, view="digest"))
        if answer.stands_in(reading.words) and answer.is_whole_in(text):
            plain: list[int] = []
            announced: list[int] = []
            examples: list[int] = []
            for place in given.places(answer, reading.words):
                piece = min(reading.piece_at(place.at + 1), len(forms) - 1)
                if place.outright or (place.announced and not self.file):
                    easy = (answer.common or answer.is_word or answer.letters < 5) and not place.official
                    (examples if easy and self._to_another(reading, piece) else announced).append(forms[piece])
                elif not self.in_question and not answer.is_of_calendar:
                    plain.append(forms[piece])
            found: tuple[tuple[How, list[int]], ...]
            found = ("announced", announced), ("example", examples), ("plain", plain)
            for how, where in found:
                if where:
                    self._suspect(moment, how, where, forms)
        elif view := answer.hidden_in(text.lower(), reading.words):
            self._suspect(moment, "hidden", forms, forms, view)
        for view, each in self._views(reading):
            short = each.words.count(b" ") <= SHORT_READING and view not in ("reversed", "rot13")
            if answer.stands_in(each.words) and (short or any(p.announced for p in given.places(answer, each.words))):
                self._suspect(moment, "hidden", forms, forms, view)
        self._solved(moment, reading)

    def _suspect(
        self,
        moment: Moment,
        how: How,
        forms: Sequence[int],
        text: Sequence[int],
        view: str = "",
        severity: Severity = "critical",
    ) -> None:
        assert self.answer is not None
        assert self.number is not None
        finding = self._finding(severity, "gold-in-prompt", moment, SUMMARY, view=view or None)
        file = self.file and how == "plain"
        unique = tuple(dict.fromkeys(forms))
        self.suspicions.append(Suspicion(finding, how, unique, self.number, self.answer.common, file, packed(text)))

    def _to_another(self, reading: given.Reading, piece: int) -> bool:
        """Whether an announced answer is that of a solved example to a question that is not the task's."""
        near = reading.pieces[max(0, piece - 4) : piece + 1]
        return any(each.startswith(EXAMPLES) for each in near) and self._asks(b" ".join(near)) < RELATED

    def _asks(self, words: bytes) -> float:
        """The share of the question's telling words that stand in others."""
        own = {word for word in self.asked.split() if len(word) >= 4}
        return len(own.intersection(words.split())) / len(own) if own else 0.0

    def _solved(self, moment: Moment, reading: given.Reading) -> None:
        """The answer behind this very question, or behind the task's id: in a memory, an example, a table."""
        answer = self.answer
        assert answer is not None  # noqa: S101 - for the type checker
        found: list[int] = []
        for start, piece in given.behind(reading, self.keys):
            self.forms[given.form_of(b"?" + piece, masked=False)] = None
            near = b" " + b" ".join(reading.words[start : start + 1_000].split()[: given.NEAR]) + b" "
            if not answer.common and not self.in_question and answer.stands_in(near):
                found.append(given.form_of(b"?" + piece, masked=False))
        for place in given.places(answer, reading.words):
            if place.outright or (place.announced and not self.file):
                before = reading.words[max(0, place.at - len(self.asked) - 200) : place.at + 1]
                if given.ASKED.encode() in before[-200:] or self._asks(before) >= RELATED:
                    piece = reading.pieces[reading.piece_at(place.at + 1)]
                    found.append(given.form_of(b"?" + piece, masked=False))
        if found:
            self._suspect(moment, "solved", found, ())

    def _table(self, moment: Moment, reading: given.Reading, rest: str) -> None:
        """A list of the answers of many tasks, in the open or packed."""
        answer = self.answer
        assert answer is not None  # noqa: S101 - for the type checker
        summary = "A prompt that tasks were given has this task's answer in a table of answers."
        for view, each in (("", reading), *self._views(reading)):
            span = given.span_of_list(each, self.golds, telling=2 if view else given.TELLING)
            if span is None:
                continue
            near = each.words[max(0, span[0] - 120) : span[1] + 240]
            if answer.stands_in(b" " + near + b" "):
                self.findings.append(self._finding("critical", "answer-table", moment, summary, view=view or None))

    def _views(self, reading: given.Reading) -> list[tuple[str, given.Reading]]:
        if reading.hidden is None:
            reading.hidden = [(view, given.Reading(text, self.golds)) for view, text in given.hidden_texts(reading)]
        return reading.hidden

    # ---- what was given within an attempt

    def _within(self, moment: Moment, rest: str, before: Sequence[Moment]) -> None:
        """A remark within an attempt that announces the answer, which the attempt has not met yet."""
        self.told.append((moment, given.Reading(rest, self.golds), before))
        answer = self.answer
        if answer is None or not answer.forms or not answer.is_whole_in(rest):
            return
        words = reduce(rest)
        found = [place for place in given.places(answer, words) if place.announced]
        view = "" if found or answer.stands_in(words) else answer.hidden_in(rest.lower(), words)
        if not found and not view and (self.in_question or words.count(b" ") > 30 or not answer.stands_in(words)):
            return
        met = {each.origin for each in before if each.origin != "given" and answer.stands_in(each.words)}
        official = any(place.official for place in found)
        if "said" in met or (met and not official and not (answer.common and found)):
            return
        cut = any(type(each.step) is ToolResultStep and each.step.truncated and not each.step.body for each in before)
        known = (bool(met) or (cut and not official)) and self._is_met(rest, answer.plain, before)
        how: How = "hidden" if view else "announced" if found else "plain"
        forms = given.Reading(rest, self.golds).forms()
        self.forms.update(dict.fromkeys(forms))
        self._suspect(moment, how, forms, forms, view, "medium" if known else "critical")

    def _remark(
        self,
        moment: Moment,
        rest: str,
        round: tuple[int, int],
        right: bool | None,
        before: Sequence[Moment],
        answer: str | None,
    ) -> None:
        """What a prompt behind an answer, or before a later attempt, says about that answer."""
        said = verdicts.lower(rest.replace(given.ASKED, " "))
        place = verdicts.verdict_in(said)
        key = verdicts.key_of(rest, answer or "")
        if place is not None:
            severity: Severity = "critical"
            alone = before and phrases().alone.match(said)
            if len(rest) > BRIEF or (answer is None and not alone and not verdicts.of_answers(said, place)):
                severity = "medium"
            elif self._is_met(rest[:1_000], answer or "", before):
                severity = "medium"
            yes = phrases().praise.search(said[slice(*place)]) is not None
            summary = "A prompt tells the model how its answer was judged."
            finding = self._finding(severity, "verdict-fed-back", moment, summary, rest)
            self.remarks.append(verdicts.Remark(finding, round, right, key, yes))
        elif answer is not None or (not before and phrases().again.search(said)):
            severe = phrases().again.search(said) is not None and not phrases().form.search(said)
            severe = severe or len(said.split()) <= 3
            summary = "The model had answered, and was asked again within the same attempt."
            finding = self._finding("high" if severe else "medium", "asked-again", moment, summary, rest)
            self.remarks.append(verdicts.Remark(finding, round, right, key))

    def _by_tool(self, moment: Moment, before: Sequence[Moment]) -> None:
        """What a tool says of an answer that it was given: only one that hands in answers, or of no known kind."""
        answer = verdicts.answer_handed(moment.call)
        text = moment.text
        if answer is None or moment.role not in ("answer", "other") or len(text) > verdicts.LONGEST_BY_TOOL:
            return
        said = verdicts.lower(text)
        no, yes = phrases().judged_no.search(said), phrases().judged_yes.search(said)
        if reduce(answer) == reduce(text) or not (no or yes) or phrases().form.search(said):
            return
        severity: Severity = "medium" if self._is_met(text, answer, before) else "critical"
        finding = self._finding(
            severity, "verdict-fed-back", moment, "A tool tells the model how its answer was judged.", text
        )
        right = verdicts.right_or_not(answer, self._gold)
        outright = phrases().outright.search(said) is not None
        self.remarks.append(verdicts.Remark(finding, (0, 0), right, b"", not no, by_tool=True, outright=outright))

    def _is_met(self, text: str, answer: str, before: Sequence[Moment]) -> bool:
        self.looked_back += 1
        return self.looked_back <= MOST_LOOKED_BACK and verdicts.is_met(text, answer, self.asked, before)

    # ---- the annotator's steps

    def _steps(self) -> None:
        """The wording of the annotator's solution in what the task was given."""
        gold = self.task.gold
        if gold is None or not gold.annotator_steps:
            return
        told, forms, where, long = 0, list[int](), None, False
        for line in gold.annotator_steps.splitlines()[:200]:
            words = reduce(line).split()
            grams = [b" " + b" ".join(words[at : at + GRAM]) + b" " for at in range(len(words) - GRAM + 1)]
            grams = [gram for gram in grams if gram not in self.asked]
            if len(grams) < 2:
                continue
            there = 0
            for moment, reading, before in self.told:
                found = [gram for gram in grams if gram in reading.words]
                found = [gram for gram in found if not any(gram in each.words for each in before)] if before else found
                there = max(there, len(found))
                if found:
                    where = where or moment
                    if not before:
                        forms += [
                            f
                            for f, p in zip(reading.forms(), reading.pieces, strict=False)
                            if any(g in p for g in found)
                        ]
            share = there / len(grams)
            told += (2 if len(grams) >= 4 else 1) if share >= 0.5 else share >= 0.25
            long = long or (share >= 0.25 and len(grams) >= LONG_STEP)
        if told >= 2 and where is not None:
            severity: Severity = "critical" if told > 2 or long else "medium"
            summary = "A prompt has the wording of the annotator's solution."
            finding = self._finding(severity, "annotator-steps", where, summary)
            self.suspicions.append(Suspicion(finding, "steps", tuple(forms)))

    # ---- findings

    def _say(self, severity: Severity, rule: str, step: Step, summary: str) -> None:
        self.findings.append(
            Finding(
                severity=severity,
                rule=rule,
                task_id=self.task.task_id,
                attempt=step.attempt,
                seq=step.seq,
                field="head",
                summary=summary,
            )
        )

    def _finding(
        self, severity: Severity, rule: str, moment: Moment, summary: str, text: str = "", view: str | None = None
    ) -> Finding:
        """One, with the place of the answer in the text, and of a remark its beginning unless that has the answer."""
        step = moment.step
        shown = excerpt(text.replace(given.ASKED, " "))
        if self.answer is not None and self.answer.stands_in(reduce(shown)):
            shown = ""  # a report is for everybody, the answer is not
        at = moment.text.lower().find(self.answer.plain.lower()) if self.answer is not None and not text else -1
        offset = len(to_bytes(moment.text[:at])) if at >= 0 else None
        beyond = type(step) is Prompt and offset is not None and offset >= len(to_bytes(step.head))
        return Finding(
            severity=severity,
            rule=rule,
            task_id=self.task.task_id,
            attempt=step.attempt,
            seq=step.seq,
            field=f"prompt {step.content_sha256[:16]}" if beyond and type(step) is Prompt else "head",
            offset=offset,
            view=view,
            summary=summary,
            excerpt=shown,
        )
