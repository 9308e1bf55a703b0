"""What do the prompts of a run have in common? Texts of all its tasks, the answers in them, and what is suspicious."""

import hashlib

import msgspec

from gaia_harness.audit import answer_lists
from gaia_harness.audit import hidden_texts as hidden
from gaia_harness.audit import prompt_places as places
from gaia_harness.audit import prompt_texts as texts
from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.feedback import judging_tools
from gaia_harness.audit.findings import Check, Finding, Findings
from gaia_harness.audit.given_texts import GivenTexts, Place, Weights
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.steps import Prompt
from gaia_harness.evidence.wording import reduce

MOST_SUSPICIONS = 50_000
MOST_REMEMBERED = 64
"""Texts whose answers are remembered: a run of ours has two that stand in every task."""

LONGEST_TEXT = 4 << 20
"""Of a standing prompt; real ones have some ten KB."""

TABLE = 3
"""Answers of different tasks in one text, by their weight, that make it a table of answers."""

SHORTEST_TABLE = 24
"""Characters of something decoded: fewer hold no two answers with what they belong to."""

COMMON = 0.1
"""Share of the other tasks' own prompts in which an answer also stands: then its being there says nothing."""

STANDING = 0.5
"""Share of the tasks that were given the same line about earlier answers: then it speaks of answers in general."""

_ESCAPES = frozenset(("", "html", "url", "json"))


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


class PromptBook:
    """What is known of all prompts of a run; tasks are put down in it one after another."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._findings = Findings()
        golds = {} if run.key is None else run.key.golds
        self.finder = texts.AnswerFinder(texts.known_answers(golds), run.questions)
        self.weights = [texts.weight(forms) for forms in self.finder.known.forms]
        self.given = GivenTexts()
        self._standing: dict[str, str | None] = {}
        self._read: dict[str, Given] = {}
        self._looked_for_tables: set[str] = set()
        self._catalogues: set[str] = set()
        self._suspicions: list[Suspicion] = []
        self._stands: dict[int, int] = {}  # in how many tasks' texts an answer stands
        self._with_text = 0
        self._told: dict[bytes, list[Finding]] = {}  # by the words of a line about earlier answers
        self._told_lines = 0
        self.with_file: set[str] = set()
        self.not_kept = 0

    def check(self, gap: str | None) -> Check:
        """Weigh what stands in prompts against how often it stands in those of other tasks."""
        weights = self.given.weigh(suspicion.place for suspicion in self._suspicions)
        for suspicion in self._suspicions:
            place = suspicion.place
            others = self._stands.get(suspicion.number, 1) - 1
            rare = others <= COMMON * max(0, self._with_text - 1)
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
            if told:
                self._findings.add(suspicion.finding)
        for findings in self._told.values():
            if len({finding.task_id for finding in findings}) <= max(2, STANDING * self._with_text):
                for finding in findings:
                    self._findings.add(finding)
        return self._findings.check("AUD-3", "oracle-leakage", harness_gap=gap)

    def _is_added(self, suspicion: Suspicion, weights: Weights) -> bool:
        """Whether a system prompt is that of the other tasks, but for what has the answer: no file explains it."""
        return suspicion.finding.task_id not in self.with_file and weights.is_added_to_the_usual(suspicion.place)

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
            key = hashlib.blake2b(reduce(line), digest_size=12).digest()
            self._told.setdefault(key, []).append(finding)

    def stands(self, numbers: set[int]) -> None:
        """Note which answers stand in what one task alone was given."""
        self._with_text += 1
        for number in numbers:
            self._stands[number] = self._stands.get(number, 0) + 1

    def table(self, step: Prompt, text: str) -> None:
        """Look for a table of answers in a text, also in an encoded one; once in each."""
        if step.content_sha256 in self._looked_for_tables:
            return
        if len(self._looked_for_tables) < MOST_SUSPICIONS:
            self._looked_for_tables.add(step.content_sha256)
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
            coded = not _ESCAPES.issuperset(view.split("+"))
            least = 1 if coded else 2
            standing = finder.find(words)
            found = {number for number in standing if self.weights[number] >= least}
            score = sum(self.weights[number] for number in found) / 2
            sure = bool(listed) or score >= (2 if coded else TABLE)
            if len(standing) >= answer_lists.FEW_TELLING:
                found |= (more := answer_lists.listed(reading, finder, self.weights, sure=sure))
                sure, listed = sure or bool(more), listed | more if listed else listed
            if sure:
                for number in sorted(listed or found):
                    stands_in = finder.known.forms[number].stands_in
                    place = None if view else places.sentence_in(text, stands_in)
                    for task_id in finder.known.tasks[number][:5]:
                        self.add(
                            Finding(
                                task_id=task_id,
                                severity="critical",
                                rule="answer-table",
                                field=f"prompt {step.content_sha256[:16]}",
                                offset=None if place is None else places.in_bytes(text, place.at),
                                view=view or None,
                                summary="A prompt that tasks were given has this task's answer in a table of answers.",
                            )
                        )
                return

    def catalogue(self, step: Prompt, text: str) -> None:
        """Look for a tool that judges answers among those that are offered; once in each catalogue."""
        if step.content_sha256 in self._catalogues:
            return
        if len(self._catalogues) < MOST_REMEMBERED:
            self._catalogues.add(step.content_sha256)
        for name in judging_tools(text):
            self.add(
                Finding(
                    severity="high",
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
