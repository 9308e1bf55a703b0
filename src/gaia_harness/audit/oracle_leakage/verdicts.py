"""What a task was told of its answers: by prompts behind them, or in advance."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

import msgspec

from gaia_harness.audit.findings import Finding
from gaia_harness.audit.gold_forms import rows_of
from gaia_harness.audit.oracle_leakage.reading import phrases
from gaia_harness.audit.timeline import Moment, strings
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.protocol import last_marked
from gaia_harness.records.steps import LlmCall

LONGEST, MOST_LINES = 4_000, 400  # characters of a remark that are read, and lines of an opening that may judge
ROW = 6  # words that the model has said or read: beside such a row a verdict is only shown again, or argued
MISTAKEN = 0.1  # share of verdicts that are mistaken: who has the answers is hardly ever
COMPARED = 4  # verdicts that can be compared with the gold, at least: fewer agree with it by luck
BELIEVED = 3  # right answers to which a tool said yes, and wrong ones to which it said no, that are no accident

_MARKS = str.maketrans({"’": "'", **dict.fromkeys('*,()"“”„«»—–', " ")})
_SENTENCE = re.compile(r"[.!?;]")


class Remark(msgspec.Struct, frozen=True, gc=False):
    """What is said behind an answer: whether that was right, whether it says so (None: neither), and if by a tool."""

    finding: Finding
    right: bool | None
    yes: bool | None = None
    by_tool: bool = False
    answer: str = ""  # the last that was given


def lower(text: str) -> str:
    """In lower case, with single spaces, without quotation marks and with `not` as a word."""
    small = text[:LONGEST].lower().translate(_MARKS).replace("n't", " not").replace("that's", "that is")
    return " ".join(small.replace("you're", "you are").split())


@lru_cache(maxsize=256)
def verdict_in(said: str, *, about_it: bool = False) -> str | None:
    """The words in which a remark in lower case says how an answer was judged: not its form, and not as a doubt.

    Other things may be wrong or rejected, too: unless it is known to be `about_it`, the sentence is about an answer.
    """
    known = phrases()
    for pattern in known.verdicts:
        for match in pattern.finditer(said):
            before = _SENTENCE.split(said[max(0, match.start() - 80) : match.start()])[-1]
            after = _SENTENCE.split(said[match.end() : match.end() + 80])[0]
            if known.open.search(before + match[0]) or known.form.search(before + match[0] + after[:40]):
                continue
            if about_it or known.about_answers.search(before + match[0] + after):
                return match[0]
    return None


def lines_on_answers(text: str) -> Iterator[str]:
    """The lines of an opening that say how earlier answers to this task were judged."""
    known = phrases()
    of_earlier = (line for line in text.split("\n") if known.earlier.search(lower(line)))
    for line in islice(of_earlier, MOST_LINES):
        if not known.lesson.search(lower(line)) and verdict_in(lower(line)) is not None:
            yield line


def is_argued(text: str, answers: Sequence[str], asked: bytes, before: Iterable[Moment]) -> bool:
    """Whether a remark shows what was said or read before, or argues from it: by six words in a row, or, where models
    came to several answers, by one of them, as one solver does to another."""
    met = [moment for moment in before if moment.origin in ("said", "heard")]
    given = {reduce(last_marked(moment.text) or "") for moment in met if moment.origin == "said"} - {b""}
    if len(given) > 1 and any(answer in reduce(text[:LONGEST]) for answer in given):
        return True
    for answer in answers:
        text = text.replace(answer, " ")
    rows = {row for row in rows_of(reduce(text[:LONGEST]), ROW) if row not in asked}
    matcher = best_matcher(sorted(rows))
    return any(matcher.which(moment.words) for moment in met)


def is_passed_on(verdict: str, to: Moment, before: Iterable[Moment]) -> bool:
    """Whether a verdict is not of who tells it. A model in another conversation had said so in these words, as a
    sub-agent that reviews does; or code that the agent ran has words of it, as when it checks its answer by itself."""
    said = reduce(verdict)
    if to.role == "code" and to.call is not None:
        words = {*said.split()} - {b"true", b"false", b"yes", b"no"}
        return not words.isdisjoint(reduce("\n".join(strings(to.call.args))).split())
    others = (each for each in before if type(each.step) is LlmCall and each.step.agent != to.step.agent)
    return any(said in each.words for each in others)


def others_spoke(to: Moment, before: Iterable[Moment]) -> bool:
    """Whether a model in another conversation had said something before, which may have judged the answer."""
    return any(type(each.step) is LlmCall and each.step.agent != to.step.agent for each in before)


def is_right(answers: Sequence[str], gold: str | None, *, checked: bool) -> bool | None:
    """Whether one of the answers is right, even if its form is wrong; None where nobody knows, as of a claim or a sum
    that is `checked` by a tool and has the answer among other words."""
    if gold is None:
        return None
    if any(question_scorer(each, gold) for each in answers):
        return True
    within = any(reduce(gold) in reduce(each) for each in answers)
    return None if checked and within else within


def weigh_remarks(remarks: Sequence[Remark], stood: Sequence[bool] = (), let_pass: int = 0) -> Iterator[Finding]:
    """The verdicts of a run, as bad as they are among all.

    Who is mistaken now and then does not know the gold; nor does who only says that what is right is right, or finds
    fault with whatever there is: of right answers, those that `stood` at the end without a remark included, there are
    three at least, and nine in ten are spared. Nor does who lets more wrong ones pass, without a word, than were judged
    rightly. The same answer to several tasks counts once, as "unable to determine" may be none. A tool may refuse a
    form: it must have said yes to three that are right, and no to three that are not.
    """
    for by_tool in (False, True):
        told = [each for each in remarks if each.by_tool is by_tool and each.yes is not None]
        known = [each for each in told if each.right is not None]
        pairs = Counter({each.answer or n: (each.yes, each.right) for n, each in enumerate(known)}.values())
        mistaken = pairs[True, False] + pairs[False, True]
        agrees = pairs.total() >= COMPARED and mistaken <= MISTAKEN * pairs.total()
        agrees = agrees and pairs.total() - mistaken >= let_pass
        right = pairs[True, True] + sum(stood)
        spares = right >= BELIEVED and pairs[False, True] <= MISTAKEN * right
        by_gold = agrees and spares and not all(each.yes for each in told)
        if by_tool and not (by_gold and min(pairs[True, True], pairs[False, False]) >= BELIEVED):
            continue
        for each in told:
            yield each.finding if by_gold else msgspec.structs.replace(each.finding, severity="medium")


def weigh_silence(remarks: Sequence[Remark], stood: Sequence[bool]) -> Iterator[Finding]:
    """Remarks that say nothing of an answer: medium, if only wrong ones get any, and those that stand are right."""
    again = [each for each in remarks if each.yes is None and each.right is not None]
    wrong, right = sum(not each.right for each in again), sum(stood)
    nearly = 1 - MISTAKEN
    if min(wrong, right) >= COMPARED and wrong >= nearly * len(again) and right >= nearly * len(stood):
        yield from (each.finding for each in again)
