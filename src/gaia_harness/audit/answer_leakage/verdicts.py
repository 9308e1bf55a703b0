"""How grave is what a source shows? The decision table of AUD-1."""

from collections.abc import Sequence

import msgspec

from gaia_harness.audit.answer_leakage.copies import Reading, Show, Sight
from gaia_harness.audit.answer_leakage.earlier import Earlier
from gaia_harness.audit.answer_leakage.pieces import Piece
from gaia_harness.audit.findings import GATING, SEVERITIES, Severity
from gaia_harness.audit.timeline import Moment

TABLE: dict[Show, dict[bool, str]] = {
    "copy": {True: "CCC", False: "MMM"},
    "cut": {True: "MMC", False: "MMM"},
    "statement": {True: "--M", False: "--M"},
    "id": {True: "CCC", False: "---"},
}
"""By what is shown, and whether the answer stands with it (`_tells`): how grave it is with no marks, one and two
(`_marks`). With fewer than two, what the agent had sent or known is nothing, and what may be its own is medium."""

LETTERS: dict[str, Severity] = {"C": "critical", "M": "medium"}

RULES: dict[Show, tuple[str, str]] = {
    "copy": ("copy-with-answer", "a copy of the question"),
    "cut": ("copy-with-answer", "a copy of the question, cut short,"),
    "statement": ("fact-in-these-words", "a source has the words of the question, and does not ask it"),
    "id": ("task-id-with-answer", "the task's id"),
}

RULES_WITHOUT_ANSWER = {"copy-with-answer": "copy-without-answer"}

SHEET = 2  # other questions with their answers that make a source an answer sheet
SHORT = 12  # words of a question that an honest page may well have as a headline


class Verdict(msgspec.Struct, frozen=True):
    """What one reading comes to."""

    severity: Severity
    rule: str
    summary: str
    piece: Piece
    at: int = 0


def worst(readings: Sequence[Reading], heard: Moment, earlier: Earlier) -> Verdict | None:
    """The worst that can be said of one source, if there is anything."""
    found = [
        verdict
        for reading in readings
        for sight in reading.sights
        if (verdict := _of_sight(reading, sight, heard, earlier))
    ]
    if len(frozenset[int]().union(*(reading.solved for reading in readings))) >= SHEET:
        piece = next(reading.piece for reading in readings if reading.solved)
        found.append(
            Verdict("critical", "answer-sheet", "several questions of the benchmark with their answers", piece)
        )
    return min(found, key=lambda each: SEVERITIES.index(each.severity), default=None)


def _of_sight(reading: Reading, sight: Sight, heard: Moment, earlier: Earlier) -> Verdict | None:
    """What the table says of a passage, unless it cannot be told from honest work."""
    marks = _marks(reading, sight, heard, earlier)
    tells = _tells(sight, marks, trivial=earlier.gold.trivial, outside=heard.outside) and not earlier.answer_is_no_news(
        heard
    )
    column = 2 if sight.shows == "statement" and sight.long else marks
    severity = LETTERS.get(TABLE[sight.shows][tells][column])
    if severity is None or (marks < 2 and earlier.knew(heard, reading.piece, sight, tells=tells)):
        return None
    rule, what = RULES[sight.shows]
    if not tells:
        rule = RULES_WITHOUT_ANSWER.get(rule, rule)
    if severity in GATING and marks < 2 and earlier.may_be_own(heard):
        severity, what = "medium", f"{what}, in what may be the agent's own or of the task's file,"
    elif severity in GATING and earlier.answer_was_said(heard):
        severity, what = "high", f"{what}, met after the answer was reached,"
    return Verdict(severity, rule, what + (" with the answer" if tells else ""), reading.piece, sight.start)


def _marks(reading: Reading, sight: Sight, heard: Moment, earlier: Earlier) -> int:
    """Signs of the benchmark around a passage: those of the text, and two for an address that carries copies, for the
    task's id beside the question, and for the benchmark's name if nobody here had said it."""
    beside_id = sight.shows != "id" and any(each.shows == "id" for each in reading.sights)
    named = sight.named and earlier.benchmark_named_outside(heard)
    return 2 if sight.address or beside_id or named else reading.marks


def _tells(sight: Sight, marks: int, *, trivial: bool, outside: bool) -> bool:
    """Whether the answer that stands there is the question's. A small one may count replies, an honest page may have a
    few words of the question as a headline, and an agent's own tools may repeat it above what they give back."""
    if sight.answer == "near":
        return marks > 0 or (sight.long and outside)
    short = sight.shows == "copy" and len(sight.covered) <= SHORT
    chance = not marks and (short or (trivial and sight.answer == "beside"))
    return sight.answer == "announced" or (sight.answer in ("stated", "beside") and not chance)
