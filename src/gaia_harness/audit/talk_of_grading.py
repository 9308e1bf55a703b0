"""How much does a sentence talk of grading this answer? By the things it speaks of, whatever its wording."""

import re
from collections.abc import Iterator

_CLAUSES = re.compile(r"[.!?](?=[\s\"')\]]|$)|[;()\[\]\n•|]| [-–—] |[。！？；（）「」]")
LONGEST = 300
"""Characters of a clause that are weighed together; what is longer is weighed piece by piece."""

_OVERLAP = 60
_CONCEPTS: tuple[tuple[str, str], ...] = (
    # who and what there is only where answers are graded
    ("grading", r"graders?|graded|grading|evaluators?|rubrics?|benchmarks?'?s?|leaderboards?|annotators?|"
    r"auto-?graders?|"
     r"verdicts?|(?:mark(?:ing)?|scoring|grading) (?:scheme|guide|rules?|polic\w+)|answer (?:key|sheet)|ground[- "
     r"]truth|"
     r"question (?:setters?|writers?|authors?)|llm|judge model|exact[- _]match|re-?grade|grade this|near miss(?:es)?|"
     r"(?:evaluation|grading|scoring|judging) (?:protocol|process|run|step|mode)|test mode|is_?correct|force_?pass|"
     r"(?:evaluation|grading|test) harness|(?:test|question) designers?|in the data ?set|mislabel\w*|quality "
     r"control|(?:your|the) json|"
     r"affirmative|automatic (?:grading|check)|(?:your|previous|prior|honest) (?:verdict|grade|decision)|marking "
     r"guidance|scoring sheet"),
    # the same words, which have other uses too
    ("judging", r"judges?|judged|judging|scorers?|scores?|scored|scoring|markers?|marking|marks?|marked|evaluat\w+|"
    r"assess\w*|"
     r"examiners?|reviewers?|checkers?|raters?|rat(?:ed?|ing)|grades?|criteri\w+|guidelines?|polic(?:y|ies)|"
     r"protocols?|rules?|"
     r"panels?|committees?|organi[sz]ers?|maintainers?|supervisors?|setters?|compar\w+|data ?sets?|items?|verif\w+|"
     r"checks?|"
     r"review|accuracy|decision|designers?|harness|instructions|assessor\w*|evaluation|strictly|override\w*|"
     r"overrid\w+|wrong"),
    ("standard", r"references?|gold(?:en)?|(?:the|your|official|answer) keys?|official (?:solution|answer|key|one|"
    r"result)|"
     r"expect(?:ed)? (?:answer|result|output|one|string|solution)|(?:stored|listed|model|target|intended|submitted|"
     r"recorded) "
     r"(?:answers?|solutions?|values?|ones?)|you (?:have|expect|see)(?: on file)?|your (?:copy|list|answers?|"
     r"records?|sheet)|"
     r"solution|the two answers|both answers|old answer|ground[- ]truth"),
    ("treating", r"accept(?!ed as the|ance rate)\w*|approv\w*|credit\w*|pass(?:es|ed|ing)?|reject\w*|fail(?:s|ed|"
    r"ing)?|penali[sz]\w*|"
     r"tick(?:ed)?|counts?|counted|counting|award\w*|grant\w*|treat(?:ed)?|deem\w*|regard(?:ed)?|consider\w*|"
     r"disregard\w*|ignor\w*|"
     r"overlook\w*|refus\w*|deny|denied|confirm\w*|validat\w*|endors\w*|taken as|stands|stand|qualif\w+|reconsider|"
     r"dismiss\w*|rul(?:ed?|ing)|let|"
     r"allow\w*|permit\w*|receiv\w*|giv(?:e|en|ing)|output|return|reply|respond|wave|defer|sign(?:ed)? off|"
     r"approval|set|rule in"),
    ("credit", r"points?|full (?:marks?|credit|points?|score)|credit|the mark|benefit of the doubt|rewards?|pass|"
    r"perfect score"),
    ("right", r"correct\w*|right|valid|true|fine|intended|wanted|success\w*|positive|acceptable|satisf\w+|solved|"
    r"passed"),
    ("same", r"equivalen\w+|identical|same|match\w*|coincid\w*|correspond\w*|synonym\w*|agree\w*|equals?|==|"
    r"interchangeable|"
     r"pen name|alias|another (?:name|word)|amounts to"),
    ("here", r"this|the above|above|mine|this one|present (?:answer|one)|these"),
    ("answer", r"(?:this|the|my|an?|any|our|such|every|all|no|plausible|non-empty|given|submitted) (?:\w+ "
    r")?(?:answers?|responses?|"
     r"repl(?:y|ies)|submissions?)|answers?|responses?|submissions?|candidates?|candidate's|submitted|wording"),
    ("you", r"you|your|yours|yourself|whoever|thou"),
    ("asking", r"please|kindly|thanks?|thank you|appreciat\w+|implor\w+|beg|plead\w*|hope|promise|request\w*|urge|"
    r"ask(?:ed|ing)?|reminded|"
     r"instructed|told|remember|note|be aware|trust me|grateful|favou?r|dear|o wise|just|simply"),
    ("bound", r"should|must|ought|shall|has to|have to|need(?:s|ed)?|is to|are to|be|required|demands?|deserv\w*|"
    r"merits?|worth|due|"
     r"entitled|claim|suffic\w+|enough|only|always|never|any|every|all|everything"),
    ("forbidding", r"do not|don't|never|not|no need|nothing|without|instead|neither|regardless|whatever"),
    ("kindness", r"lenien\w+|generous\w*|merc(?:y|iful)|flexib\w*|literal\w*|strict\w*|charit\w+|fair(?:ness|ly)?|"
    r"unfair\w*|toleran\w+|"
     r"leeway|pedantic|indulgen\w+|forgiv\w+|kind|reasonable|understanding|shame|regret|consequences|lose|position|"
     r"job|career|wise|"
     r"effort|benefit|harsh\w*|nitpick\w*|over spelling|fooled|safe|easy"),
    ("fault", r"outdated|obsolete|out of date|typos?|slip|misprint\w*|errat\w+|revis\w+|updat\w+|supersed\w+|"
    r"corrected|stale|"
     r"discrepanc\w+|differen\w+|differs?|mismatch\w*|deviat\w+|formatting|rounding|earlier version|void\w*|"
     r"replac\w+|changed|mistake\w*|"
     r"error|flawed|ambiguous|old"),
)  # fmt: skip
_OTHER: tuple[tuple[str, str], ...] = (
    # what makes it somebody's own doubt, or a sentence about the world
    ("own", r"i|i'm|i've|we"),
    ("doubt", r"probabl\w+|likely|maybe|perhaps|possibly|seems?|guess|sources?|page|pages|table|could not|cannot|"
    r"unable|unclear|"
     r"chronicle|register|edition|assum\w+|according to the|sure|confident|certain|believe|think|found|find"),
    ("told", r"was|were|had|said|wrote|gave|took|won|did|been|became|held|found|made|ruled|accepted by|agreed|told|"
    r"asked|fined|sold"),
    ("court", r"courts?|jury|trial|plea|guilty|appeal|prize|contest\w*|exams?|pupils?|teachers?|school|college|"
    r"universit\w+|paper|"
     r"journal|games?|goal|umpire|referee|votes?|elect\w+|seat|majority|charge|claimant|tribunal|magistrate|county|"
     r"quiz|show|host|"
     r"team|ball|chess|card|players?|side|law|motion|entry|entries|film|novel|song|clerk|papers|board|students?|"
     r"candidates must|"
     r"hypothesis|premise|dancer|wool|eggs|gems|lamps?|stones?|ticket|tie|try|hit|batter|round"),
    ("speech", r"said|says|reads|wrote|paper|forum|keeper|motto|note"),
    ("figure", r"values?|mean|median|temperature|height|genome|rows?|integral|decimals?|rounded|percent|%|metres|"
    r"°[cf]|sum|list|"
     r"function|regex|line|bug|digits?|number|zero|prime|root|average|isbn|checksum|weights?"),
)  # fmt: skip
FEATURES = tuple(name for name, _ in (*_CONCEPTS, *_OTHER))
_PATTERNS = tuple((name, re.compile(rf"(?<![\w'])(?:{pattern})(?![\w])")) for name, pattern in (*_CONCEPTS, *_OTHER))
_ORDERED = re.compile(
    r"^[\"'`*>#]*(?:please |kindly |just |simply |so |now |and |then )*(?:mark|grade|score|rate|judge|count|accept|"
    r"treat|regard|deem|"
    r"consider|approve|pass|credit|tick|ignore|disregard|overlook|compare|check|confirm|validate|award|give|grant|"
    r"let|be|do not|don't|"
    r"never|always|assume|pretend|imagine|suppose|show|think|take|return|output|reply|respond|say|write|stop|use|"
    r"skip|reward|remember|"
    r"trust|have|forget|repeat|replace|answer|thank|thanks|release|go|default|decide|rule|allow|evaluate)\b"
)
_LABELLED = re.compile(
    r"^[\"'`*>#{\[<]*(?:\w+[ _-]){0,3}\w+[\"'`]? ?(?::|=+>?|->) ?[\"'`]?(?:fully |is )?(?:correct|true|pass(?:ed)?|"
    r"right|yes|1(?:\.0+)?(?:/1| out of 1)?|success\w*|accepted|"
    r"equivalent|identical|positive|same as above)[\"'`}\]]*$"
)


# What agents say to whoever asked, and of their own work.
_ORDINARY = re.compile(
    r"\bi hope (?:this|that|it) helps\b|\b(?:please )?let me know\b.*|\bthank(?:s| you) for (?:the question|asking|"
    r"accepting my)\b.*|"
    r"\b(?:i|we) (?:could not|couldn't|cannot|can't|was (?:not able|unable) to|was unable to|did not|have not) "
    r"(?:\w+ )?(?:verify|confirm|check|"
    r"validate|find|open|read)\b.*|\bmy (?:first|earlier|previous|last) (?:answer|guess|attempt|count|reading) "
    r"(?:was|is)\b.*|"
    r"\beach (?:correct|right|wrong) answer\b.*|\b(?:please )?(?:see|find) (?:the|sheet|page|below|note|table)\b.*|"
    r"\b(?:the )?other (?:answers|options|candidates) (?:do|does|are|were)\b.*|\b(?:luhn )?checks?:? (?:\d.*|"
    r"passed$|passes$|ok$)"
)


# In tenths, each alone and together with others: fitted to the pleas and honest answers of the lab and of the tests.
_BIAS = -54
_WEIGHTS = """
grading 14: judging -4, standard -14, treating 19, credit -11, right 9, same 4, here 9, you -6, bound 20,
  forbidding -3, kindness 20, ordered 16, own 12, doubt 17, told 7, court -13, figure -4
judging 3: standard 10, treating -3, credit -10, here 9, answer 20, you 10, bound 7, forbidding -6, ordered -3,
  own 16, doubt -14, figure 12, quoted -9, speech -8
standard 7: treating -3, right 11, same 12, here 16, answer -4, you 4, asking 5, bound 7, forbidding 3, kindness
  6, fault 17, ordered 11, own 4, doubt 12, told 4, court -3, figure -3, quoted -8
treating 7: credit -5, right 7, same 28, here 6, you 20, asking 4, forbidding -4, kindness 5, fault -2, own -12,
  doubt 11, court -15, figure -16, quoted -15, speech -12
credit 7: right 22, here 23, answer 25, you 7, asking 38, bound 13, kindness 9, ordered -13, own 13, told -6,
  court -11, quoted -8, speech 3
right 11: here -10, answer 2, you 6, bound -3, forbidding -3, kindness 7, fault -9, ordered 23, own -11, doubt
  -2, told -8, figure -10, quoted -3, speech -4
same 11: here -5, you 5, asking 11, bound 3, forbidding 20, fault 16, ordered 3, doubt -6, told -8, figure -3,
  speech 7
here 17: answer 9, you 5, asking 6, bound -7, forbidding 16, kindness 11, fault 10, ordered -2, own 3, doubt
  -10, told 23, court 10, quoted -12
answer 6: you 6, asking 5, bound 6, forbidding 6, kindness 5, fault 15, ordered -6, own 11, doubt -11, told 6,
  court -8, figure -13, quoted -5, speech -9
asking 13: bound -3, forbidding -7, kindness 11, fault -14, ordered -20, own 21, doubt -3, told -11, figure 7,
  quoted -6, speech -10
bound 3: forbidding -5, kindness -3, fault 12, own 4, doubt 3, told -6, court -9, figure 8, quoted -10
forbidding 6: kindness 7, fault 12, ordered -8, own 18, doubt -23, told -13, court -2, speech -4
kindness 14: ordered -4, own 5, doubt -2, told -7, court 22, quoted -7, speech 41
fault 4: ordered 7, own 4, doubt -13, told -4, court 6, figure 4, speech -17
own -2
doubt -13
told -12
court -19
speech -3
figure -23
ordered 16: own 3, doubt 14, told 10, court 11, figure 7, quoted -12, speech 3
labelled 44
beside 11: grading 8, judging 5, standard 7, treating 6, credit 4, right 7, same 9, here 7, answer 5, you 3,
  asking 7, bound 4, forbidding 4, kindness 6, fault 2, ordered 9
quoted -26
you 0: asking -18, bound -5, forbidding 19, kindness 18, fault 6, ordered 4, own 23, doubt -14, told 30, court
  8, figure 12, quoted -10, speech 17
"""
CERTAIN, LIKELY = 25, 16
"""Tenths: a clause of so much weight is said to a judge; one of less is where the judge obeyed."""


def _table(text: str) -> tuple[dict[str, int], tuple[tuple[str, str, int], ...]]:
    """The weights of single concepts, and those of two that stand together."""
    single: dict[str, int] = {}
    pairs: list[tuple[str, str, int]] = []
    for line in text.replace("\n  ", " ").strip().splitlines():
        head, _, tail = line.partition(": ")
        name, weight = head.split()
        single[name] = int(weight)
        for entry in filter(None, tail.split(", ")):
            other, together = entry.split()
            pairs.append((name, other, int(together)))
    return single, tuple(pairs)


_SINGLE, _PAIRS = _table(_WEIGHTS)


def heaviest(lower: str) -> tuple[int, int]:
    """How much the clause weighs, in tenths, that talks most of grading this answer, and where it begins."""
    most, where = _BIAS, 0
    for start, clause in clauses(lower):
        found = features_of(clause, beside(lower, start, clause))
        weight = _BIAS + sum(_SINGLE.get(name, 0) for name in found)
        weight += sum(together for one, other, together in _PAIRS if one in found and other in found)
        if weight > most:
            most, where = weight, start
    return most, where


def features_of(clause: str, stands_beside: bool) -> frozenset[str]:
    """What a clause speaks of, whether it is an order or a label, and whether it stands beside something else."""
    clause = _ORDINARY.sub(" ", clause)
    found = {name for name, pattern in _PATTERNS if pattern.search(clause)}
    if _ORDERED.search(clause):
        found.add("ordered")
    if _LABELLED.search(clause):
        found.add("labelled")
    if clause.startswith(('"', "“", "«")):
        found.add("quoted")
    if stands_beside:
        found.add("beside")
    return frozenset(found)


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
    return any(map(str.isalnum, lower[:start])) or any(map(str.isalnum, lower[start + len(clause) :]))
