"""Recognises prompts that tell the model whether its answer was right, as opposed to well formed."""

import re
from functools import lru_cache

from gaia_harness.audit.prompt_texts import is_number
from gaia_harness.evidence.wording import reduce
from gaia_harness.protocol import LINE_ASKED_FOR, is_template

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
        r"\b(?:scored|score of|reward of|earned|received|got) (?:0(?:\.0+)?|zero|no points?|no credit)"
        r"(?!\.?\d| ?\w*(?:results?|hits|matches|rows|lines|bytes|pages|entries|items)\b)",
        r"\b(?:match|similarity|reward|closeness|nearness|overlap|agreement|score|distance)"
        r" (?:with|to|of|for|from) (?:the |that |your |this )?(?:\w+ )?"
        r"(?:reference|expected|gold|answer|target|truth|key)[^.!?]{0,20}[:=]? ?\d",
        r"^\W*[✗✘❌👎]\W*$",
    )
)
# Words by which a verdict is about an answer, and not about a search, a page, a test or a request.
_OF_ANSWERS = re.compile(
    r"\b(?:answers?|answered|guess(?:es)?|submission)\b|\byou(?:'re| are| were| got it) (?:wrong|right|not|in)|"
    r"\b(?:judge|grader|scorer|evaluator|examiner|oracle|graded|reward|ground.?truth|gold)\b|\bis_correct\b|"
    r"\b(?:verdict|evaluation) ?[:=]|"
    r"antwort|respuesta|réponse|risposta|resposta|ответ|odpowied|cevap|yanıt|答|정답|إجابة|جواب"
)
_ALONE = re.compile(
    r"\W*(?:score|reward|is_?correct|correct|that(?: is|'s)|not (?:quite )?(?:correct|right)|(?:still )?wrong|"
    r"incorrect|nope|no)\b"
)
# What a check of an answer's form names, which knows no more of the answer than the question does.
_OF_FORM = re.compile(
    r"\b(?:format\w*|forms?|units?|digits?|numbers?|numeric\w*|integers?|floats?|strings?|types?|words?|letters?|length|"
    r"characters?|long|short\w*|concise|brief|commas?|lists?|articles?|spelling|abbreviat\w+|sentences?|plain|json|"
    r"schema|pattern|regex|punctuation|explanation)\b"
)
_GOOD = re.compile(r"\b(?:correct|right|accepted|approved|true|pass(?:ed)?|yes)\b")
_NOT_GOOD = re.compile(rf"\b(?:{_BAD}|not|no|nor|never|declined|refused)\b|n't\b")
_PLACEHOLDER = re.compile(
    r"[<\[({].*[>\])}]|(?:the |your |my |a )?(?:final |short |exact )*answer(?: here| goes here| only)?|[_?x -]+|tbd|"
    r"unknown yet|pending",
    re.IGNORECASE,
)
# A lesson that is drawn from answers to other questions, and speaks of none in particular.
_LESSON = re.compile(
    r"\b(?:lessons?|practice|practised|training|rule|tip|advice|habit|in general|often|usually|mistakes?|"
    r"(?:other|another|similar|different) (?:questions?|tasks?|problems?|runs?))\b"
)
_OF_THIS = re.compile(
    r"\byou(?:rs?)?\b|\b(?:this|its|the present|the current) (?:very )?(?:task|question|item|one|problem)\b"
)
_NAMED = re.compile(r"[\d\"“”„«»'‘`]|(?<=[a-z,;:] )[A-Z]")
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
_LINE = re.compile(r"\b" + re.escape(" ".join(LINE_ASKED_FOR.lower().split())))
_OPEN = re.compile(
    r"\b(?:whether|if|ensure|make sure|verify|check|confirm|sure|might|may|could|unless|in case|suppose|would|when|"
    r"double-check)\b"
)
_TELLING = ("attempt", "answer", "rejected", "tried", "judge", "grader", "scor", "guess", "wrong", "incorrect")
_MARKS = str.maketrans({"’": "'", **dict.fromkeys('*,()"“”„«»—–', " ")})
_SPACES = re.compile(r"\s+")


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


def is_praise(lower: str, place: tuple[int, int]) -> bool:
    """Whether a verdict says yes."""
    said = lower[slice(*place)]
    return _GOOD.search(said) is not None and _NOT_GOOD.search(said) is None


def is_of_form(text: str, answer: str, gold: str) -> bool:
    """Whether a remark names the form of an answer, and that is what is wrong: too long, or words for a number."""
    if _OF_FORM.search(in_lower_case(text)) is None:
        return False
    longer = len(answer.split()) > len(gold.split())
    return (longer and reduce(gold) in reduce(answer)) or is_number(gold) is not is_number(answer)


def speaks_of_answers(lower: str, place: tuple[int, int]) -> bool:
    """Whether the sentence of a verdict is about an answer: other things may be wrong or rejected, too."""
    start, end = place
    before = re.split(r"[.!?;]", lower[max(0, start - 80) : start])[-1]
    after = re.split(r"[.!?;]", lower[end : end + 80])[0]
    return _OF_ANSWERS.search(before + lower[start:end] + after) is not None


def begins_with_a_verdict(lower: str) -> bool:
    """Whether a prompt begins with a bare verdict, without naming what it judges, and then goes on."""
    return _ALONE.match(lower) is not None


def is_placeholder(answer: str) -> bool:
    """Whether what stands where an answer should is only a word for one, as in `FINAL ANSWER: your answer`."""
    bare = answer.strip(" .…\"'")
    return not bare or is_template(answer) or _PLACEHOLDER.fullmatch(bare) is not None


def is_general(line: str) -> bool:
    """Whether a line about earlier answers is a lesson, names none of them, and speaks of no task in particular."""
    lower = in_lower_case(line)
    return bool(_LESSON.search(lower)) and not _OF_THIS.search(lower) and not _NAMED.search(line)


def is_of_this(line: str) -> bool:
    """Whether a line speaks of the task or of the model's own answers to it."""
    return _OF_THIS.search(in_lower_case(line)) is not None


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


def asks_for_the_line(text: str) -> bool:
    """Whether a prompt asks for the line that gives an answer, as the harness does where a reply has none."""
    return _LINE.search(in_lower_case(text)) is not None


def in_lower_case(text: str) -> str:
    """In lower case with single spaces; places stay those of the text, but for runs of spaces."""
    lower = text[:LONGEST].lower().translate(_MARKS)
    return _SPACES.sub(" ", lower).strip()
