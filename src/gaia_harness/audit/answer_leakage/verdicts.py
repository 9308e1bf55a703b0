"""How grave is what a source shows? The decision table of AUD-1."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from gaia_harness.audit.answer_leakage.copies import Reading, Show, Sight
from gaia_harness.audit.answer_leakage.earlier import Earlier
from gaia_harness.audit.answer_leakage.pieces import Piece
from gaia_harness.audit.findings import GATING, SEVERITIES, Severity
from gaia_harness.audit.timeline import Moment

Stands = Literal["beside", "near", "none"]

TABLE: dict[Show, dict[Stands, str]] = {
    "copy": {"beside": "CCC C", "near": "CCC H", "none": "MMM M"},
    "cut": {"beside": "MMC M", "near": "MMM -", "none": "MMM -"},
    "edited": {"beside": "-CC -", "near": "--- -", "none": "--- -"},
    "statement": {"beside": "-MM M", "near": "--M M", "none": "--M M"},
    "id": {"beside": "CCC C", "near": "-CC C", "none": "--- -"},
}
"""By what is shown and where the answer stands: how grave it is with no marks, with one and with two, if it was news;
then with two marks, if the agent had sent or known it. With fewer, that is nothing. What marks are, `_marks` says."""

LETTERS: dict[str, Severity] = {"C": "critical", "H": "high", "M": "medium"}

RULES: dict[Show, tuple[str, str]] = {
    "copy": ("copy-with-answer", "a copy of the question"),
    "cut": ("copy-with-answer", "a copy of the question, cut short,"),
    "edited": ("edited-copy-with-answer", "the question with changed words"),
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
    stands = _stands(sight, marks, trivial=earlier.gold.trivial, outside=heard.outside)
    row, news = TABLE[sight.shows], 2 if sight.shows == "statement" and sight.long else marks
    if marks < 2 and row[stands][news] not in LETTERS:
        return None  # whatever was known: to ask for that takes long
    if stands != "none" and earlier.answer_is_no_news(heard):
        stands = "none"
    answers = stands != "none" and sight.answer == "announced"
    known = earlier.knew(heard, reading.piece, sight, answers=answers)
    known = known or (stands == "none" and earlier.is_own_tool(heard))
    if known and marks < 2:
        return None
    severity = LETTERS.get(row[stands][-1 if known else news])
    if severity is None:
        return None
    severity, why = _lowered(severity, reading, marks, heard, earlier)
    rule, what = RULES[sight.shows]
    if stands == "none":
        rule = RULES_WITHOUT_ANSWER.get(rule, rule)
    answer = "" if stands == "none" else f" with the answer {stands} it"
    return Verdict(severity, rule, what + why + answer, reading.piece, sight.start)


def _lowered(severity: Severity, reading: Reading, marks: int, heard: Moment, earlier: Earlier) -> tuple[Severity, str]:
    """What is left of a severity that gates where it cannot be told from honest work, and why."""
    if severity in GATING and marks < 2 and reading.keys < 2 and earlier.may_be_own_file(heard):
        return "medium", ", in what may be the task's own file,"
    if severity in GATING and marks < 2 and earlier.may_be_own_state(heard):
        return "medium", ", as a tool may sum up what is not on record,"
    if severity in GATING and earlier.answer_was_said(heard):
        return "high", ", met after the answer was reached,"
    return severity, ""


def _marks(reading: Reading, sight: Sight, heard: Moment, earlier: Earlier) -> int:
    """Signs of the benchmark around a passage: those of the text, and two for an address that carries copies, for the
    task's id if nobody here had named it, and for the benchmark's name if nobody here had said it.

    An id alone has the marks of its text only, and an edited copy has no use of the benchmark's name.
    """
    beside_id = sight.shows != "id" and any(each.shows == "id" for each in reading.sights)
    if sight.address or (beside_id and not earlier.id_was_known(heard)):
        return 2
    return 2 if sight.named and earlier.benchmark_named_outside(heard) else reading.marks


def _stands(sight: Sight, marks: int, *, trivial: bool, outside: bool) -> Stands:
    """Where the answer stands, as the table has it, if it says something there: a small one may stand anywhere, and
    an agent's own tools may repeat the question, in many of its words, above whatever they give back."""
    answer = sight.answer
    if answer == "none" or (answer == "placed" and trivial and not marks):
        return "none"
    short = sight.shows == "copy" and not marks and len(sight.covered) <= SHORT
    if answer == "announced" or (answer != "near" and not short):
        return "beside"
    return "near" if marks or (sight.long and outside) else "none"
