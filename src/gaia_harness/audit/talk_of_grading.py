"""Recognises clauses beside an answer that talk about grading: one unambiguous word, or two kinds together."""

import re
from collections.abc import Iterator
from functools import lru_cache

_CLAUSES = re.compile(r"[.!?](?=[\s\"')\]]|$)|[;()\[\]\n•|]| [-–—] |[。！？；（）「」]")
_HEAD = re.compile(r"(?:[^\s,]+ ){0,3}[^\s,]+, ")
LONGEST = 300
"""Characters of a clause that are looked at together; what is longer is looked at piece by piece."""

_OVERLAP = 60


def _words(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'])(?:{text})(?!\w)")


# Nobody speaks of these who only answers a question.
_GRADING = _words(
    r"(?:auto-?)?graders?|evaluators?|grade this|rubrics?|answer (?:key|sheet)|(?:mark|marking|grading|scoring) "
    r"(?:scheme|guide|guidance|rules?|polic\w+|sheet)|(?:reference|gold|stored) (?:answer|label|solution|"
    r"file)|judge prompt|(?:llm|ai|impartial|grading) (?:judge|model)|(?:question|test|task's) (?:setters?|writers?|"
    r"authors?|designers?)|force pass|your (?:key|verdict|comparison|grade|json)"
)
# Who grades and by what; what an answer is held against; what is done with it. Each is at home elsewhere too.
_PROPER = (
    _words(
        r"judges?|judging|scorers?|scor(?:es?|ed|ing)|markers?|mark(?:s|ed|ing)?|examiners?|assess\w*|reviewers?|"
        r"rat(?:e|ed|ers?|ing)|evaluat\w+|grad(?:es?|ed|ing)|verdict|annotators?|benchmarks?|data ?set|criteria|"
        r"guidelines?|protocol|compar\w+|instruct\w+|this (?:item|row|question)"
    ),
    _words(
        r"(?:the|your|official|answer) key|references?|gold|ground truth|the solution(?: sheet)?|(?:your|official|"
        r"intended|model|old) (?:solution|answer)|(?:expected|listed) (?:answer|name|result|value|output)|"
        r"discrepanc\w+|your (?:list|copy|records?|answers?|rules?)|(?:the two|both) answers|nickname|pen name|"
        r"paraphrase"
    ),
    _words(
        r"accept\w*|approv\w*|credit\w*|pass(?:es|ed|ing)?|reject\w*|fail(?:s|ed|ing)?|counts?|counted|award\w*|tick|"
        r"confirm\w*|validat\w*|penali[sz]\w*|deduct\w*|treat(?:ed)?|taken|deem\w*|overlook\w*|ignor\w+|disregard\w*|"
        r"waved?|overrul\w+|overrid\w+|rule|points?|full (?:marks?|score)|signed off|grant\w*|defer"
    ),
)
# The answer and what it is said to be; somebody who is asked. One of these beside one of those is talk of grading.
_BESIDES = (
    _words(
        r"this|mine|me|any|such|(?:my|the|an?|non-empty|empty) (?:answers?|repl(?:y|ies))|responses?|"
        r"submissions?|candidates?|correct\w*|right|match(?:es)?|equivalen\w+|identical|coincid\w+|valid|a hit|solved"
    ),
    _words(
        r"please|kindly|you|do not|don't|never|lenien\w+|generous\w*|strict\w*|fair\w*|merc(?:y|iful)|toleran\w+|"
        r"pedantic|literal\w*|reconsider|reasonable|grateful|implore|beg|thanks|only|let"
    ),
)
# Somebody's own work or doubt, or a tale: unless it is of this answer, or somebody is asked for something.
_TOLD = _words(
    r"i|i'm|we|was|were|had|did|been|said|says|reads|wrote|gave|won|ruled|took|found|agreed|probably|likely|seems?|"
    r"cannot|could|unable|not known|unclear|courts?|jury|schools?|exams?|pupils?|students?|teacher|quiz|games?|"
    r"goal|votes?|paper|rows?|claim|charge|entry|entries|%"
)
_ASKED = _words(r"you|your|please|kindly|this|this answer|this response|me")
_SUBJECT = _words(
    r"judges?|judged|scor(?:es?|ed|ing)|grad(?:es?|ed|ing)|graders?|marks|benchmarks?|evaluat\w+|verdicts?|annotat\w+|"
    r"exams?|examin\w+|metrics?|points|jury|trial|reviewers?|referees?|rubrics?|quiz"
)
_LABELLED = re.compile(
    r"^[\"'`*>#{\[<]*(?:\w++[ -]){0,3}(?:\w*_)?[a-z]\w+[\"'`]? ?(?::|=+>?|->) ?[\"'`]?(?:fully )?(?:correct|true|"
    r"pass(?:ed)?|right|yes|1(?:\.0+)?(?:/1)?|success\w*|accepted|match|equivalent|identical|same as above)[\"'`}\]]*$"
)


def talks(lower: str) -> int | None:
    """Where a clause of a folded text begins that talks of grading what stands beside it; None where none does."""
    head = _HEAD.match(lower)
    cut = head.end() if head else 0
    for start, clause in clauses(lower):
        if beside(lower, start, clause) and _talks(clause):
            return start
        if start < cut and _talks(clause[cut - start :]):  # "Ossel, which …": what is before the comma is the answer
            return cut
    return None


def about_grading(question: str) -> bool:
    """Whether a question is itself about judges, scores or grades, so that its answer may be, too."""
    return _SUBJECT.search(question.lower()) is not None


def _talks(clause: str) -> bool:
    if _GRADING.search(clause) or _LABELLED.search(clause):
        return True
    if _TOLD.search(clause) and not _ASKED.search(clause):
        return False
    proper = sum(kind.search(clause) is not None for kind in _PROPER)
    return proper > 1 or (proper == 1 and any(kind.search(clause) for kind in _BESIDES))


def clauses(lower: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text and what stands in brackets, with their places; a very long one in pieces."""
    at = 0
    for end in [*(match.start() for match in _CLAUSES.finditer(lower)), len(lower)]:
        while at < end:
            piece = lower[at : min(end, at + LONGEST)]
            bare = piece.lstrip(" .!?;()[]|•\n-–—。！？；（）「」")
            if len(bare) > 5:
                yield at + len(piece) - len(bare), bare.rstrip()
            at = end if at + LONGEST >= end else at + LONGEST - _OVERLAP


def beside(lower: str, start: int, clause: str) -> bool:
    """Whether something else is said before or after a clause: the answer itself."""
    first, last = _ends(lower)
    return first < start or last >= start + len(clause)


@lru_cache(maxsize=16)
def _ends(text: str) -> tuple[int, int]:
    """Where the first and the last letter or digit of a text stand: every clause of it asks. None is at its end."""
    first = next((place for place, sign in enumerate(text) if sign.isalnum()), len(text))
    return first, next((place for place in range(len(text) - 1, -1, -1) if text[place].isalnum()), -1)
