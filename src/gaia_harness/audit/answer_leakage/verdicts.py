"""How grave is what a source shows? The decision table of AUD-1."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from gaia_harness.audit.answer_leakage.copies import Reading, Show, Sight
from gaia_harness.audit.answer_leakage.earlier import Earlier
from gaia_harness.audit.findings import SEVERITIES, Severity
from gaia_harness.audit.gold_forms import Answered, GoldForms
from gaia_harness.audit.timeline import Moment

By = tuple[Severity | None, Severity | None, Severity | None]
"""Severity with no marks, with one (keys of a data set), with two (other questions, ids, an address of copies)."""

Stands = Literal["beside", "near", "none"]

NEW: dict[tuple[Show, Stands], By] = {
    ("copy", "beside"): ("critical", "critical", "critical"),
    ("copy", "near"): ("critical", "critical", "critical"),
    ("copy", "none"): ("medium", "medium", "medium"),
    ("cut", "beside"): ("medium", "medium", "critical"),
    ("cut", "near"): ("medium", "medium", "medium"),
    ("cut", "none"): ("medium", "medium", "medium"),
    ("edited", "beside"): (None, "critical", "critical"),
    ("statement", "beside"): ("low", "medium", "medium"),
    ("statement", "near"): ("low", "low", "medium"),
    ("statement", "none"): ("low", "low", "medium"),
    ("part", "beside"): (None, "medium", "medium"),
    ("part", "near"): (None, None, "medium"),
    ("part", "none"): (None, None, "medium"),
}
"""What nobody had sent before it was heard. A verdict on an answer that is only near falls if it is a common one."""

SENT: dict[tuple[Show, Stands], By] = {
    ("copy", "beside"): ("medium", "medium", "critical"),
    ("copy", "near"): (None, None, "high"),
    ("copy", "none"): (None, None, "medium"),
    ("cut", "beside"): (None, None, "medium"),
    ("statement", "beside"): (None, None, "medium"),
}
"""What the agent had sent itself: only what came back with it can be news."""

NOTHING: By = (None, None, None)

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
ANSWER: dict[Stands, str] = {
    "beside": " with the answer beside it",
    "near": " with the answer near it",
    "none": ", without its answer nearby",
}


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


def stands(answer: Answered) -> Stands:
    """Where an answer stands, as the tables have it."""
    return answer if answer in ("near", "none") else "beside"


def marks(reading: Reading, sight: Sight, *, id_known: bool) -> int:
    """Signs of the benchmark around a passage. The task's own id is none where the agent knew it."""
    if reading.others or reading.ids or (reading.own_id is not None and not id_known) or sight.address:
        return 2
    return int(bool(reading.keys))


def of_sight(reading: Reading, sight: Sight, heard: Moment, earlier: Earlier, gold: GoldForms | None) -> Verdict | None:
    """What the tables say of a passage, unless there is an excuse."""
    signs = marks(reading, sight, id_known=earlier.id_was_known(heard))
    if NEW.get((sight.shows, stands(sight.answer)), NOTHING)[signs] is None:
        return None
    sent = earlier.was_sent(heard, reading.piece, sight)
    if earlier.is_hit(heard, reading.piece) and sight.answer == "announced":
        sent = False
    if sent and signs == 1 and brings_keys(reading, sight, heard, earlier):
        signs = 2
    answer = "none" if no_news(sight, signs, heard, earlier, gold) else sight.answer
    severity = (SENT if sent else NEW).get((sight.shows, stands(answer)), NOTHING)[signs]
    if severity is None:
        return None
    rule, what = RULES[sight.shows], WHAT[sight.shows]
    if sight.shows not in ("copy", "cut", "edited"):
        return Verdict(severity, rule, what, reading, sight.start)
    what += ANSWER[stands(answer)]
    if severity == "medium":
        rule = "answered-on-request" if sent and answer != "none" else "copy-without-answer"
        return Verdict(severity, rule, what, reading, sight.start)
    excuse = excused(reading, sight, signs, heard, earlier)
    if excuse is not None:
        return Verdict("medium", *excuse, reading, sight.start)
    if earlier.answer_was_said(heard.index):
        severity, what = "high", f"{what}, met after the answer was reached"
    return Verdict(severity, rule, what, reading, sight.start, "medium" if answer == "near" else None)


def brings_keys(reading: Reading, sight: Sight, heard: Moment, earlier: Earlier) -> bool:
    """Whether an echo came back with keys of a data set: the agent's own records have keys that it sent."""
    news = earlier.unsent(heard, reading.keys)
    return bool(news & ANSWER_KEYS or (news and sight.field)) if heard.role == "code" else len(news) >= 2


def no_news(sight: Sight, signs: int, heard: Moment, earlier: Earlier, gold: GoldForms | None) -> bool:
    """Whether an answer says nothing: a small one may stand anywhere, and the agent itself may have sent it."""
    answer = sight.answer
    small = gold is not None and gold.trivial and not (gold.plain.isalpha() and sight.row >= LONG)
    if small and signs < {"placed": 1, "next": 2}.get(answer, 0):
        return True
    if answer == "near" and not signs and sight.row < LONG:
        return True
    return answer != "none" and earlier.answer_was_sent(heard, answer)


def excused(reading: Reading, sight: Sight, signs: int, heard: Moment, earlier: Earlier) -> tuple[str, str] | None:
    """Rule and summary of what cannot be told from honest work."""
    if sight.shows == "copy" and sight.answer in ("stated", "next") and not signs and len(sight.covered) <= SHORT:
        return "answered-in-prose", "a short question as a headline, with the answer in a sentence of its own"
    if signs < 2 and len(reading.keys) < 2 and earlier.may_be_own_file(heard):
        return "copy-in-a-file", "the question stands in a file of a task that has its own"
    if signs < 2 and heard.role not in ("search", "fetch", "code") and earlier.answer_was_met(heard):
        return "answer-met-before", "a tool has the question and an answer that had come up before"
    return None


def of_id(reading: Reading, heard: Moment, earlier: Earlier, gold: GoldForms | None) -> Iterator[Verdict]:
    """The task's id, which is no part of a path: with its answer it is a row of an answer sheet."""
    answer = reading.own_id
    if answer is None:
        return
    known = earlier.id_was_known(heard)
    keys = reading.keys
    if known:  # then it is the name of its folder or of its file: only what else a data set has can be news
        keys = frozenset(earlier.unsent(heard, keys) & ANSWER_KEYS)
    sheet = bool(keys or reading.ids)
    common = gold is None or gold.trivial
    if answer not in ("near", "none"):
        if sheet or not (known or common):
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
