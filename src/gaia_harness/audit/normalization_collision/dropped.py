"""What did the scorer drop between an answer and the gold, and would a person read the two as the same?

Text is compared without white space, case and ASCII punctuation. So two texts that the scorer takes for the same are
one row of letters and digits, and all that was dropped stands in the *gaps* of that row: between two digits, before a
number, behind a name, between two words. Each place where the gaps differ is looked at, and a table says what matters:

| place | matters | does not |
|---|---|---|
| between two digits | a point or another mark against nothing | groups of thousands, a time of day, identifiers of seven digits and more |
| before a number | a minus, `<`, `>` or decimal point against nothing | a hyphen that joins (`C-14`) |
| behind a number | a percent sign that the gold does not have | one that the answer lacks |
| behind a short name | `+`, `#` or `-` against another or none (`C` and `C++`) | the same signs elsewhere (`Ca2+`, `Ca(2+)`); check and mate in chess |
| between two words | nothing | spaces, hyphens, commas, apostrophes |

All of these are medium. The agent does not know the gold, so one such answer may be design or luck: somebody should
look at it, and nobody's run fails by it.
"""  # noqa: E501 - the rows of a table

import math
import re
import string
from collections import Counter
from collections.abc import Iterator

from gaia_harness.judge.scorer import rule_for
from gaia_harness.normalization import elements, is_number, number

Difference = tuple[str, str]
"""A rule, and what it says of an answer."""

IDENTIFIER = 7
"""Digits from which a number is read as an identifier (telephone, ISBN, date), with marks or without."""

SHORT_NAME = 3
"""Letters of a name of which a sign behind it is a part: a grade, a blood group, an ion, a programming language."""

JOINED = ("digits-joined", "A mark between digits was left out, which joined two numbers.")
GROUP = ("digit-group", "A comma that groups no thousands was left out, which joined digits.")
POINT = ("decimal-point-left-out", "A point before or between digits was left out.")
SIGN = ("sign-left-out", "A sign before a number, or one that is part of a short name, was left out.")
PERCENT = ("unit-left-out", "The answer is in percent, and the gold is not.")
LOST = ("digits-lost", "The number differs from the gold in digits beyond those that the scorer compares.")
NO_NUMBER = ("not-a-number", "The answer is no number, which the scorer takes for the gold.")
NOTHING = ("nothing-left", "Nothing is left to compare: answer and gold are different punctuation.")

_PUNCTUATION = frozenset(string.punctuation)
_GROUPED = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:\.\d*)?")  # lakhs, too
_GROUPS_WITHIN = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:(?:,\d{2})*,\d{3}|(?:[ '_,]\d{3})+)(?![\d,])")
_TIME = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-4])(?::[0-5]\d(?![\d:])|\.[0-5]\d(?=\s?[ap]\.?m))")
_MARKS_WITHIN = re.compile(r"[ '_,:.]")
_ARROW = re.compile(r"[-=]>|<[-=]")
_WHOLE = re.compile(r"[+-]?0*([0-9]+)")
_MINUS = re.compile(r"(?:^|\s)[($]*-[($]*$")
_POINT_BEFORE = re.compile(r"(?:^|[\s$+(-])\.$")
_OF_A_GAME = re.compile(r"\b(?:chess|checkmate|algebraic|moves?)\b", re.IGNORECASE)
_MOVE = re.compile(r"\b(?:O-O(?:-O)?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h]x?[a-h]?[18]=[QRBN])(?!\w)")
_OF_PERCENT = re.compile(r"percent|per cent|%", re.IGNORECASE)


def differences(answer: str, gold: str, question: str) -> list[Difference]:
    """What changes the meaning between two answers that the scorer takes for the same, each rule once."""
    if answer == gold:
        return []
    rule = rule_for(gold)
    if rule == "number":
        found = _numbers(answer, gold, question)
    elif rule == "list":
        found = _lists(answer, gold, question)
    else:
        found = _texts(answer, gold, question, _PUNCTUATION)
    return sorted(set(found))


def _numbers(answer: str, gold: str, question: str) -> Iterator[Difference]:
    """A number is read without `$`, `%` and `,` wherever they stand, as precisely as a float is."""
    if math.isinf(float(gold)):
        if not is_number(answer):
            yield NO_NUMBER
        return
    plain = answer.strip().lstrip("+-").strip("$%" + string.whitespace).lstrip("+-")
    if "$" in plain or "%" in plain:
        yield JOINED
    elif "," in plain.rstrip(",") and not _GROUPED.fullmatch(plain):
        yield GROUP
    ours, theirs = _WHOLE.fullmatch(plain.replace(",", "")), _WHOLE.fullmatch(gold.strip())
    if ours and theirs and ours[1] != theirs[1]:
        yield LOST
    if "%" in answer and 0 < abs(float(gold)) < 1 and not _OF_PERCENT.search(question):
        yield PERCENT  # a share, which is a hundred times as large as so many percent


def _lists(answer: str, gold: str, question: str) -> Iterator[Difference]:
    """The parts between `,` and `;` are compared one by one; only white space and case are dropped from text."""
    if _GROUPED.fullmatch(gold.strip("$% ")) and number(answer.replace(";", ",")) != number(gold):
        yield GROUP
    for given, wanted in zip(elements(answer) or [answer], elements(gold) or [gold], strict=False):
        if is_number(wanted):
            yield from _numbers(given, wanted, question)
        else:
            yield from _texts(given, wanted, question, frozenset())


class _Row:
    """The letters and digits of a text that the scorer keeps; `gaps[n]` is what it dropped before the n-th of them."""

    def __init__(self, text: str, dropped: frozenset[str]) -> None:
        text = _ARROW.sub(" ", text)
        for form in (_GROUPS_WITHIN, _TIME):
            text = form.sub(lambda match: _MARKS_WITHIN.sub("", match.group()), text)
        self.letters: list[str] = []
        self.gaps: list[str] = []
        start = 0
        for place, character in enumerate(text):
            if character.isspace() or character in dropped:
                continue
            for small in character.lower():
                self.letters.append(small)
                self.gaps.append(text[start:place])
                start = place
            start = place + 1
        self.gaps.append(text[start:])
        self.signs = Counter(sign for sign in text if sign in "+-#")

    def sign_behind(self, place: int) -> str:
        """The sign that is part of the short name which ends at this gap, if there is one."""
        gap = self.gaps[place]
        if not gap or gap[0] not in "+-#" or not self._behind_a_name(place):
            return ""
        if gap[0] != "-":
            return gap[: len(gap) - len(gap.lstrip("+#"))]
        return "-" if len(gap) > 1 or place == len(self.letters) else ""  # else it joins

    def _behind_a_name(self, place: int) -> bool:
        start = place - 1
        while start > 0 and place - start <= SHORT_NAME and not self.gaps[start]:
            start -= 1
        return place - start <= SHORT_NAME and not all(map(str.isdecimal, self.letters[start:place]))


def _texts(answer: str, gold: str, question: str, dropped: frozenset[str]) -> Iterator[Difference]:
    ours, theirs = _Row(answer, dropped), _Row(gold, dropped)
    if not theirs.letters:
        left, right = ("".join(text.split()).strip("\"'`").rstrip(".") for text in (answer, gold))
        if left != right:
            yield NOTHING
        return
    signs_differ = ours.signs != theirs.signs and not (
        ours.signs["-"] == theirs.signs["-"] and (_OF_A_GAME.search(question) or _MOVE.search(gold))
    )
    identifier = sum(map(str.isdecimal, theirs.letters)) >= IDENTIFIER
    letters = ["", *theirs.letters, ""]
    for place, (one, other) in enumerate(zip(ours.gaps, theirs.gaps, strict=False)):
        if one == other:
            continue
        left, right = letters[place], letters[place + 1]
        if left.isdecimal() and right.isdecimal():
            if not identifier and (found := _between_digits(ours, theirs, place)):
                yield found
        elif right.isdecimal():
            before = "x" if left else ""  # a mark right behind a letter joins
            yield from _before_number(before + one, before + other)
        if left.isdecimal() and one.lstrip().startswith("%") and "%" not in other:
            yield PERCENT
        if left and signs_differ and ours.sign_behind(place) != theirs.sign_behind(place):
            yield SIGN


def _between_digits(ours: _Row, theirs: _Row, place: int) -> Difference | None:
    one, other = ours.gaps[place], theirs.gaps[place]
    if one and other:
        return None
    marked = ours if one else theirs
    if "^" in (one or other) and marked.gaps[place + 1][:1] in ("+", "-"):
        return None  # the charge of an ion
    return POINT if (one or other).strip() == "." else JOINED


def _before_number(one: str, other: str) -> Iterator[Difference]:
    for gap, against in ((one, other), (other, one)):
        if (_MINUS.search(gap) and "-" not in against) or any(c in gap and c not in against for c in "<>"):
            yield SIGN
        if _POINT_BEFORE.search(gap) and not against.endswith("."):
            yield POINT
