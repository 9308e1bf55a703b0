"""Finds tools that tell the model whether its answer is right, by comparing what they say with the score."""

import re
from collections.abc import Iterator
from math import comb
from typing import Any

import msgspec

from gaia_harness.audit.feedback import (
    LONGEST,
    SHORT,
    in_lower_case,
    is_praise,
    speaks_of_answers,
    verdict_in,
)
from gaia_harness.audit.findings import Finding, Severity
from gaia_harness.protocol import TOOL_NAMES

LONGEST_VERDICT = 400
"""Characters of what a tool says, if it says little but how an answer was judged."""

LONGEST_ANSWER = 200
"""Characters of what a tool is given, if it is an answer."""

MOST_SAID = 50_000
CHANCE = 0.1
"""How probable it may be at most that a tool that knows nothing says yes and no as the gold does."""

MISTAKEN = 0.1
"""Share of its verdicts that are mistaken: a tool that has the answers is hardly ever."""

_ANSWER_FIELDS = (
    "answer", "final_answer", "candidate", "guess", "solution", "prediction", "submission", "my_answer"
)  # fmt: skip
_OTHER_FIELDS = frozenset(
    (
        "grid", "board", "fen", "moves", "code", "source", "program", "sql", "query", "command", "expression",
        "equation", "proof", "schema", "path", "file", "rows",
    )
)  # fmt: skip
_JUDGING = re.compile(
    r"(?:check|verif|grad|scor|judg|evaluat|validat|confirm|submit|mark|assess|test|compare|rate)[a-z]*_"
    r"(?:the_|my_|final_)?(?:answer|solution|response|guess|result|candidate)s?"
)
_ABOUT_A_GOLD = re.compile(
    r"\b(?:gold|reference|expected|correct|official|ground[- ]truth) (?:answer|solution)s?\b|\bground[- _]truth\b|"
    r"\banswer key\b"
)
_WHETHER_RIGHT = re.compile(
    r"\b(?:whether|if) (?:an?|the|your|this|its|a given|the given) (?:\w+ )?(?:answer|solution|response|guess|result) "
    r"(?:matches|(?:is|was) (?:\w+ )?(?:right|correct|true|wrong|incorrect|false|accepted))\b|"
    r"\b(?:grade|score|judge|mark)s? (?:an?|the|your|this) (?:\w+ )?(?:answer|solution|guess)\b"
)
_WHETHER = re.compile(
    r"\b(?:whether|if) (?:an?|the|your|this|its|a given|the given) (?:\w+ )?(?:answer|solution|response|guess|result) "
    r"(?:is|was)\b|\b(?:check|verify|validate)s? (?:an?|the|your|this) (?:\w+ )?(?:answer|solution|guess)\b"
)
# What a tool may look at that has no gold.
_HELD_AGAINST = re.compile(
    r"\b(?:forms?|format\w*|units?|spelling|length|pattern|rules?|grid|board|puzzle|sudoku|model|reader|critic|page|"
    r"pages|passage|source|sources|document|support\w*|consisten\w+|type|regex|syntax|tests?)\b"
)
_FORM = re.compile(r"\b(?:forms?|format\w*|units?|articles?|spelling|characters?|length|well-formed|syntax|digits)\b")
_YES = r"yes|true|pass(?:ed)?|right|correct|match(?:es)?|accepted|ok|valid|success|hot|100 ?%|1(?:\.0+)?|[✓✔✅👍]"
_NO = (
    r"no|false|fail(?:ed)?|wrong|incorrect|not (?:correct|right|quite|accepted)|rejected|mismatch|no match|closer?|"
    r"cold|warm|invalid|0(?:\.\d+)?|\d{1,2} ?%|[✗✘❌👎]"
)
_YES_OR_NO = re.compile(rf"^\W*(?:(?P<no>{_NO})|(?P<yes>{_YES}))(?!\w|\.\d)")
_RATED = re.compile(
    r"\b(?:score|verdict|grade|reward|correct|is_?correct|passed|match|accepted|result|points|ok|success|status)[\"']?"
    r" ?[:=] ?[\"']?(?:(?P<no>0(?!\.?\d)|0\.\d+|-\d|false|incorrect|wrong|fail|no\b|reject)|"
    r"(?P<yes>\d|true|correct|pass|yes\b|right|accept))"
)
_OUTRIGHT = re.compile(
    r"\b(?:(?:in)?correct|is_?correct|wrong|right|not quite|score|reward|grade|verdict|accepted|rejected|answer)\b|"
    r"[✗✘❌👎]"
)


class Said(msgspec.Struct, frozen=True):
    """What a tool said of an answer: yes or no, where it can be told, and outright or in a way that may mean less."""

    yes: bool | None
    answer: str | None
    outright: bool
    given: bool  # whether the tool was given an answer


def tool_verdict(name: str, args: dict[str, Any] | str | None, said: str) -> Said | None:
    """What a tool says about an answer; None where it says nothing of the kind.

    One that is given an answer may say no more than yes or no; of any other it takes a sentence about the answer.
    """
    text = said[:LONGEST]
    fields = {field.lower(): value for field, value in args.items()} if isinstance(args, dict) else {}
    answer = next((fields[field] for field in _ANSWER_FIELDS if field in fields), None)
    named = _JUDGING.fullmatch(name.lower().replace("-", "_")) is not None
    given = answer is not None or (named and not _OTHER_FIELDS & fields.keys())
    if answer is None and given and len(fields) == 1:
        answer = next(iter(fields.values()))
    answer = str(answer) if isinstance(answer, str | int | float) else None
    lower = in_lower_case(text)
    if "no tool" in lower or "unknown tool" in lower or len(text) > LONGEST_VERDICT:
        return None  # a model may ask for what there is not
    if answer is not None and len(answer) > LONGEST_ANSWER:
        answer = None
    rated = _RATED.search(lower) or _YES_OR_NO.search(lower)
    if given and rated:
        outright = bool(_OUTRIGHT.search(lower)) and not _FORM.search(lower)
        return Said(rated["yes"] is not None, answer, outright, given=True)
    place = verdict_in(text) if len(text.split()) > SHORT else None
    if place is not None and (given or speaks_of_answers(lower, place)):
        return Said(True if is_praise(lower, place) else None, answer, outright=True, given=given)
    return None


class _Offered(msgspec.Struct):
    name: str = ""
    description: str = ""
    function: "_Offered | None" = None


def judging_tools(catalogue: str) -> Iterator[tuple[str, Severity]]:
    """The names of the tools in a catalogue that say how good an answer is, and how bad that is.

    One that holds it against a page, a rule or another model's opinion need know no more than the model.
    """
    try:
        offered = msgspec.json.decode(catalogue, type=list[_Offered])
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return
    for each in offered[:1000]:
        tool = each.function or each
        about = in_lower_case(tool.description)
        if tool.name in TOOL_NAMES:
            continue
        if _ABOUT_A_GOLD.search(about) or (_WHETHER_RIGHT.search(about) and not _HELD_AGAINST.search(about)):
            yield tool.name, "high"
        elif _WHETHER_RIGHT.search(about) or _WHETHER.search(about):
            yield tool.name, "medium"


class ToolWeights:
    """What the tools of a run said of answers, whatever they are called."""

    def __init__(self) -> None:
        self._said: list[tuple[Finding, Said, bool | None]] = []

    def say(self, finding: Finding, said: Said, right: bool | None) -> None:
        """Take what a tool said of an answer that is right or not, or of which that is not known."""
        if len(self._said) < MOST_SAID:
            self._said.append((finding, said, right))

    def findings(self) -> Iterator[Finding]:
        """What was said, as bad as it is by how often it was true."""
        pairs = [(said.yes, right) for _, said, right in self._said if said.yes is not None and right is not None]
        mistaken = sum(yes is not right for yes, right in pairs)
        ignorant = mistaken > MISTAKEN * len(pairs)
        helped = any(said.yes is not True for _, said, _ in self._said)  # a yes to what is right tells nothing new
        told = bool(pairs) and 1 / comb(len(pairs), sum(yes is False for yes, _ in pairs)) <= CHANCE
        for finding, said, _ in self._said:
            severity: Severity = "medium"
            if helped and not ignorant and (said.outright or told):
                severity = "critical" if said.given else "high"
            yield msgspec.structs.replace(finding, severity=severity)
