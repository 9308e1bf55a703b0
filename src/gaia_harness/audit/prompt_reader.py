"""Examines the prompts of one task, without its question, for answers, solutions and verdicts."""

import hashlib
from collections.abc import Iterator, Sequence

import msgspec

from gaia_harness.audit import hidden_texts as hidden
from gaia_harness.audit import prompt_places as places
from gaia_harness.audit import prompt_texts as texts
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.feedback import is_of_form
from gaia_harness.audit.findings import MOST_OF_A_RULE, Finding, Severity, excerpt
from gaia_harness.audit.given_texts import Piece, Place, is_of_a_calendar, pieces_with
from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.hidden_answers import hiding_view, place_of
from gaia_harness.audit.judging_tools import tool_verdict
from gaia_harness.audit.prompt_book import Given, PromptBook, Suspicion
from gaia_harness.audit.seen_texts import SeenTexts
from gaia_harness.audit.solved_examples import Shown, asks_another, to_another
from gaia_harness.audit.verdict_reader import VerdictReader
from gaia_harness.evidence.wording import reduce
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.protocol import STANDING_ROLES, TOOL_NAMES
from gaia_harness.records.steps import LlmCall, Prompt, Step, ToolCallStep, ToolResultStep
from gaia_harness.tasks.answers import Gold

MOST_PROMPTS = 2_000
"""Prompts of one task that are read beyond those that the question explains; an attempt has about thirty turns."""

SHORTEST_SOLUTION = 60
"""Bytes of reduced words: less cannot hold half of a step."""

RELATED = 0.5
"""Share of a sentence's words that stand in the question too: then it speaks of the question."""

LONGEST_ARGUMENTS = 8 << 10
"""Characters of a tool call in which the name of the task's file is looked for."""

_FUNCTION_WORDS = frozenset(b"it is the a an to of in that this and or be as for was".split())
_CHOICE = {b"yes", b"no"}


class PromptReader:
    """Reads the prompts of one task."""

    def __init__(self, book: PromptBook, task: TaskEvidence) -> None:
        self.book = book
        self.task = task
        self.own = book.finder.known.numbers.get(task.task_id)
        self.forms = None if self.own is None else book.finder.known.forms[self.own]
        self.explained: frozenset[str] | None = None
        self.question_sha256 = hashlib.sha256((task.question or "").encode("utf-8", "surrogatepass")).hexdigest()
        self.read_prompts = 0
        self.said_unread = False
        self.given: set[int] = set()
        self.solution: list[list[bytes]] | None = None
        self.has_own_text = False
        self.met = SeenTexts(book.bodies, task.question, self.forms)
        self.steps: list[bytes] | None = None
        self.placed = 0
        self.whole = ""  # the prompt that is being read, with the question
        self.before = ""  # the prompt before it, without the question
        self.verdicts = VerdictReader(self)

    def read(self, steps: Sequence[Step]) -> None:
        first: dict[int, list[tuple[str, str]]] = {}
        prompted: set[int] = set()
        missing: set[int] = set()
        previous: Step | None = None
        asked: dict[tuple[int, str], ToolCallStep] = {}
        for step in steps:
            if type(step) is Prompt:
                self.verdicts.settle(previous)
                if step.bytes:
                    prompted.add(step.attempt)
                    if step.turn == 1:
                        first.setdefault(step.attempt, []).append((step.role, step.content_sha256))
                    self.prompt(step, steps, previous)
            elif type(step) is LlmCall:
                if step.attempt not in prompted and step.attempt not in missing and not self.book.prompts_unknown:
                    missing.add(step.attempt)
                    self.say(
                        "high", "prompt-missing", step, "The model was asked, and what it was given is not recorded."
                    )
                previous = step
                self.met.note(step)
            elif type(step) is ToolCallStep:
                previous = step
                self.met.note(step)
                if step.name not in TOOL_NAMES:
                    asked[step.attempt, step.call_id] = step
            elif type(step) is ToolResultStep:
                ours = step.name in TOOL_NAMES
                if ours or not self.tool(step, asked.pop((step.attempt, step.call_id), None)):
                    self.met.note(step)
        self.verdicts.settle(previous)
        if len(first) > 1 and len(set(map(tuple, first.values()))) > 1:
            self.book.add(
                Finding(
                    severity="medium",
                    rule="attempts-differ",
                    task_id=self.task.task_id,
                    summary="Attempts at the same task did not begin with the same prompts.",
                )
            )
        if self.has_own_text:
            self.book.stands(self.given)

    def tool(self, step: ToolResultStep, call: ToolCallStep | None) -> bool:
        """Whether a tool that is none of the harness's says something about an answer, and what."""
        said = tool_verdict(step.name, None if call is None else call.args, step.head)
        if said is None:
            return False
        gold = self.task.gold
        right = None if gold is None or said.answer is None else question_scorer(said.answer, gold.answer)
        summary = "A tool tells the model how its answer was judged."
        finding = self.finding("medium", "verdict-fed-back", step, summary, step.head, offset=0)
        formal = gold is not None and said.answer is not None and is_of_form(step.head, said.answer, gold.answer)
        if formal or self.met.is_argued(step.attempt, step.head, said.answer or ""):
            self.book.add(finding)
        else:
            self.book.tools.say(finding, said, right)
        return True

    def prompt(self, step: Prompt, steps: Sequence[Step], previous: Step | None) -> None:
        if step.content_sha256 == self.question_sha256 and self.task.question:
            self.verdicts.hear(step, steps, previous, "")
            self.before = ""
            return
        text: str | None = step.head
        if step.truncated or step.redactions:
            text = self.book.standing(step)
            if step.stored_sha256 != step.content_sha256:
                self.say("medium", "prompt-masked", step, "Something in a prompt is masked, so it could not be read.")
            if text is None:
                if self.explained is None:
                    self.explained = texts.question_hashes(self.task.question or "", _file_names(steps))
                if step.content_sha256 in self.explained:
                    self.book.with_file.add(self.task.task_id)
                    return
            if text is None and not step.truncated:
                self.say("medium", "prompt-masked", step, "Something in a prompt is masked, so it could not be read.")
                text = step.head
            if text is None:
                self.say("medium", "prompt-not-kept", step, "A prompt is not kept whole, so it could not be looked at.")
                self.book.not_kept += 1
                text = step.head
        assert text is not None  # noqa: S101 - for the type checker
        self.whole = text
        self.read_prompts += 1
        if self.read_prompts > MOST_PROMPTS or not self.book.may_read(len(text)):
            if not self.said_unread:
                self.said_unread = True
                self.say(
                    "high",
                    "prompts-unread",
                    step,
                    "There are more prompts than any honest task has; not all were read.",
                )
            return
        rest = texts.rest_of(text, self.task.question)
        if rest is not text and texts.ATTACHMENT.search(text):
            self.book.with_file.add(self.task.task_id)
        self.verdicts.hear(step, steps, previous, rest)
        if rest.strip():
            given = self.book.read(step.content_sha256 if rest is text else None, rest)
            self.rest(step, rest, given)
            standing = step.role in STANDING_ROLES
            if (standing and step.turn == 1) or not self.is_known(step, rest, given):
                key = bytes.fromhex(step.content_sha256) if standing else given.key
                self.book.table(step, text if standing else rest, key, self.task.task_id)
            if step.role == "tools":
                self.book.catalogue(step, text)
        self.before = rest

    def place(self, step: Prompt, found: places.Found | None = None) -> Finding:
        offset = self.offset(found)
        return Finding(
            severity="critical",
            rule="",
            summary="",
            task_id=self.task.task_id,
            attempt=step.attempt,
            seq=step.seq,
            field=_field(step, offset),
            offset=offset,
            excerpt="" if found is None else found.shown,
        )

    def offset(self, found: places.Found | None) -> int | None:
        return None if found is None else places.in_bytes(self.whole, found.at)

    def rest(self, step: Prompt, rest: str, given: Given) -> None:
        """What stands in a prompt beside the question."""
        shared = self.book.given.see(given.key, rest, self.task.task_id)
        self.given |= given.found
        self.has_own_text = True
        gold = self.task.gold
        if gold is None:
            return
        if gold.annotator_steps and len(given.words) > SHORTEST_SOLUTION and self.may_be_told(gold, given):
            if self.solution is None:
                self.solution = texts.solution_of(gold.annotator_steps, self.task.question)
            met = frozenset[bytes]()
            if step.turn > 1 and texts.is_told(self.solution, given.words):
                met = frozenset(gram for each in self.solution for gram in each if self.met.knows(step.attempt, gram))
            if texts.is_told(self.solution, given.words, met):
                grams = [gram for each in self.solution for gram in each]
                cut = step.turn > 1 and self.met.is_cut(step.attempt) and self.met.is_drawn_on(step.attempt, rest)
                read = "" if self.often_placed() else self.whole
                found = places.sentence_in(read, lambda words: any(gram in words for gram in grams))
                finding = msgspec.structs.replace(
                    self.place(step, found),
                    severity="medium" if cut or texts.is_one_step(self.solution, given.words) else "critical",
                    rule="annotator-steps",
                    summary="A prompt has the wording of the annotator's solution.",
                )
                self.book.steps(finding, given, self.solution, met)
        self.own_answer(step, rest, given, shared)

    def may_be_told(self, gold: Gold, given: Given) -> bool:
        """Whether five words in a row of the annotator's steps are words of a text at all: that is quickly seen."""
        if self.steps is None:
            self.steps = reduce((gold.annotator_steps or "")[: texts.LONGEST_QUESTION]).split()
        return b"11111" in b"".join([b"1" if word in given.vocabulary else b"0" for word in self.steps])

    def own_answer(self, step: Prompt, rest: str, given: Given, shared: bool) -> None:
        own, gold = self.own, self.task.gold
        if own is None or gold is None:
            return
        if given.digests is None:
            given.digests = hidden.digests_in(rest)
        if given.digests and hidden.is_digest_of(given.digests, gold.answer, self.task.task_id):
            self.book.add(
                msgspec.structs.replace(
                    self.place(step, self.digest(given.digests, gold.answer)),
                    rule="gold-digest",
                    view="digest",
                    summary="A prompt has a digest of the answer, by which every guess can be checked.",
                )
            )
        forms, weight = self.book.finder.known.forms[own], self.book.weights[own]
        number = texts.is_number(gold.answer)
        view, weak, certain, chosen = "", False, True, False
        pieces: list[Piece] = []
        plain = own in given.found or (len(forms.parts) > 2 and forms.stands_in(given.words))
        if plain and (not number or texts.whole_number(gold.answer, rest) or texts.is_form(gold.answer, rest)):
            certain = texts.announced(forms, given.words)
            if not certain:  # digits of a code may look like the answer that it hides
                if given.decoded is None:
                    given.decoded = [(name, reduce(reading)) for name, reading in _decoded(rest)]
                view = next((name for name, words in given.decoded if texts.announced(forms, words)), "")
                certain = bool(view)
            asked = reduce(self.task.question or "")
            in_question = forms.stands_in(asked)
            pieces = pieces_with(rest, forms)
            if in_question and not certain:
                pieces = [piece for piece in pieces if not _is_about(piece, forms, asked)]
                if not pieces:
                    return
            weak = weight == 0 or in_question
            if not certain and not in_question and texts.is_choice(gold.answer, rest):
                certain, chosen = True, True
            if not certain and not in_question and step.role not in STANDING_ROLES and texts.is_form(gold.answer, rest):
                certain, chosen = True, True
            if number and not certain and texts.is_count(gold.answer, rest):
                return
        elif not shared:
            view = hiding_view(rest, gold.answer, forms)
        else:
            return
        if not pieces and not view:
            return
        severity = "critical" if step.turn == 1 else self.said_again(step, rest, pieces, certain, view)
        if severity is None:
            return
        if pieces:
            spot = places.answer_in(self.whole, pieces[0].text, forms, gold.answer)
        else:
            spot = None if self.often_placed() else place_of(view, self.whole, gold.answer, forms)
        found = tuple((piece.key, piece.form) for piece in pieces)
        shown = None
        if certain and not chosen and not view and weight < 2 and step.role != "tools":
            before = f"Question: {self.before}\n" if step.role == "assistant" else ""
            if to_another(before + rest, forms, self.task.question or ""):
                shown = Shown(self.task.task_id, number, own, frozenset(given.found))
        elif not certain and weight < 2 and all(asks_another(each.text, self.task.question or "") for each in pieces):
            shown = Shown(self.task.task_id, number, own, frozenset(given.found)) if pieces else None
        has_file = step.role not in STANDING_ROLES and self.task.task_id in self.book.with_file
        self.book.suspect(
            Suspicion(
                msgspec.structs.replace(
                    self.place(step, spot),
                    severity=severity,
                    rule="gold-in-prompt",
                    view=view or None,
                    summary="The answer stands in what only this task was given beside its question.",
                ),
                Place(given.key, found, (number or is_of_a_calendar(gold.answer)) and not chosen),
                own,
                certain,
                weak,
                step.role in STANDING_ROLES,
                has_file and not view and not chosen and not texts.announced(forms, given.words, cues=texts.OUTRIGHT),
                shown,
            )
        )

    def often_placed(self) -> bool:
        """Whether more places were looked for than a report lists: it takes time, and a task may have many prompts."""
        self.placed += 1
        return self.placed > MOST_OF_A_RULE

    def digest(self, digests: tuple[str, ...], answer: str) -> places.Found | None:
        if self.often_placed():
            return None
        return places.digest_in(self.whole, digests, answer, self.task.task_id)

    def said_again(self, step: Prompt, rest: str, pieces: list[Piece], certain: bool, view: str) -> Severity | None:
        """How bad it is that a prompt within an attempt has the answer: nothing where the attempt has met it.

        Of a small answer it takes its sentence, or that the model has called it the answer. Where the rest of the
        prompt tells again what the attempt has met, that sentence may be told in other words.
        """
        assert self.forms is not None  # noqa: S101 - for the type checker
        met, attempt = self.met, step.attempt
        if not met.has_answer(attempt):
            return "medium" if met.is_cut(attempt) and met.is_drawn_on(attempt, rest) else "critical"
        if not certain or met.has_concluded(attempt):
            return None
        if view and view not in hidden.ESCAPES:
            return "critical"
        corrected = self.verdicts.was_wrong() or texts.announced(self.forms, reduce(rest), cues=texts.OFFICIAL)
        small = not self.book.weights[self.own or 0]
        if not corrected and (not small or any(met.has_sentence(attempt, piece.words) for piece in pieces)):
            return None
        return "medium" if met.is_drawn_on(attempt, rest) else "critical"

    def is_known(self, step: Prompt, rest: str, given: Given) -> bool:
        """Whether the answer in a prompt within an attempt, if it stands there, is nothing new to that attempt."""
        if step.turn == 1 or self.forms is None or self.own not in given.found:
            return False
        return self.said_again(step, rest, pieces_with(rest, self.forms), certain=True, view="") != "critical"

    def say(self, severity: Severity, rule: str, step: Step, summary: str) -> None:
        self.book.add(self.finding(severity, rule, step, summary))

    def finding(
        self,
        severity: Severity,
        rule: str,
        step: Step,
        summary: str,
        text: str = "",
        start: int = 0,
        offset: int | None = None,
    ) -> Finding:
        piece = excerpt(text, max(0, start - 40))
        if self.own is not None and self.book.finder.known.forms[self.own].stands_in(reduce(piece)):
            piece = ""  # a report is for everybody, the answer is not
        return Finding(
            severity=severity,
            rule=rule,
            task_id=self.task.task_id,
            attempt=step.attempt,
            seq=step.seq,
            field=_field(step, offset),
            offset=offset,
            summary=summary,
            excerpt=piece,
        )


def _field(step: Step, offset: int | None) -> str:
    """The text in which a place lies: what is kept in the step, or of a standing prompt the whole, by its hash."""
    if type(step) is Prompt and offset is not None and offset >= len(step.head.encode("utf-8", "replace")):
        return f"prompt {step.content_sha256[:16]}"
    return "head"


def _file_names(steps: Sequence[Step]) -> set[str]:
    """The task's file, by the names with which tools were asked for it."""
    asked = (str(step.args)[:LONGEST_ARGUMENTS] for step in steps if type(step) is ToolCallStep)
    return {name for text in asked for name in texts.ATTACHED_NAME.findall(text)}


def _decoded(text: str) -> Iterator[tuple[str, str]]:
    yield from hidden.blocks(text)
    yield from hidden.lines(text)


def _is_about(piece: Piece, forms: GoldForms, asked: bytes) -> bool:
    """Whether a sentence speaks of the question, by the words that both have, or names the answers to choose from."""
    mine = set(piece.words.split()) - _FUNCTION_WORDS
    if mine >= _CHOICE:
        return True
    mine -= {word for form in forms.words for word in form.split()}
    return bool(mine) and sum(b" " + word + b" " in asked for word in mine) > RELATED * len(mine)
