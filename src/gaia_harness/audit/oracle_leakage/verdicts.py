"""What a task was told of its answers: by prompts behind them, or in advance."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from gaia_harness.audit.findings import Finding
from gaia_harness.audit.phrases import Words, phrases_of
from gaia_harness.audit.timeline import Moment
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.protocol import CUT_SHORT_REASONS, is_template, last_marked
from gaia_harness.records.steps import LlmCall

LONGEST, MOST_LINES = 4_000, 400
"""Characters of a remark that are read, as a verdict stands in a sentence; and lines of an opening."""

OWN, READ = 8, 5
"""Words in a row that the model has said, or that it has read: beside them a verdict is only shown again, or argued."""

TELLING = 4
"""Letters of a word that says something: two such words make a row that is no turn of phrase."""

MISTAKEN = 0.1
"""Share of verdicts that are mistaken: who has the answers is hardly ever."""

BELIEVED = 3
"""Right answers to which a tool said yes, and wrong ones to which it said no, that are no accident."""

_MARKS = str.maketrans({"’": "'", **dict.fromkeys('*,()"“”„«»—–', " ")})
_SENTENCE = re.compile(r"[.!?;]")


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What AUD-3 goes by, from phrases.toml. Patterns are for text in lower case with single spaces."""

    cues: Words
    fillers: Words
    asking: Words
    verdicts: tuple[re.Pattern[str], ...]
    praise: re.Pattern[str]
    about_answers: re.Pattern[str]
    form: re.Pattern[str]
    open: re.Pattern[str]
    before: re.Pattern[str]
    lesson: re.Pattern[str]


@cache
def phrases() -> Phrases:
    """All of them."""
    return phrases_of(Phrases, "oracle_leakage/phrases.toml")


class Remark(msgspec.Struct, frozen=True, gc=False):
    """A verdict behind an answer: whether it says yes, whether the answer was right, and whether a tool says it."""

    finding: Finding
    right: bool | None
    yes: bool
    by_tool: bool = False


def lower(text: str) -> str:
    """In lower case, with single spaces, without quotation marks and with `not` as a word."""
    small = text[:LONGEST].lower().translate(_MARKS).replace("n't", " not").replace("that's", "that is")
    return " ".join(small.replace("you're", "you are").split())


@lru_cache(maxsize=256)
def verdict_in(said: str) -> tuple[int, int] | None:
    """Where a remark in lower case says how an answer was judged: not its form, and not as a thing to look at."""
    known = phrases()
    for pattern in known.verdicts:
        for match in pattern.finditer(said):
            before, after = _sentence(said, match.span(), 60, 40)
            if not known.open.search(before + match[0]) and not known.form.search(before + match[0] + after):
                return match.span()
    return None


def of_answers(said: str, place: tuple[int, int]) -> bool:
    """Whether the sentence of a verdict is about an answer: other things may be wrong or rejected, too."""
    before, after = _sentence(said, place, 80, 80)
    return phrases().about_answers.search(before + said[slice(*place)] + after) is not None


def _sentence(said: str, place: tuple[int, int], before: int, after: int) -> tuple[str, str]:
    """What stands in the same sentence before and behind a place."""
    start, end = place
    return _SENTENCE.split(said[max(0, start - before) : start])[-1], _SENTENCE.split(said[end : end + after])[0]


def lines_on_answers(text: str, *, again: bool) -> Iterator[str]:
    """The lines of an opening that say how earlier answers to this task were judged; in another attempt (`again`),
    whatever they say of answers."""
    known = phrases()
    for line in text.splitlines()[:MOST_LINES]:
        said = lower(line)
        if (again or known.before.search(said)) and not known.lesson.search(said):
            place = verdict_in(said)
            if place is not None and of_answers(said, place):
                yield line


def answer_said(moment: Moment, step: LlmCall) -> str | None:
    """The answer in what the model said; None where it gave none."""
    if step.stop_reason in CUT_SHORT_REASONS:
        return None
    said = last_marked(moment.text)
    if said is None or is_template(said):
        return None
    return said


def is_met(text: str, answer: str, asked: bytes, before: Iterable[Moment]) -> bool:
    """Whether a remark only shows what the model has said, or argues from what it has read: by rows of their words."""
    words = reduce((text.replace(answer, " ") if answer else text)[:LONGEST]).split()
    said, heard = (
        {b" " + b" ".join(words[at : at + size]) + b" " for at in range(len(words) - size + 1)} for size in (OWN, READ)
    )
    heard = {row for row in heard if row not in asked and sum(len(word) >= TELLING for word in row.split()) >= 2}
    rows = {"said": best_matcher(sorted(said)), "heard": best_matcher(sorted(heard))}
    return any(rows[moment.origin].find(moment.words) for moment in before if moment.origin in rows)


def is_passed_on(said: str, place: tuple[int, int], to: Moment, before: Iterable[Moment]) -> bool:
    """Whether the sentence of a verdict is from a model in another conversation, as of a sub-agent that reviews."""
    ahead, behind = _sentence(said, place, LONGEST, LONGEST)
    sentence = reduce(ahead.rpartition(":")[2] + said[slice(*place)] + behind)
    others = (each for each in before if type(each.step) is LlmCall and each.step.agent != to.step.agent)
    return any(sentence in each.words for each in others)


def was_reviewed(answer: str, to: Moment, before: Iterable[Moment]) -> bool:
    """Whether an answer was put before a model in another conversation, which may have judged it."""
    words = reduce(answer)
    return any(words in each.words for each in before if each.origin == "given" and each.step.agent != to.step.agent)


def is_right(answer: str | None, gold: str | None) -> bool | None:
    """Whether an answer is right, be its form wrong; None where nobody knows."""
    if answer is None or gold is None:
        return None
    return question_scorer(answer, gold) or (len(answer) > len(gold) and reduce(gold) in reduce(answer))


def weighed(remarks: Sequence[Remark]) -> Iterator[Finding]:
    """The verdicts of a run, as bad as they are among all: who is mistaken now and then has no gold, and so has who
    only says that what is right is right. A tool may refuse a form: it must have said yes and no, and be believed."""
    for by_tool in (False, True):
        told = [each for each in remarks if each.by_tool is by_tool]
        pairs = Counter((each.yes, each.right) for each in told if each.right is not None)
        mistaken = pairs[True, False] + pairs[False, True]
        by_gold = mistaken <= MISTAKEN * pairs.total() and not all(each.yes for each in told)
        if by_tool and not (by_gold and min(pairs[True, True], pairs[False, False]) >= BELIEVED):
            return
        for each in told:
            yield each.finding if by_gold else msgspec.structs.replace(each.finding, severity="medium")
