"""What a task was told of its answers: by prompts behind them, in the next attempt, in advance, by a tool."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from gaia_harness.audit.findings import Finding, Severity
from gaia_harness.audit.oracle_leakage.phrases import phrases
from gaia_harness.audit.timeline import Moment
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.protocol import CUT_SHORT_REASONS, is_template, last_marked
from gaia_harness.records.steps import LlmCall, ToolCallStep

LONGEST = 4_000
"""Characters of a remark that are read, and of a line of an opening; a verdict stands in a sentence."""

MOST_LINES = 400
LONGEST_BY_TOOL, LONGEST_ANSWER = 400, 200
"""Bytes of what a tool says if it says little but a verdict, and of what it is given if it is an answer."""

OWN, READ = 8, 5
"""Words in a row that the model has said, or that it has read: beside them a verdict is only shown again, or argued."""

TELLING = 4
"""Letters of a word that says something: two such words make a row that is no turn of phrase."""

ALIKE = 1 / 3
"""How often a remark follows right answers, measured by how often it follows wrong ones: then it follows both."""

NEARLY_ALL, FEW, FEWEST = 0.8, 3, 2
"""Share of all answers that a remark follows, and how many there must be: then it follows whatever was answered. And
tasks with a wrong answer that were asked again, from which on it is hardly chance that no right one was."""

MISTAKEN = 0.1
"""Share of verdicts that are mistaken: who has the answers is hardly ever."""

_MARKS = str.maketrans({"’": "'", **dict.fromkeys('*,()"“”„«»—–', " ")})
_COUNTER = re.compile(r"\d+")
_SENTENCE = re.compile(r"[.!?;]")


class Given(msgspec.Struct, frozen=True, gc=False):
    """An answer that was given: which one of which attempt (0 for the last), and whether it is right."""

    round: tuple[int, int]
    right: bool | None


class Remark(msgspec.Struct, frozen=True, gc=False):
    """Something said behind an answer. `round` is which answer of which attempt; `right` whether that was right."""

    finding: Finding
    round: tuple[int, int]
    right: bool | None
    key: bytes = b""
    yes: bool | None = None
    by_tool: bool = False


def lower(text: str) -> str:
    """In lower case, with single spaces and without quotation marks."""
    return " ".join(text[:LONGEST].lower().translate(_MARKS).split())


def verdict_in(said: str) -> tuple[int, int] | None:
    """Where a remark in lower case says how an answer was judged: not its form, and not as a thing to look at."""
    known = phrases()
    for each in known.verdicts:
        if each.needs and not any(map(said.__contains__, each.needs)):
            continue
        for match in each.pattern.finditer(said):
            before = _SENTENCE.split(said[max(0, match.start() - 60) : match.start()])[-1]
            after = _SENTENCE.split(said[match.end() : match.end() + 40])[0]
            if not known.open.search(before + match[0]) and not known.form.search(before + match[0] + after):
                return match.span()
    bare = None if known.form.search(said) else known.bare.search(said)
    return None if bare is None else bare.span()


def of_answers(said: str, place: tuple[int, int]) -> bool:
    """Whether the sentence of a verdict is about an answer: other things may be wrong or rejected, too."""
    before = _SENTENCE.split(said[max(0, place[0] - 80) : place[0]])[-1]
    after = _SENTENCE.split(said[place[1] : place[1] + 80])[0]
    return phrases().about_answers.search(before + said[slice(*place)] + after) is not None


def told_before(text: str) -> Iterator[str]:
    """The lines of an opening that say how earlier answers to this task were judged, before any was given."""
    known, low = phrases(), text.lower()
    lines: set[tuple[int, int]] = set()
    for word in known.judging:
        at = low.find(word)
        while at >= 0 and len(lines) < MOST_LINES:
            end = low.find("\n", at)
            end = len(low) if end < 0 else end
            lines.add((low.rfind("\n", 0, at) + 1, end))
            at = low.find(word, end)
    for start, end in sorted(lines):
        said = lower(low[start:end])
        if known.before.search(said) and verdict_in(said) and not known.lesson.search(said):
            yield text[start:end] if len(low) == len(text) else said


def key_of(text: str, answer: str) -> bytes:
    """The words of a remark, whichever answer it repeats and whichever round it counts."""
    return reduce(_COUNTER.sub("#", text.replace(answer, " ") if answer else text))[:200]


def answer_said(moment: Moment, step: LlmCall) -> str | None:
    """The answer in what the model said; None where it gave none."""
    if step.stop_reason in CUT_SHORT_REASONS:
        return None
    said = last_marked(moment.text)
    if said is None or is_template(said) or phrases().placeholder.fullmatch(said.strip(" .…\"'").lower()):
        return None
    return said


def answer_handed(call: ToolCallStep | None) -> str | None:
    """The answer that a tool was given, by the name of the argument."""
    if call is None or not isinstance(call.args, dict):
        return None
    fields = ((name.lower().encode(), value) for name, value in call.args.items())
    found = next((value for name, value in fields if name in phrases().answer_fields), None)
    return str(found) if isinstance(found, str | int | float) and len(str(found)) <= LONGEST_ANSWER else None


def is_met(text: str, answer: str, asked: bytes, before: Iterable[Moment]) -> bool:
    """Whether a remark only shows what the model has said, or argues from what it has read: by rows of their words."""
    words = reduce((text.replace(answer, " ") if answer else text)[:LONGEST]).split()
    said, heard = (
        {b" " + b" ".join(words[at : at + size]) + b" " for at in range(len(words) - size + 1)} for size in (OWN, READ)
    )
    heard = {row for row in heard if row not in asked and sum(len(word) >= TELLING for word in row.split()) >= 2}
    rows = {"said": best_matcher(sorted(said)), "heard": best_matcher(sorted(heard))}
    return any(rows[moment.origin].find(moment.words) for moment in before if moment.origin in rows)


def is_right(answer: str | None, gold: str | None) -> bool | None:
    """Whether an answer is right, be its form wrong; None where nobody knows."""
    if answer is None or gold is None:
        return None
    return question_scorer(answer, gold) or (len(answer) > len(gold) and reduce(gold) in reduce(answer))


def weighed(remarks: Sequence[Remark], answers: Iterable[Given]) -> Iterator[Finding]:
    """The remarks of a run, each as bad as it is among all: only what depends on the gold is a verdict.

    | a remark                                                  | severity         |
    |-----------------------------------------------------------|------------------|
    | judges, and so as the gold does                           | as it was noted  |
    | judges, but some such are mistaken, or they only say that | medium: who says |
    | what is right is right                                    | it has no gold   |
    | asks again, behind wrong answers only                     | high             |
    | asks again, behind any                                    | medium           |
    """
    counts = Counter(answers)
    groups: dict[tuple[bool, bytes], list[Remark]] = {}
    for each in remarks:
        groups.setdefault((each.by_tool, each.key), []).append(each)
    judges = {by_tool: _have_gold([each for each in remarks if each.by_tool is by_tool]) for by_tool in (True, False)}
    asked = [each for each in remarks if each.finding.rule == "asked-again"]
    tasks = {each.finding.task_id for each in asked if each.right is False}
    any_is_asked = len(tasks) < FEWEST or _follows_both(asked, counts) or _follows_all(asked, counts)
    for (by_tool, _), group in groups.items():
        for each in group:
            lowered = not judges[by_tool]
            if each.finding.rule == "asked-again":
                lowered = any_is_asked or each.right is True or _follows_all(group, counts)
            severity: Severity = "medium" if lowered else each.finding.severity
            yield msgspec.structs.replace(each.finding, severity=severity)


def _have_gold(remarks: Sequence[Remark]) -> bool:
    """Whether these may judge by the gold: they are hardly ever mistaken, and say more than that right is right."""
    pairs = [(each.yes, each.right) for each in remarks if each.yes is not None and each.right is not None]
    mistaken = sum(yes is not right for yes, right in pairs)
    return mistaken <= MISTAKEN * len(pairs) and not all(each.yes for each in remarks)


def _follows_both(group: Sequence[Remark], answers: Counter[Given]) -> bool:
    right, wrong = (_share(group, answers, which) for which in (True, False))
    return bool(right and wrong) and min(right, wrong) >= ALIKE * max(right, wrong)


def _follows_all(group: Sequence[Remark], answers: Counter[Given]) -> bool:
    rounds = {each.round for each in group}
    given = sum(answers[Given(round, right)] for round in rounds for right in (True, False, None))
    return len(group) >= max(FEW, NEARLY_ALL * given)


def _share(group: Sequence[Remark], answers: Counter[Given], right: bool) -> float:
    given = sum(answers[Given(round, right)] for round in {each.round for each in group})
    return sum(each.right is right for each in group) / given if given else 0.0
