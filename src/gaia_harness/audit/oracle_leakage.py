"""AUD-3: was the gold answer, or the annotator's steps, in what the agent was given? Was a verdict fed back to it?"""

import hashlib
from collections.abc import Sequence

import msgspec

from gaia_harness.answer_line import final_answer
from gaia_harness.audit import prompt_texts as texts
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.feedback import SHORT, asks_again, verdict_in
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.steps import LlmCall, Prompt, Step, ToolCallStep, ToolResultStep
from gaia_harness.evidence.wording import reduce

MOST_PROMPTS = 2_000
"""Prompts of one task that are read beyond those that the question explains; an attempt has about thirty turns."""

MOST_TEXTS = 50_000
"""Different texts that are remembered for a run: some hundred tasks have at most a few each."""

LONGEST_TEXT = 4 << 20
"""Of a standing prompt; real ones have some ten KB."""

TABLE = 3
"""Answers of different tasks in one text, by their weight, that make it a table of answers."""

SHORTEST_SOLUTION = 60
"""Bytes of reduced words: less cannot hold half of a step."""

COMMON = 0.1
"""Share of the other tasks' own prompts in which an answer also stands: then its being there says nothing."""


class _Text(msgspec.Struct):
    """A text that tasks were given beside their questions: by whom it was seen, what stands in it."""

    task_id: str
    shared: bool = False


class _Suspicion(msgspec.Struct):
    """A task's own answer in a text that it was given; whether it means something is known at the end."""

    finding: Finding
    text: bytes
    number: int
    certain: bool  # announced or hidden: not said by chance


class OracleLeakage:
    """Takes out what the task itself explains, and looks for answers, solutions and verdicts in the rest."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._findings = Findings()
        golds = {} if run.key is None else run.key.golds
        self._golds = golds
        self._finder = texts.AnswerFinder(texts.known_answers(golds))
        self._weights = [texts.weight(forms) for forms in self._finder.known.forms]
        self._texts: dict[bytes, _Text] = {}
        self._standing: dict[str, str | None] = {}
        self._read: dict[str, tuple[bytes, bytes, set[int]]] = {}
        self._suspicions: list[_Suspicion] = []
        self._given: dict[int, int] = {}  # in how many tasks' own texts an answer stands
        self._with_text = 0
        self._unseen = 0

    def look(self, task: TaskEvidence) -> None:
        """See what one task was given."""
        if task.trajectory is None:
            self._unseen += task.facts is not None or task.fault is not None
            return
        _Task(self, task).read(task.trajectory.steps)

    def conclude(self) -> Check:
        """Weigh what stands in prompts against how often it stands in those of other tasks."""
        for suspicion in self._suspicions:
            text = self._texts.get(suspicion.text)
            others = self._given.get(suspicion.number, 1) - 1
            rare = others <= COMMON * max(0, self._with_text - 1)
            if (text is None or not text.shared) and (suspicion.certain or rare):
                self._findings.add(suspicion.finding)
        gaps = []
        if self._run.key is None or not self._golds:
            gaps.append("the answers are not at hand")
        elif self._run.dataset is None:
            gaps.append("the annotators' steps are not at hand: name the data set")
        if not self._run.facts.record_evidence:
            gaps.append("no evidence was recorded")
        elif self._unseen:
            gaps.append(f"{self._unseen} tasks have no trajectory that could be read")
        return self._findings.check("AUD-3", "oracle-leakage", harness_gap="; ".join(gaps) or None)

    # what the task readers share

    def standing(self, step: Prompt) -> str | None:
        """The full text of a system prompt or tool catalogue; None where it is not kept."""
        if step.content_sha256 not in self._standing:
            text: str | None = None
            try:
                if step.bytes <= LONGEST_TEXT:
                    text = self._run.prompts.get(step.content_sha256).decode("utf-8", "replace")
            except EvidenceError:
                text = None
            if len(self._standing) >= 256:  # a run of ours has two
                return text
            self._standing[step.content_sha256] = text
        return self._standing[step.content_sha256]

    def answers_in(self, text: str) -> tuple[bytes, bytes, set[int]]:
        """The reduced words of a text, the hash that it is known by, and the answers that stand in it.

        The last few texts are remembered: most prompts are those of the task before.
        """
        known = self._read.get(text)
        if known is None:
            words = reduce(text)
            known = words, hashlib.blake2b(words, digest_size=12).digest(), self._finder.find(words)
            if len(self._read) >= 64:
                self._read.clear()
            self._read[text] = known
        return known

    def is_shared(self, key: bytes) -> bool:
        """Whether a text is known to be that of several tasks: then it is nothing that one alone was given."""
        text = self._texts.get(key)
        return text is not None and text.shared

    def seen(self, key: bytes, task_id: str) -> bool:
        """Whether a text was seen before; that another task has it too is noted."""
        known = self._texts.get(key)
        if known is None:
            if len(self._texts) < MOST_TEXTS:
                self._texts[key] = _Text(task_id)
            return False
        known.shared = known.shared or known.task_id != task_id
        return True

    def add(self, finding: Finding) -> None:
        """Take a finding."""
        self._findings.add(finding)

    def suspect(self, suspicion: _Suspicion) -> None:
        """Take something that may mean nothing."""
        if len(self._suspicions) < MOST_TEXTS:
            self._suspicions.append(suspicion)

    def stands(self, numbers: set[int]) -> None:
        """Note which answers stand in what one task alone was given."""
        self._with_text += 1
        for number in numbers:
            self._given[number] = self._given.get(number, 0) + 1

    def table(self, text: str, place: Finding) -> None:
        """Look for a table of answers in a text, also in an encoded one."""
        finder = self._finder
        for view, reading in texts.readings(text):
            words = reduce(reading)
            listed = finder.beside_ids(words)
            found = {
                number
                for number in finder.find(words)
                if self._weights[number] == 2 or (view and self._weights[number])
            }
            score = sum(self._weights[number] for number in found) / 2
            if listed or score >= TABLE or (view and view not in ("rot13", "reversed") and score >= 2):
                for number in sorted(listed or found):
                    for task_id in finder.known.tasks[number][:5]:
                        self.add(
                            msgspec.structs.replace(
                                place,
                                task_id=task_id,
                                severity="critical",
                                rule="answer-table",
                                view=view or None,
                                summary="A prompt that tasks were given has this task's answer in a table of answers.",
                            )
                        )
                return

    @property
    def finder(self) -> texts.AnswerFinder:
        """What finds answers."""
        return self._finder

    def weight(self, number: int) -> int:
        """How much an answer says by standing somewhere."""
        return self._weights[number]


class _Task:
    """Reads the prompts of one task."""

    def __init__(self, check: OracleLeakage, task: TaskEvidence) -> None:
        self.check = check
        self.task = task
        self.own = check.finder.known.numbers.get(task.task_id)
        self.explained: frozenset[str] | None = None
        self.question_sha256 = hashlib.sha256((task.question or "").encode("utf-8", "surrogatepass")).hexdigest()
        self.read_prompts = 0
        self.given: set[int] = set()
        self.solution: list[list[bytes]] | None = None
        self.has_own_text = False
        self.searched = 0
        self.said: set[int] = set()  # attempts in which the answer stood in the model's words or a tool's

    def read(self, steps: Sequence[Step]) -> None:
        first: dict[int, list[tuple[str, str]]] = {}
        prompted: set[int] = set()
        missing: set[int] = set()
        previous: Step | None = None
        for step in steps:
            if type(step) is Prompt:
                if step.bytes:
                    prompted.add(step.attempt)
                    if step.turn == 1:
                        first.setdefault(step.attempt, []).append((step.role, step.content_sha256))
                    self.prompt(step, steps, previous)
            elif type(step) is LlmCall:
                if step.attempt not in prompted and step.attempt not in missing:
                    missing.add(step.attempt)
                    self.say(
                        "high", "prompt-missing", step, "The model was asked, and what it was given is not recorded."
                    )
                previous = step
            elif type(step) is ToolCallStep:
                previous = step
        if len(first) > 1 and len(set(map(tuple, first.values()))) > 1:
            self.check.add(
                Finding(
                    severity="medium",
                    rule="attempts-differ",
                    task_id=self.task.task_id,
                    summary="Attempts at the same task did not begin with the same prompts.",
                )
            )
        if self.has_own_text:
            self.check.stands(self.given)

    def prompt(self, step: Prompt, steps: Sequence[Step], previous: Step | None) -> None:
        if step.content_sha256 == self.question_sha256 and self.task.question:
            self.repeated(step, previous, "")
            return
        text: str | None = step.head
        if step.truncated:
            text = self.check.standing(step)
            if text is None:
                if self.explained is None:
                    self.explained = texts.question_hashes(self.task.question or "")
                if step.content_sha256 in self.explained:
                    return
            if text is None:
                self.say("medium", "prompt-not-kept", step, "A prompt is not kept whole, so it could not be looked at.")
                text = step.head
        assert text is not None  # noqa: S101 - for the type checker
        self.read_prompts += 1
        if self.read_prompts > MOST_PROMPTS:
            if self.read_prompts == MOST_PROMPTS + 1:
                self.say(
                    "high",
                    "prompts-unread",
                    step,
                    "There are more prompts than any honest task has; not all were read.",
                )
            return
        rest = texts.rest_of(text, self.task.question)
        self.repeated(step, previous, rest)
        if rest.strip():
            self.rest(step, rest, steps)

    def repeated(self, step: Prompt, previous: Step | None, rest: str) -> None:
        """What a prompt behind an answer, or before a later attempt, says about that answer."""
        if step.turn == 1 and step.attempt == 1:
            return
        answered = step.turn > 1 and isinstance(previous, LlmCall) and final_answer(previous.head) is not None
        if step.role in ("system", "tools") and step.turn == 1 and len(rest) > 500:
            return  # the standing instructions, which speak of right and wrong answers in general
        place = verdict_in(rest) if rest.strip() else None
        if place is not None:
            self.say(
                "critical",
                "verdict-fed-back",
                step,
                "A prompt tells the model how its answer was judged.",
                rest,
                place[0],
            )
        elif answered:
            severe = asks_again(rest) or len(rest.split()) <= SHORT
            self.say(
                "high" if severe else "medium",
                "asked-again",
                step,
                "The model had answered, and was asked again within the same attempt.",
                rest,
            )
        elif step.turn == 1 and rest.strip() and asks_again(rest):
            self.say("high", "asked-again", step, "A later attempt is told about the earlier ones.", rest)

    def rest(self, step: Prompt, rest: str, steps: Sequence[Step]) -> None:
        """What stands in a prompt beside the question."""
        place = Finding(
            severity="critical",
            rule="",
            summary="",
            task_id=self.task.task_id,
            attempt=step.attempt,
            seq=step.seq,
            field="head",
        )
        words, key, found = self.check.answers_in(rest)
        if not self.check.seen(key, self.task.task_id):
            self.check.table(rest, place)
        self.given |= found
        self.has_own_text = True
        gold = self.task.gold
        if gold is None:
            return
        if gold.annotator_steps and len(words) > SHORTEST_SOLUTION:
            if self.solution is None:
                self.solution = texts.solution_of(gold.annotator_steps, self.task.question)
            if texts.is_told(self.solution, words):
                self.check.add(
                    msgspec.structs.replace(
                        place,
                        rule="annotator-steps",
                        summary="A prompt has the wording of the annotator's solution.",
                    )
                )
        if not self.check.is_shared(key):
            self.own_answer(step, rest, words, key, found, place, steps)

    def own_answer(
        self, step: Prompt, rest: str, words: bytes, key: bytes, found: set[int], place: Finding, steps: Sequence[Step]
    ) -> None:
        own, gold = self.own, self.task.gold
        if own is None or gold is None:
            return
        forms, weight = self.check.finder.known.forms[own], self.check.weight(own)
        standing = step.role in ("system", "tools")
        view, certain = "", False
        if own in found or (len(forms.parts) > 2 and forms.stands_in(words)):
            number = gold.answer.strip().replace(",", "").replace(".", "").isdigit()
            if number and not texts.whole_number(gold.answer, rest):
                return
            certain = texts.announced(forms, words)
            in_question = forms.stands_in(reduce(self.task.question or ""))
            if not certain and (in_question or weight < (2 if standing else 1)):
                return
        else:
            view = self.hidden(rest, gold.answer)
            certain = True
            if not view:
                return
        if step.turn > 1 and self.said_before(step, steps, forms.words):
            return  # the model's own words, or what a tool gave it, said again
        self.check.suspect(
            _Suspicion(
                msgspec.structs.replace(
                    place,
                    rule="gold-in-prompt",
                    view=view or None,
                    summary="The answer stands in what only this task was given beside its question.",
                ),
                key,
                own,
                certain,
            )
        )

    def hidden(self, rest: str, answer: str) -> str:
        """By which encoding an answer is hidden in a text; nothing where it is not."""
        if len(answer.strip()) >= 4:
            lower = rest.lower()
            if any(code.lower() in lower for code in texts.short_codes(answer)):
                return "encoded"
        forms = self.check.finder.known.forms[self.own or 0]
        if texts.weight(forms) == 0:
            return ""
        bare = texts.squeezed(answer)
        if len(bare) >= 8 and bare in texts.squeezed(rest):
            return "spaced"
        for name, reading in texts.readings(rest):
            if name and len(bare) >= 6 and forms.stands_in(reduce(reading)):
                return name
        return ""

    def said_before(self, step: Prompt, steps: Sequence[Step], forms: tuple[bytes, ...]) -> bool:
        for earlier in steps[self.searched : step.seq]:
            if earlier.attempt not in self.said and isinstance(earlier, LlmCall | ToolResultStep):
                words = reduce(earlier.head)
                if any(form in words for form in forms):
                    self.said.add(earlier.attempt)
        self.searched = max(self.searched, step.seq)
        return step.attempt in self.said

    def say(self, severity: Severity, rule: str, step: Step, summary: str, text: str = "", start: int = 0) -> None:
        piece = excerpt(text, max(0, start - 40))
        if self.own is not None and self.check.finder.known.forms[self.own].stands_in(reduce(piece)):
            piece = ""  # a report is for everybody, the answer is not
        self.check.add(
            Finding(
                severity=severity,
                rule=rule,
                task_id=self.task.task_id,
                attempt=step.attempt,
                seq=step.seq,
                field="head",
                summary=summary,
                excerpt=piece,
            )
        )
