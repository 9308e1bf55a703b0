"""Collects what a task was told about its answers: in prompts after them, in the next attempt, by tools."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from gaia_harness.audit import prompt_places as places
from gaia_harness.audit.feedback import (
    SHORT,
    asks_again,
    asks_for_the_line,
    begins_with_a_verdict,
    in_lower_case,
    is_of_form,
    is_placeholder,
    speaks_of_answers,
    told_before,
    verdict_in,
)
from gaia_harness.audit.findings import Severity
from gaia_harness.audit.given_texts import pieces_of
from gaia_harness.audit.verdict_weights import Heard, Round, key_of
from gaia_harness.evidence.wording import reduce
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.protocol import CUT_SHORT_REASONS, STANDING_ROLES, final_answer, last_marked
from gaia_harness.records.steps import LlmCall, Prompt, Step

if TYPE_CHECKING:
    from gaia_harness.audit.prompt_reader import PromptReader

OWN_WORDS = 8
"""Words in a row round a verdict that the model has said itself: it is shown what it has said."""

MOST_OWN = 200
"""The same, looked at: a sentence or two."""

MOST_LOOKED_BACK = 30
"""Verdicts for which all that the model has said before is gone through; an honest task hears a few."""

NEAR = 400
"""Characters before a verdict and behind it in which its reasons are looked for."""


class Answer(msgspec.Struct, frozen=True):
    """What the model has answered, and whether it is right; None where the gold is not at hand.

    `cut` says that the reply ended for want of room, `in_form` that a line of it begins with the marker.
    """

    said: str
    right: bool | None
    round: Round
    cut: bool
    in_form: bool


class VerdictReader:
    """Knows what one task has answered so far."""

    def __init__(self, reader: "PromptReader") -> None:
        self._reader = reader
        self._given: list[Answer] = []
        self._last: Answer | None = None  # in this attempt
        self._attempt = 0
        self._settled: Step | None = None
        self._opening: list[str] = []  # the prompts with which the first attempt began
        self._forms: set[bytes] | None = None  # of the sentences in them, once somebody asks
        self._looked_back = 0

    def settle(self, previous: Step | None) -> None:
        """See whether the model has answered: its words are followed by a prompt, by another attempt, or by nothing."""
        if type(previous) is not LlmCall or previous is self._settled:
            return
        self._settled = previous
        said = last_marked(previous.head)
        if said is None or is_placeholder(said):
            return
        if previous.attempt != self._attempt:
            self._begin(previous.attempt)
        gold = self._reader.task.gold
        right = None if gold is None else question_scorer(said, gold.answer)
        number = 1 if self._last is None else self._last.round[1] + 1
        cut, in_form = previous.stop_reason in CUT_SHORT_REASONS, final_answer(previous.head) is not None
        self._last = Answer(said, right, ("answer", number), cut, in_form)
        self._given.append(self._last)
        self._reader.book.verdicts.answered(self._last.round, right)

    def was_wrong(self) -> bool:
        """Whether the attempt's last answer is known to be wrong."""
        return self._last is not None and self._last.right is False

    def _begin(self, attempt: int) -> None:
        self._attempt = attempt
        self._last = None
        if attempt > 1 and self._given:
            self._reader.book.verdicts.answered(("attempt", attempt), self._given[-1].right)

    def hear(self, step: Prompt, steps: Sequence[Step], previous: Step | None, rest: str) -> None:
        """What a prompt behind an answer, or before a later attempt, says about that answer."""
        if step.attempt != self._attempt:
            self._begin(step.attempt)
        if step.turn == 1 and step.attempt == 1:
            self._told_before(step, rest)
            self._opening.append(rest)
            return
        if step.role in STANDING_ROLES and step.turn == 1 and len(rest) > 500:
            return  # the standing instructions, which speak of right and wrong answers in general
        if step.turn == 1:
            if self._forms is None:
                self._forms = {piece.form for text in self._opening for piece in pieces_of(text)}
            rest = "\n".join(piece.text for piece in pieces_of(rest) if piece.form not in self._forms)
        last = self._last if step.turn > 1 and type(previous) is LlmCall else None
        place = verdict_in(rest) if rest.strip() else None
        if place is not None:
            self._verdict(step, steps, previous, rest, place)
        elif last is not None:
            severe = (asks_again(rest) or len(rest.split()) <= SHORT) and not self._is_of_form(step, rest)
            # an agent that takes an answer only from the end of a whole reply has to ask for it
            unread = last.cut or (not last.in_form and asks_for_the_line(rest))
            said = "The model had answered, and was asked again within the same attempt."
            self._hear("high" if severe else "low" if unread else "medium", "asked-again", step, said, rest)
        elif step.turn == 1 and rest.strip() and asks_again(rest):
            self._hear("high", "asked-again", step, "A later attempt is told about the earlier ones.", rest)

    def _verdict(
        self, step: Prompt, steps: Sequence[Step], previous: Step | None, rest: str, place: tuple[int, int]
    ) -> None:
        lower = in_lower_case(rest)
        severity: Severity = "critical"
        bare = type(previous) is LlmCall and begins_with_a_verdict(lower)
        if step.turn > 1 and self._last is None and not bare and not speaks_of_answers(lower, place):
            severity = "medium"  # something went wrong, but nothing was answered yet
        elif (
            self._has_said(steps, step.seq, lower, place[0])
            or self._is_argued(step, lower, place)
            or self._is_of_form(step, rest)
        ):
            severity = "medium"
        self._hear(
            severity,
            "verdict-fed-back",
            step,
            "A prompt tells the model how its answer was judged.",
            rest,
            place[0],
            places.words_in(self._reader.whole, lower[slice(*place)]),
        )

    def _has_said(self, steps: Sequence[Step], before: int, lower: str, start: int) -> bool:
        """Whether the words round a place in a prompt are the model's own; of very many prompts it is not asked."""
        self._looked_back += 1
        return self._looked_back <= MOST_LOOKED_BACK and _has_said(steps[:before], lower, start)

    def _is_argued(self, step: Prompt, lower: str, place: tuple[int, int]) -> bool:
        near = lower[max(0, place[0] - NEAR) : place[1] + NEAR]
        reader, last = self._reader, self._last
        said = "" if last is None else last.said
        return step.turn > 1 and reader.met.is_argued(step.attempt, near, said)

    def _is_of_form(self, step: Prompt, rest: str) -> bool:
        gold, last = self._reader.task.gold, self._last
        return step.turn > 1 and gold is not None and last is not None and is_of_form(rest, last.said, gold.answer)

    def _hear(
        self,
        severity: Severity,
        rule: str,
        step: Prompt,
        summary: str,
        rest: str,
        start: int = 0,
        found: places.Found | None = None,
    ) -> None:
        reader = self._reader
        found = found if found is not None or start else places.beginning_of(reader.whole, rest)
        finding = reader.finding(severity, rule, step, summary, rest, start, offset=reader.offset(found))
        last = self._last
        if step.turn == 1:
            before = self._given[-1] if self._given else None
            right, round = None if before is None else before.right, ("attempt", step.attempt)
        else:
            right, round = (None, ("answer", 0)) if last is None else (last.right, last.round)
        key = key_of(rest, "" if last is None else last.said)
        reader.book.verdicts.hear(Heard(finding, key, round, right))

    def _told_before(self, step: Prompt, rest: str) -> None:
        """What the very first prompts say about answers that were judged before this run."""
        for line in told_before(rest) if rest.strip() else ():
            finding = msgspec.structs.replace(
                self._reader.place(step, places.beginning_of(self._reader.whole, line)),
                rule="verdict-fed-back",
                summary="The model is told at the outset how earlier answers to its task were judged.",
            )
            self._reader.book.told(finding, line)


def _has_said(steps: Sequence[Step], lower: str, start: int) -> bool:
    """Whether the words round a place in a prompt are the model's own, which it is only shown again."""
    words = reduce(lower).split()
    at = len(reduce(lower[:start]).split())
    for step in steps:
        if type(step) is not LlmCall:
            continue
        own = reduce(step.head)
        first, last = at, at
        while last < min(len(words), at + MOST_OWN) and _stands(words[first : last + 1], own):
            last += 1
        while first > max(0, at - MOST_OWN) and last > at and _stands(words[first - 1 : last], own):
            first -= 1
        if last - first >= OWN_WORDS:
            return True
    return False


def _stands(words: list[bytes], text: bytes) -> bool:
    return b" " + b" ".join(words) + b" " in text
