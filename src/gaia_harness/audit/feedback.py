"""Does a prompt tell the model how its answer was judged? Sentences about the answer's worth, not about its form."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from gaia_harness.audit.findings import Severity

OUR_TOOLS = frozenset(("web_search", "web_fetch", "file_read", "python"))
"""The tools that the harness has. What they bring is of the world: that a page says "incorrect" is nothing."""

LONGEST = 16 << 10
"""Characters of a prompt that are read; a verdict stands in a sentence."""

MOST_LINES = 400
"""Of an opening that are looked at one by one; a remark about earlier answers has one or two."""

SHORT = 3
"""Words: a prompt behind an answer that is no longer says nothing but yes or no."""

_ANSWER = r"(?:answers?|response|result|solution|submission|guess|conclusion|attempt|try|reply|output|that|it|this)"
_BAD = (
    r"(?:incorrect|wrong|not (?:correct|right)|not the (?:correct|right|expected)|false|mistaken|rejected|inaccurate)"
)
_VERDICTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\b{_ANSWER}(?: \S+){{0,3}} (?:is|was|were|are|has been|got|seems|appears|came back|graded|marked|scored)"
        rf"(?: \S+){{0,2}} {_BAD}\b",
        rf"\byour (?:\w+ )?{_ANSWER}(?: [^\s.!?]+){{0,12}} (?:is|was) (?:\w+ )?{_BAD}\b",
        r"\b(?:incorrect|wrong) (?:answer|solution|guess|result|response|submission|attempt)",
        r"\b(?:judge|grader|scorer|evaluator|checker|verifier|validator|marker|oracle|examiner)(?: \S+){0,3} "
        r"(?:rejected|rejects|refused|disagrees|disagreed|marked|said no|says no|failed|declined|did not accept|"
        r"accepted|approved|returned|scored|flagged)\b",
        r"\b(?:score|verdict|grade|reward|correct|is_correct|passed)[\"']? ?[:=] ?[\"']?"
        r"(?:0(?:\.0+)?(?:/\d+)?\b|1(?:\.0+)?(?:/1)?\b|false|true|incorrect|correct|wrong|fail|pass|no\b|yes\b)",
        r"\bdo(?:es)? ?n[o']t match (?:the )?(?:expected|reference|gold|ground|correct|stored|official|answer key)",
        r"\b(?:your|the|previous|last) (?:final )?answer (?:is|was) (?:correct|right|accepted|close)\b",
        r"\b(?:that is|that's|you were|you are|you're|you got it) (?:wrong|incorrect|not correct|right|correct)\b",
        r"\b(?:failed|(?:did|does) not pass) (?:the )?(?:check|grading|grader|evaluation|scoring|judge)",
        r"\bgraded as (?:in)?correct|\bmarked (?:as )?(?:wrong|incorrect|false)|\bnot accepted\b",
        r"\b(?:mismatch|no match)\b|"
        r"\b(?:evaluation|assessment|check(?:er)?|grader|judge|feedback(?: from \S+ \S+)?) ?: ?"
        r"(?:not )?(?:wrong|(?:in)?correct|right|fail\w*|pass\w*|false|true|rejected)\b",
        r"^(?:wrong|incorrect|no|nope|false|fail|failed|cold|colder|warm|warmer|too high|too low|correct|right)[.!]?$",
        r"\b(?:answers?|guess(?:es)?|submission|attempt|try) (?:rejected|refused|denied|declined|incorrect|wrong|"
        r"not (?:accepted|correct|right))\b|\b(?:answers?|guess(?:es)?) failed\b",
        r"\b(?:validator|grader|judge|scorer|checker|verifier|evaluator|grading|scoring|validation)\b[^.!?]{0,40}"
        r"\b(?:exit(?:ed)? ?(?:with )?(?:status|code)|returned|returns|status|code) ?[:=]? ?"
        r"(?:-?[1-9]\d{0,2}|nonzero|non-zero)\b",
        r"\bassert\w*\b[^.!?]{0,80}\b(?:reference|gold|expected|ground.?truth|answer.?key)\b[^.!?]{0,40}\bfail",
        r"(?:->|→|=>) ?(?:(?:score|reward|grade|verdict)[^.!?]{0,4} 0(?:\.0+)?(?!\.?\d)|"
        r"incorrect|wrong|rejected|fail(?:ed)?|not (?:correct|right|accepted))",
        r"\b(?:scored|score of|reward of|earned|received|got) (?:0(?:\.0+)?|zero|no points?|no credit)(?!\.?\d)",
    )
)
# A sentence of nothing but a verdict; what follows may say that only the form is meant.
_BARE = re.compile(
    r"(?:^|[.!?:;] )(?:no |nope |sorry |unfortunately |still |again |also |this is |that is |that's |it is |it's )*"
    r"(?:not (?:quite )?(?:correct|right|it)|incorrect|wrong|false|rejected|not accepted)"
    r"(?: yet| again| still| either)?(?=[.!;]|$)"
)
_BEFORE = re.compile(
    r"\b(?:earlier|previous(?:ly)?|prior|past|last|already|before|so far|tried|first (?:try|attempt|answer|run|guess)|"
    r"(?:has|have) (?:\w+ )?(?:been )?(?:rejected|marked|judged|graded|refused|failed|declined|scored)|"
    r"(?:attempt|run|try|guess|round) #?\d)\b"
)
_FOREIGN = re.compile(
    r"\b(?:falsch|nicht richtig|incorrect[oa]s?|respuesta equivocada|erron[ée]\w*|faux|mauvaise réponse|errad[oa]|"
    r"sbagliat\w|fout antwoord|onjuist|неверн\w*|неправильн\w*|błędn\w*|nieprawidłow\w*|yanlış)\b|"
    r"错误|不正确|不对|答错|不正解|間違|틀렸|오답|خطأ|غلط"
)
_AGAIN = re.compile(
    r"\btry (?:it )?again\b|\b(?:another|different|new) answer\b|\breconsider\b|\bonce more\b|"
    r"\bhave another (?:go|try)\b|\bdo not repeat\b|\bother than\b|\bprevious(?:ly)? (?:answered|attempts?)\b|"
    r"\b(?:one more|another|a second|a last|further) (?:try|tries|attempts?|chance|guess|go)\b|"
    r"\banswer (?:it )?again\b|\bgive another\b|\brevise\b|\btry something else\b|\bguess again\b"
)
# What makes it a remark about form, or a thing to check rather than a verdict.
_FORM = re.compile(
    r"\bformat\w*|\bsyntax|\bjson\b|\bschema|\btool\b|\bparse\w*|\barguments?\b|\bmarkdown\b|\bline of the form|"
    r"\bno final answer\b|\bwithout a final answer\b"
)
_OPEN = re.compile(
    r"\b(?:whether|if|ensure|make sure|verify|check|confirm|sure|might|may|could|unless|in case|suppose|would|when|"
    r"double-check)\b"
)
_TELLING = ("attempt", "answer", "rejected", "tried", "judge", "grader", "scor", "guess", "wrong", "incorrect")
_MARKS = str.maketrans({"’": "'", **dict.fromkeys('*,()"“”„«»—–', " ")})
_SPACES = re.compile(r"\s+")


_ANSWER_FIELDS = frozenset(
    ("answer", "final_answer", "candidate", "guess", "solution", "prediction", "submission", "my_answer")
)
_JUDGING = re.compile(
    r"(?:check|verif|grad|scor|judg|evaluat|validat|confirm|submit|mark|assess|test|compare|rate)[a-z]*_"
    r"(?:the_|my_|final_)?(?:answer|solution|response|guess|result|candidate)s?"
)
_JUDGES_ANSWERS = re.compile(
    r"\b(?:whether|if) (?:an?|the|your|this|its|a given|the given) (?:\w+ )?(?:answer|solution|response|guess|result) "
    r"(?:is|was|matches)\b|\b(?:gold|reference|expected|correct|official|ground[- ]truth) (?:answer|solution)s?\b|"
    r"\bground[- _]truth\b|\banswer key\b|\b(?:check|verify|grade|score|judge|validate|mark)s? "
    r"(?:an?|the|your|this) (?:\w+ )?(?:answer|solution|guess)\b"
)
_YES_OR_NO = re.compile(
    r"^\W*(?:yes|no|true|false|pass(?:ed)?|fail(?:ed)?|right|wrong|(?:in)?correct|not (?:correct|right|quite)|"
    r"rejected|match(?:es)?|mismatch|no match|close|closer|cold|warm|hot|[01](?:\.0+)?|\d{1,3} ?%|[✓✔✅✗✘❌👍👎])(?!\w)"
)
_RATED = re.compile(
    r"\b(?:score|verdict|grade|reward|correct|is_?correct|passed|match|accepted|result|points|ok|success|status)"
    r" ?[:=] ?(?:-?\d|true|false|(?:in)?correct|wrong|fail|pass|no\b|yes\b|right|reject|accept)"
)
LONGEST_VERDICT = 400
"""Characters of what a tool says, if it says little but how an answer was judged."""


def tool_verdict(name: str, args: dict[str, Any] | str | None, said: str) -> Severity | None:
    """How bad it is what a tool says about an answer; None where it says nothing of the kind.

    One that is given an answer may say no more than yes or no; of any other it takes a sentence about the answer.
    """
    text = said[:LONGEST]
    fields = {field.lower() for field in args} if isinstance(args, dict) else set()
    asked = bool(fields & _ANSWER_FIELDS) or _JUDGING.fullmatch(name.lower().replace("-", "_")) is not None
    lower = in_lower_case(text)
    if "no tool" in lower or "unknown tool" in lower:
        return None  # a model may ask for what there is not
    if len(text) <= LONGEST_VERDICT and asked and (_YES_OR_NO.search(lower) or _RATED.search(lower)):
        return "critical"
    if len(text) <= LONGEST_VERDICT and len(text.split()) > SHORT and verdict_in(text) is not None:
        return "critical" if asked else "high"
    return None


class _Offered(msgspec.Struct):
    name: str = ""
    description: str = ""
    function: "_Offered | None" = None


def judging_tools(catalogue: str) -> Iterator[str]:
    """The names of the tools in a catalogue that say how good an answer is."""
    try:
        offered = msgspec.json.decode(catalogue, type=list[_Offered])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return
    for each in offered[:1000]:
        tool = each.function or each
        if tool.name not in OUR_TOOLS and _JUDGES_ANSWERS.search(in_lower_case(tool.description)):
            yield tool.name


def verdict_in(text: str) -> tuple[int, int] | None:
    """Where a prompt says how an answer was judged; None where it does not."""
    lower = in_lower_case(text)
    for pattern in _VERDICTS:
        for match in pattern.finditer(lower):
            before = lower[max(0, match.start() - 60) : match.start()]
            sentence = re.split(r"[.!?;]", before)[-1] + match.group()
            after = re.split(r"[.!?;]", lower[match.end() : match.end() + 40])[0]
            if not _FORM.search(sentence + after) and not _OPEN.search(sentence):
                return match.start(), match.end()
    bare = _BARE.search(lower)
    if bare is not None and not _FORM.search(lower):
        return bare.start(), bare.end()
    foreign = _FOREIGN.search(lower)
    if foreign is not None and not _FORM.search(lower):
        return foreign.start(), foreign.end()
    return None


@lru_cache(maxsize=64)  # most openings are the same for every task
def told_before(text: str) -> tuple[str, ...]:
    """The lines of an opening that say how earlier answers were judged, before the model has given any."""
    lower = text[:LONGEST].lower()
    if not any(word in lower for word in _TELLING):
        return ()
    return tuple(
        line
        for line in text[:LONGEST].splitlines()[:MOST_LINES]
        if _BEFORE.search(in_lower_case(line)) and verdict_in(line) is not None
    )


def asks_again(text: str) -> bool:
    """Whether a prompt asks for another answer, and is not about the form of the last."""
    lower = in_lower_case(text)
    return bool(_AGAIN.search(lower)) and not _FORM.search(lower)


def in_lower_case(text: str) -> str:
    """In lower case with single spaces; places stay those of the text, but for runs of spaces."""
    lower = text[:LONGEST].lower().translate(_MARKS)
    return _SPACES.sub(" ", lower).strip()
