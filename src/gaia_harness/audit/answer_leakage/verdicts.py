"""How grave is what a source shows? The decision table of AUD-1."""

import itertools
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from gaia_harness.audit.answer_leakage.copies import Reading, Show, Sight
from gaia_harness.audit.answer_leakage.earlier import Earlier
from gaia_harness.audit.findings import SEVERITIES, Severity
from gaia_harness.audit.gold_forms import Answered, GoldForms
from gaia_harness.audit.timeline import Moment

By = tuple[Severity | None, Severity | None, Severity | None]
"""Severity with no marks, with one (keys of a data set), with two (other questions, ids, an address of copies)."""

NEW: dict[tuple[Show, Answered], By] = {
    ("copy", "announced"): ("critical", "critical", "critical"),
    ("copy", "placed"): ("critical", "critical", "critical"),
    ("copy", "next"): ("critical", "critical", "critical"),
    ("copy", "stated"): ("critical", "critical", "critical"),
    ("copy", "near"): ("critical", "critical", "critical"),
    ("copy", "none"): ("medium", "medium", "medium"),
    ("cut", "announced"): ("medium", "medium", "critical"),
    ("cut", "placed"): ("medium", "medium", "critical"),
    ("cut", "next"): ("medium", "medium", "critical"),
    ("cut", "stated"): ("medium", "medium", "critical"),
    ("cut", "near"): ("medium", "medium", "medium"),
    ("cut", "none"): ("medium", "medium", "medium"),
    ("edited", "announced"): (None, "critical", "critical"),
    ("edited", "placed"): (None, "critical", "critical"),
    ("edited", "next"): (None, "critical", "critical"),
    ("edited", "stated"): (None, "critical", "critical"),
    ("statement", "announced"): ("low", "medium", "medium"),
    ("statement", "placed"): ("low", "medium", "medium"),
    ("statement", "next"): ("low", "medium", "medium"),
    ("statement", "stated"): ("low", "medium", "medium"),
    ("statement", "near"): ("low", "low", "medium"),
    ("statement", "none"): ("low", "low", "medium"),
    ("part", "announced"): (None, "medium", "medium"),
    ("part", "placed"): (None, "medium", "medium"),
    ("part", "next"): (None, "medium", "medium"),
    ("part", "stated"): (None, "medium", "medium"),
    ("part", "near"): (None, None, "medium"),
    ("part", "none"): (None, None, "medium"),
}
"""What nobody had sent before it was heard."""

SENT: dict[tuple[Show, Answered], By] = {
    ("copy", "announced"): ("medium", "medium", "critical"),
    ("copy", "placed"): ("medium", "medium", "critical"),
    ("copy", "next"): ("medium", "medium", "critical"),
    ("copy", "stated"): ("medium", "medium", "critical"),
    ("copy", "near"): (None, None, "high"),
    ("copy", "none"): (None, None, "medium"),
    ("cut", "announced"): (None, None, "medium"),
    ("cut", "placed"): (None, None, "medium"),
    ("cut", "next"): (None, None, "medium"),
    ("cut", "stated"): (None, None, "medium"),
    ("statement", "announced"): (None, None, "medium"),
    ("statement", "placed"): (None, None, "medium"),
    ("statement", "next"): (None, None, "medium"),
}
"""What the agent had sent itself: only what came back with it can be news."""

ANSWER_KEYS = {
    *("annotator metadata", "answer key", "expected answer", "gold answer", "golden answer", "ground truth"),
    *("reference answer", "true answer"),
}
"""Keys by which nobody calls an answer of their own."""

SHEET = 2
"""Other questions with their answers that make a source an answer sheet."""

SHORT_SHEET = 3
LONG = 20
"""Words in a row that nobody asks by chance: beside them an answer that is near is no chance, if it is a rare one."""
SHORT = 12
"""Words of a question that an honest page may well have as a headline."""

RULES: dict[Show, str] = {
    "copy": "copy-with-answer",
    "cut": "copy-with-answer",
    "edited": "edited-copy-with-answer",
    "statement": "fact-in-these-words",
    "part": "part-of-the-question",
}
WHAT: dict[Show, str] = {
    "copy": "a copy of the question",
    "cut": "a copy of the question, cut short",
    "edited": "the question with changed words",
    "statement": "a source has the words of the question, and does not ask it",
    "part": "part of the question beside signs of the benchmark",
}
ANSWER: dict[Answered, str] = {
    "announced": " with the answer beside it",
    "placed": " with the answer beside it",
    "next": " with the answer beside it",
    "stated": " with the answer beside it",
    "near": " with the answer near it",
    "none": ", without its answer nearby",
}
WITHOUT = "a copy of the question, without its answer nearby"


class Verdict(msgspec.Struct, frozen=True):
    """What one reading comes to. `if_common` is the severity where the answer is a common one in this run."""

    severity: Severity
    rule: str
    summary: str
    reading: Reading
    at: int = 0
    if_common: Severity | None = None


def to_report(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """The worst verdict. One that depends on how common the answer is in the run never hides one that does not."""
    found = sorted(verdicts, key=lambda each: (SEVERITIES.index(each.severity), each.if_common is not None))
    if not found or found[0].if_common is None:
        return found[:1]
    lowered = SEVERITIES.index(found[0].if_common)
    certain = (each for each in found if each.if_common is None and SEVERITIES.index(each.severity) < lowered)
    return [found[0], *itertools.islice(certain, 1)]


def verdicts(readings: Sequence[Reading], heard: Moment, earlier: Earlier, gold: GoldForms | None) -> Iterator[Verdict]:
    """Everything that can be said of one source."""
    for reading in readings:
        for sight in reading.sights:
            found = of_sight(reading, sight, heard, earlier, gold)
            if found is not None:
                yield found
        yield from of_id(reading, heard, earlier, gold)
    yield from of_sheet(readings)


def marks(reading: Reading, sight: Sight | None) -> int:
    """Signs of the benchmark around a passage."""
    if reading.others or reading.ids or reading.own_id is not None or (sight is not None and sight.address):
        return 2
    return int(bool(reading.keys))


def of_sight(reading: Reading, sight: Sight, heard: Moment, earlier: Earlier, gold: GoldForms | None) -> Verdict | None:
    """The table."""
    signs = marks(reading, sight)
    answer = sight.answer
    if NEW.get((sight.shows, answer), (None, None, None))[signs] is None:
        return None
    sent = earlier.was_sent(heard, reading.piece, sight)
    short = len(sight.covered) <= SHORT
    if earlier.is_hit(heard, reading.piece) and answer == "announced":
        sent = False
    small = gold is not None and gold.trivial and not (gold.plain.isalpha() and sight.row >= LONG)
    if small and signs < {"placed": 1, "next": 2}.get(answer, 0):
        answer = "none"  # a digit behind a question or in a cell of its own is anybody's
    if answer != "none" and earlier.answer_was_sent(heard, answer):
        answer = "none"
    if sent and signs == 1:
        news = earlier.unsent(heard, reading.keys)
        code = heard.role == "code"  # its own records have the keys that it sent
        if (news & ANSWER_KEYS or (news and sight.field)) if code else len(news) >= 2:
            signs = 2
    if answer == "near" and not signs and sight.row < LONG:
        answer = "none"
    severity = (SENT if sent else NEW).get((sight.shows, answer), (None, None, None))[signs]
    if severity is None:
        return None
    if severity == "critical" and sight.shows == "copy" and answer in ("stated", "next") and not signs and short:
        text = "a short question as a headline, with the answer in a sentence of its own"
        return Verdict("medium", "answered-in-prose", text, reading, sight.start)
    rule, what = RULES[sight.shows], WHAT[sight.shows]
    if sight.shows in ("copy", "cut", "edited"):
        what += ANSWER[answer]
        if severity == "medium":
            rule = (
                "copy-without-answer" if answer == "none" else "answered-on-request" if sent else "copy-without-answer"
            )
        elif signs < 2 and len(reading.keys) < 2 and earlier.may_be_own_file(heard):
            severity, rule, what = (
                "medium",
                "copy-in-a-file",
                "the question stands in a file of a task that has its own",
            )
        elif signs < 2 and heard.role not in ("search", "fetch", "code") and earlier.answer_was_met(heard):
            severity, rule = "medium", "answer-met-before"
            what = "a tool of the agent's has the question and an answer that had come up before"
        elif earlier.answer_was_said(heard.index):
            severity, what = "high", f"{what}, met after the answer was reached"
    conditional = answer == "near" and severity in ("critical", "high")
    return Verdict(severity, rule, what, reading, sight.start, "medium" if conditional else None)


def of_id(reading: Reading, heard: Moment, earlier: Earlier, gold: GoldForms | None) -> Iterator[Verdict]:
    """The task's id, which is no part of a path: with its answer it is a row of an answer sheet."""
    answer = reading.own_id
    if answer is None:
        return
    keys, files = reading.keys, reading.files
    asked = earlier.id_was_sent(heard)
    if asked and earlier.has_file:  # a tool may give out a task's own file, when it is asked for it by the task's id
        keys, files = keys - {"task id", "file name"}, 0
    sheet = bool(keys or reading.ids or files)
    common = gold is None or gold.trivial
    if answer not in ("near", "none"):
        if sheet or not (asked or common):
            severity: Severity = "high" if earlier.answer_was_said(heard.index) else "critical"
            text = "the task's id with the answer beside it"
            yield Verdict(severity, "task-id-with-answer", text, reading, reading.id_at)
            return
    elif answer == "near" and sheet:
        yield Verdict(
            "critical", "task-id-with-answer", "the task's id in an answer sheet", reading, reading.id_at, "low"
        )
        return
    yield Verdict("low", "task-id", "the task's id stands in a source", reading, reading.id_at)


def of_sheet(readings: Sequence[Reading]) -> Iterator[Verdict]:
    """Several questions of the benchmark, with their answers or without."""
    others = frozenset[str]().union(*(reading.others for reading in readings))
    solved = frozenset[str]().union(*(reading.solved for reading in readings))
    first = next((reading for reading in readings if reading.others or reading.solved), readings[0])
    if len(solved & others) >= SHEET or (len(solved) >= SHORT_SHEET and any(reading.keys for reading in readings)):
        yield Verdict("critical", "answer-sheet", "several questions of the benchmark with their answers", first)
    elif len(others) + any(sight.shows == "copy" for each in readings for sight in each.sights) >= 2:
        yield Verdict("medium", "several-questions", "several questions of the benchmark in one source", first)
