"""The prompts of a run together: texts that its tasks share, answers in them, and what is suspicious."""

import hashlib
from collections.abc import Iterator

import msgspec

from gaia_harness.audit import answer_lists
from gaia_harness.audit import hidden_texts as hidden
from gaia_harness.audit import prompt_places as places
from gaia_harness.audit import prompt_texts as texts
from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.feedback import is_general, is_of_this
from gaia_harness.audit.findings import Check, Finding, Findings, Severity
from gaia_harness.audit.given_texts import GivenTexts, Place, Weights
from gaia_harness.audit.judging_tools import ToolWeights, judging_tools
from gaia_harness.audit.solved_examples import Shown, is_chosen
from gaia_harness.audit.verdict_weights import VerdictWeights
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.wording import reduce
from gaia_harness.protocol import STANDING_ROLES
from gaia_harness.records.origin import is_unknown
from gaia_harness.records.steps import Prompt

MOST_SUSPICIONS = 50_000
MOST_REMEMBERED = 64
"""Texts whose answers are remembered: a run of ours has two that stand in every task."""

LONGEST_TEXT = 4 << 20
"""Of a standing prompt; real ones have some ten KB."""

MOST_READ, READ_A_BYTE = 16 << 20, 4
"""Characters of prompts that are read for a whole run, and so many more for each byte of its trajectories: a prompt
that is kept once can be named by every step."""

TABLE = 3
"""Answers of different tasks in one text, by their weight, that make it a table of answers."""

SHORTEST_TABLE = 24
"""Characters of something decoded: fewer hold no two answers with what they belong to."""

COMMON = 0.1
"""Share of the other tasks' own prompts in which an answer also stands: then its being there says nothing."""

STANDING = 0.5
"""Share of the tasks that were given the same line about earlier answers: then it speaks of answers in general."""

SHARED_ADVICE = 3
"""Tasks that were given the same text: what stands there of somebody's steps may be how one works."""

WHOLE_STEPS = 0.6
"""Share of a solution's wording, from which on it is that solution, whoever was given it."""


class Given(msgspec.Struct):
    """A text that a task was given beside its question: its words, the key it is known by, the answers in it."""

    words: bytes
    key: bytes
    found: set[int]
    vocabulary: frozenset[bytes] = frozenset()
    decoded: list[tuple[str, bytes]] | None = None  # the words of its readings, once somebody has asked
    digests: tuple[str, ...] | None = None  # what in it may be one, likewise


class Suspicion(msgspec.Struct):
    """A task's own answer in a text that it was given; whether it means something is known at the end."""

    finding: Finding
    place: Place
    number: int
    certain: bool  # announced or hidden: not said by chance
    weak: bool  # so common that it means something only in a remark for this task
    standing: bool
    may_be_in_file: bool = False  # the task has a file, and nothing says that this is its answer
    shown: Shown | None = None  # it is the answer of a solved example, to another question


class GivenTable(msgspec.Struct):
    """A text, the tasks that were given it, and the answers in it that may be a table."""

    tasks: set[str]
    answers: tuple[tuple[int, Finding], ...]
    standing: bool


class PromptBook:
    """What is known of all prompts of a run; tasks are put down in it one after another."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self.bodies = run.bodies
        self._findings = Findings()
        golds = {} if run.key is None else run.key.golds
        self.finder = texts.AnswerFinder(texts.known_answers(golds), run.questions)
        self.weights = [texts.weight(forms) for forms in self.finder.known.forms]
        self.given = GivenTexts()
        self._standing: dict[str, str | None] = {}
        self._read: dict[str, Given] = {}
        self._given_tables: dict[bytes, GivenTable] = {}
        self._catalogues: set[str] = set()
        self._suspicions: list[Suspicion] = []
        self._stands: dict[int, int] = {}  # in how many tasks' texts an answer stands
        self._with_text = 0
        self._told: dict[str, list[Finding]] = {}  # by a line about earlier answers
        self.verdicts = VerdictWeights()
        self.tools = ToolWeights()
        self._told_lines = 0
        self._advice: list[tuple[Finding, bytes]] = []
        self.with_file: set[str] = set()
        self.not_kept = 0
        trajectories = run.folder / "trajectories.jsonl"
        self._room = MOST_READ + READ_A_BYTE * (trajectories.stat().st_size if trajectories.exists() else 0)

    def may_read(self, size: int) -> bool:
        """Whether so many characters more of prompts are read."""
        self._room -= size
        return self._room >= 0

    def check(self, gap: str | None) -> Check:
        """Weigh what stands in prompts against how often it stands in those of other tasks."""
        weights = self.given.weigh(suspicion.place for suspicion in self._suspicions)
        for suspicion in self._suspicions:
            place = suspicion.place
            others = self._stands.get(suspicion.number, 1) - 1
            rare = others <= COMMON * max(0, self._with_text - 1)
            if suspicion.shown is not None and self.weights[suspicion.number] < 2:
                if weights.own(place):
                    severity: Severity = "critical" if self._is_chosen(suspicion.shown) else "medium"
                    self._findings.add(msgspec.structs.replace(suspicion.finding, severity=severity))
                continue
            if suspicion.certain:
                told = weights.own(place)
            elif suspicion.weak:
                told = weights.own_piece(place) and weights.is_brief(place)
            elif suspicion.standing and self.weights[suspicion.number] < 2:
                told = weights.own_piece(place) and weights.is_brief(place)
                if not told and rare and weights.own_piece(place) and self._is_added(suspicion, weights):
                    # among many words one may stand by chance; a person may know why this task was given them
                    self._findings.add(msgspec.structs.replace(suspicion.finding, severity="high"))
            else:
                told = rare and weights.own_piece(place)
            if told and suspicion.may_be_in_file and not weights.is_brief(place):
                # most agents show the model what is in the task's file
                self._findings.add(msgspec.structs.replace(suspicion.finding, severity="medium"))
                continue
            if told:
                self._findings.add(suspicion.finding)
        for line, findings in self._told.items():
            tasks = {finding.task_id for finding in findings if finding.task_id is not None}
            if len(tasks) > max(2, STANDING * self._with_text):
                continue
            # a lesson from other questions is shown to those that it may serve, and names no answer to them
            others = len({self.finder.known.numbers.get(task_id) for task_id in tasks}) > 1
            lesson = is_general(line) or (others and not is_of_this(line))
            for finding in findings:
                severity = "medium" if lesson else "critical"
                self._findings.add(msgspec.structs.replace(finding, severity=severity))
        for finding, key in self._advice:
            if self.given.tasks_with(key) >= SHARED_ADVICE:
                finding = msgspec.structs.replace(finding, severity="medium")
            self._findings.add(finding)
        for finding in (*self._tables(), *self.verdicts.findings(), *self.tools.findings()):
            self._findings.add(finding)
        return self._findings.check("AUD-3", "oracle-leakage", harness_gap=gap)

    def _is_chosen(self, shown: Shown) -> bool:
        known = self.finder.known
        light = {
            task_id: number
            for task_id, number in known.numbers.items()
            if self.weights[number] < 2 and texts.is_number(known.answers[number]) is shown.kind
        }
        every = [each.shown for each in self._suspicions if each.shown is not None]
        return is_chosen(every, shown.kind, light)

    def _is_added(self, suspicion: Suspicion, weights: Weights) -> bool:
        """Whether a system prompt is that of the other tasks, but for what has the answer: no file explains it."""
        return suspicion.finding.task_id not in self.with_file and weights.is_added_to_the_usual(suspicion.place)

    @property
    def prompts_unknown(self) -> bool:
        """Whether nobody kept what was put before the model; who records live knows some of it at least."""
        origin = self._run.facts.origin
        return is_unknown(origin, "prompts") and origin is not msgspec.UNSET and origin.kind == "imported"

    def standing(self, step: Prompt) -> str | None:
        """The full text of a system prompt or tool catalogue; None where it is not kept."""
        if step.content_sha256 not in self._standing:
            text: str | None = None
            try:
                if step.bytes <= LONGEST_TEXT:
                    text = self._run.prompts.get(step.stored_sha256).decode("utf-8", "replace")
            except EvidenceError:
                text = None
            if len(self._standing) >= 256:  # a run of ours has two
                return text
            self._standing[step.content_sha256] = text
        return self._standing[step.content_sha256]

    def read(self, name: str | None, text: str) -> Given:
        """A text, as it is weighed. By its hash some are remembered: most prompts are those of the task before."""
        known = None if name is None else self._read.get(name)
        if known is None:
            words = reduce(text)
            key = hashlib.blake2b(words, digest_size=12).digest()
            known = Given(words, key, self.finder.find(words), frozenset(words.split()))
            if name is not None and len(self._read) < MOST_REMEMBERED:
                self._read[name] = known
        return known

    def add(self, finding: Finding) -> None:
        """Take a finding."""
        self._findings.add(finding)

    def suspect(self, suspicion: Suspicion) -> None:
        """Take something that may mean nothing."""
        if len(self._suspicions) < MOST_SUSPICIONS:
            self._suspicions.append(suspicion)

    def told(self, finding: Finding, line: str) -> None:
        """Take a line about earlier answers; whether it is for this task alone is known at the end."""
        self._told_lines += 1
        if self._told_lines <= MOST_SUSPICIONS:
            self._told.setdefault(line.strip(), []).append(finding)

    def steps(self, finding: Finding, given: Given, solution: list[list[bytes]], met: frozenset[bytes]) -> None:
        """Take the wording of an annotator's steps; whether it is what any advice says is known at the end."""
        grams = [gram for each in solution for gram in each]
        if sum(gram in given.words and gram not in met for gram in grams) >= WHOLE_STEPS * len(grams):
            self.add(finding)
        elif len(self._advice) < MOST_SUSPICIONS:
            self._advice.append((finding, given.key))

    def stands(self, numbers: set[int]) -> None:
        """Note which answers stand in what one task alone was given."""
        self._with_text += 1
        for number in numbers:
            self._stands[number] = self._stands.get(number, 0) + 1

    def table(self, step: Prompt, text: str, key: bytes, task_id: str) -> None:
        """Look for a table of answers in a text that a task was given, also in an encoded one; once in each."""
        given = self._given_tables.get(key)
        if given is not None:
            given.tasks.add(task_id)
        elif len(self._given_tables) < MOST_SUSPICIONS:
            self._given_tables[key] = GivenTable({task_id}, self._tables_in(step, text), step.role in STANDING_ROLES)

    def _tables_in(self, step: Prompt, text: str) -> tuple[tuple[int, Finding], ...]:
        finder = self.finder
        for view, reading in (("", text), *hidden.blocks(text), *_whole_readings(text)):
            if view and len(reading) < SHORTEST_TABLE:
                continue
            words = reduce(reading)
            listed = finder.beside_ids(words)
            asked = finder.beside_questions(words)
            if len(asked) > 1 or any(self.weights[number] for number in asked):
                listed |= asked
            # a catalogue is JSON in itself; what stands there in base64 was meant to be hidden
            coded = not hidden.ESCAPES.issuperset(view.split("+"))
            standing = finder.find(words)
            found = {number for number in standing if self.weights[number] >= (1 if coded else 2)}
            score = sum(self.weights[number] for number in found) / 2
            sure = bool(listed) or (coded and score >= 2)
            possible = score >= TABLE
            if len(standing) >= answer_lists.FEW_TELLING:
                lists = answer_lists.listed(reading, finder, self.weights, sure=sure)
                if lists.made and not sure:
                    lists, sure = answer_lists.listed(reading, finder, self.weights, sure=True), True
                found |= lists.possible
                possible = possible or bool(lists.possible)
                listed = listed | lists.made if listed else listed
            if sure or possible:
                numbers = sorted(listed or found)
                severity: Severity = "critical" if sure else "medium"
                return tuple((number, self._in_table(step, text, view, number, severity)) for number in numbers)
        return ()

    def _in_table(self, step: Prompt, text: str, view: str, number: int, severity: Severity) -> Finding:
        place = None if view else places.sentence_in(text, self.finder.known.forms[number].stands_in)
        return Finding(
            severity=severity,
            rule="answer-table",
            field=f"prompt {step.content_sha256[:16]}",
            offset=None if place is None else places.in_bytes(text, place.at),
            view=view or None,
            summary="A prompt that tasks were given has this task's answer in a table of answers."
            if severity == "critical"
            else "A prompt that tasks were given has answers of several of them; it may be a list of its own kind.",
        )

    def _tables(self) -> Iterator[Finding]:
        """The tables, for those whose answer is in one that they were given."""
        for table in self._given_tables.values():
            for number, finding in table.answers:
                had = [task_id for task_id in self.finder.known.tasks[number] if task_id in table.tasks]
                for task_id in had[:5]:
                    explained = not table.standing and len(table.tasks) == 1 and task_id in self.with_file
                    severity: Severity = "medium" if explained else finding.severity
                    yield msgspec.structs.replace(finding, task_id=task_id, severity=severity)

    def catalogue(self, step: Prompt, text: str) -> None:
        """Look for a tool that judges answers among those that are offered; once in each catalogue."""
        if step.content_sha256 in self._catalogues:
            return
        if len(self._catalogues) < MOST_REMEMBERED:
            self._catalogues.add(step.content_sha256)
        for name, severity in judging_tools(text):
            self.add(
                Finding(
                    severity=severity,
                    rule="verdict-tool",
                    field=f"prompt {step.content_sha256[:16]}",
                    offset=None if (at := text.find(f'"{name}"')) < 0 else places.in_bytes(text, at),
                    summary=f"The model is offered a tool that judges answers: {name[:40]!a}.",
                )
            )


def _whole_readings(text: str) -> list[tuple[str, str]]:
    lines: dict[str, list[str]] = {}
    for name, reading in hidden.lines(text):
        lines.setdefault(name, []).append(reading)
    return [(name, "\n".join(found)) for name, found in lines.items()]
