"""What the scorer's normalisation ignored between two answers it takes as equal, and how much it matters."""

import re
from collections.abc import Iterator
from decimal import Decimal, DecimalException

import msgspec

from gaia_harness.audit import notation
from gaia_harness.audit.findings import Severity
from gaia_harness.judge.scorer import rule_for
from gaia_harness.normalization import elements, is_number, number, words

_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?")
_LAKHS = re.compile(r"[1-9]\d?(?:,\d{2})*,\d{3}(?:\.\d*)?")
_MYRIADS = re.compile(r"[1-9]\d{0,3}(?:,\d{4}){2,}(?:\.\d*)?")
_SPACED = re.compile(r"(?<!\d)[1-9]\d{0,2}(?:[ '_]\d{3})+(?!\d)")
_LAKHS_WITHIN = re.compile(r"(?<![\d,])[1-9]\d?(?:,\d{2})+,\d{3}(?![\d,])")
_POINTED = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:\.\d{3})+(?![\d.])")
_TIME = re.compile(r"(?<!\d)(?:[01]?\d|2[0-4]):[0-5]\d(?!\d)")
_DOTTED_TIME = re.compile(r"(?<![\d.])(?:[01]?\d|2[0-4])\.[0-5]\d(?=\s?[ap]\.?m)")
_DOTTED = re.compile(r"\d\.\d+\.\d")
_EXPONENT = re.compile(r"[0-9.]+[eE][+-]?[0-9]+")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+")
_ARROW = re.compile(r"[-=]>|<[-=]")
_BEHIND_A_NAME = ".,;:!?)]}'\"/|&+-#"
_SYMBOLS = "$%"
_DOLLARS = ("$", "dollar", "usd")
_OTHERS = ("€", "euros", "£", "¥", " yen", "rupees", "francs", "kronor")

LONG_NUMBER = 7
"""Digits from which a number is read as an identifier (telephone, ISBN, date), written with marks or without."""

SHORT_NAME = 3
"""Letters of a name of which a sign behind it is a part: a grade, a blood group, an ion, a programming language."""


class Difference(msgspec.Struct, frozen=True):
    """What was overlooked, and how much it matters."""

    severity: Severity
    rule: str
    summary: str


def differences(answer: str | None, gold: str, question: str = "") -> list[Difference]:
    """What stands between an answer and the gold that the scorer takes for the same. `question` is in lower case."""
    if answer is None:
        return [Difference("high", "no-answer-scored", "No answer was given, and that was scored as right.")]
    if answer == gold:
        return []
    rule = rule_for(gold)
    found: list[Difference] = []
    if rule == "number":
        found = list(_numbers(answer, gold, question))
    elif rule == "list":
        found = list(_lists(answer, gold, question))
    else:
        found = list(_texts(answer, gold, question))
    return sorted(set(found), key=lambda difference: difference.rule)


def _numbers(answer: str, gold: str, question: str) -> Iterator[Difference]:
    """An answer read as a number without `$`, `%` and `,`."""
    text = answer.strip()
    if float(gold) in (float("inf"), float("-inf")):
        if not is_number(text):
            yield Difference("high", "not-a-number", "The answer is no number, which the scorer takes for the gold.")
        return
    plain = text.lstrip("+-").strip(_SYMBOLS + " \t\n\r\f\v").lstrip("+-")
    if any(symbol in plain for symbol in _SYMBOLS):
        yield Difference("high", "digits-joined", "A sign within the number was left out, which joined its digits.")
        plain = "".join(c for c in plain if c not in _SYMBOLS)
    yield from _forms(plain)
    if _exactly(text) != _exactly(gold):
        whole = all("." not in number_ and "e" not in number_.lower() for number_ in (text, gold))
        severity: Severity = "high" if whole else "low"  # behind the point it is only more digits than a gold has
        yield Difference(severity, "digits-lost", "The number differs from the gold in digits beyond those compared.")
    if "%" in text:
        yield _percent(gold, question)
    if "$" in text and not any(word in question for word in _DOLLARS) and any(word in question for word in _OTHERS):
        yield Difference("medium", "unit-left-out", "The answer is in dollars, and the question in another currency.")


def _forms(plain: str) -> Iterator[Difference]:
    """Ways to write a number that the scorer reads and a person may read otherwise."""
    digits = plain
    if "," in plain.rstrip(","):
        if not (_GROUPED.fullmatch(plain) or _LAKHS.fullmatch(plain)):
            weight: Severity = "medium" if _MYRIADS.fullmatch(plain) else "high"
            yield Difference(
                weight, "digit-group", "A comma that groups no thousands was left out: digits were joined."
            )
        digits = plain.replace(",", "")
    if "_" in plain:
        yield Difference("medium", "unusual-number", "The number is written with underscores.")
    elif not plain.isascii():
        scripts = {ord(c) - int(c) for c in digits if c.isdecimal()}
        severity: Severity = "low" if len(scripts) == 1 else "medium"
        yield Difference(severity, "unusual-number", "The number is written in digits of another script.")
    elif _EXPONENT.fullmatch(digits):
        yield Difference("low", "unusual-number", "The number is written with an exponent.")


def _percent(gold: str, question: str) -> Difference:
    if any(word in question for word in ("percent", "per cent", "%")):
        return Difference("info", "unit-left-out", "The percent sign of the answer was left out.")
    # a share between 0 and 1 is a hundred times as large as so many percent
    doubtful = 0 < abs(number(gold)) < 1
    severity: Severity = "medium" if doubtful else "low"
    return Difference(severity, "unit-left-out", "The percent sign of the answer was left out; the question has none.")


def _exactly(text: str) -> Decimal | None:
    try:
        return Decimal("".join(c for c in text if c not in "$%,").strip())
    except (DecimalException, ValueError):
        return None


def _lists(answer: str, gold: str, question: str) -> Iterator[Difference]:
    """Elements between `,` and `;`, compared one by one, as numbers or as text without white space."""
    if _GROUPED.fullmatch(gold.strip(_SYMBOLS + " ")) and _exactly(answer.replace(";", ",")) != _exactly(gold):
        yield Difference("high", "digit-group", "A number with grouped thousands was compared group by group.")
    for given, wanted in zip(elements(answer) or [answer], elements(gold) or [gold], strict=False):
        if given.strip() == wanted.strip():
            continue
        if is_number(wanted):
            yield from _numbers(given, wanted.strip(), question)
        else:
            yield from _texts(given, wanted, question)


def _texts(answer: str, gold: str, question: str) -> Iterator[Difference]:
    """Text without white space and punctuation, in lower case."""
    written = (answer, gold)
    answer, gold = answer.strip().lower(), gold.strip().lower()
    if answer == gold:
        return
    if words(answer, keep_punctuation=True) == words(gold, keep_punctuation=True):
        # only white space differs: no mark was left out, and no more than digits can have been joined
        if _DIGITS.findall(answer) != _DIGITS.findall(gold):
            yield _grouped_otherwise(answer, gold) or _APART
    elif not words(gold, keep_punctuation=False):
        if not notation.same_signs(answer, gold):
            yield Difference("high", "nothing-left", "Nothing is left to compare: answer and gold are punctuation.")
        return
    elif notation.same_formula(answer, gold):
        yield Difference("low", "charge-otherwise", "The charge in a formula is written in another way.")
        return
    else:
        yield from _figures(answer, gold, written, question)
        yield from _signs(answer, gold, written, question)
    yield from _boundaries(answer, gold)


class _Figure(msgspec.Struct, frozen=True):
    """A number within a text: its digits with their decimal point, its sign, and whether it is in percent."""

    digits: str
    sign: str
    percent: bool


def _figures(answer: str, gold: str, written: tuple[str, str], question: str) -> Iterator[Difference]:
    """The numbers within two texts, each with its sign and its decimal point. `written` is as they were, with case."""
    ours, theirs = _numbers_in(answer), _numbers_in(gold)
    if [figure.digits for figure in ours] != [figure.digits for figure in theirs]:
        if _points_before(ours) != _points_before(theirs):
            weight: Severity = "medium" if notation.is_pointed_name(*written, question) else "high"
            yield Difference(weight, "decimal-point-left-out", "A decimal point before a number was left out.")
        elif _DIGITS.findall(answer) == _DIGITS.findall(gold):
            yield _marked_otherwise(answer, gold)
        else:
            yield _joined_digits(answer, gold, written, question)
        return
    in_place = _kept(answer, "-") == _kept(gold, "-")
    for left, right in zip(ours, theirs, strict=True):
        signs = {left.sign, right.sign}
        if "-" in signs and len(signs) > 1 and not in_place:
            # an accountant's minus is a pair of brackets
            doubtful = "(" in (answer[0], gold[0]) or notation.has_direction(answer, gold, question)
            weight = "medium" if doubtful else "high"
            yield Difference(weight, "sign-left-out", "A minus before a number was left out.")
        elif len(signs) > 1 and (signs & {"<", ">", "("} or ("- " in signs and not in_place)):
            yield Difference("medium", "sign-left-out", "A sign before a number was left out.")
        if left.percent != right.percent:
            # agents are told to leave units out; one that the gold does not have is another matter
            severity: Severity = "low" if right.percent else "medium"
            yield Difference(severity, "unit-left-out", "A percent sign behind a number was left out.")


def _numbers_in(text: str) -> list[_Figure]:
    """The numbers of a text. Commas that group thousands are not part of them."""
    found: list[_Figure] = []
    position = 0
    while (match := _DIGITS.search(text, position)) is not None:
        start, end = match.span()
        grouped = _GROUPED.match(text, start)
        if grouped is not None and not text[grouped.end() : grouped.end() + 1].isdecimal():
            end = grouped.end()
        elif text[end : end + 1] == "." and (fraction := _DIGITS.match(text, end + 1)) is not None:
            end = fraction.end()
        digits = text[start:end].replace(",", "").rstrip(".")
        before = text[max(0, start - 20) : start]
        if before.endswith(".") and not before[-2:-1].isalnum() and before[-2:-1] != ".":
            digits, before = "." + digits, before[:-1]  # not behind a word or a number, as in "no.5" or a date
        found.append(_Figure(digits, _sign(before, text[end : end + 1]), text[end : end + 2].lstrip()[:1] == "%"))
        position = end
    return found


def _sign(before: str, behind: str) -> str:
    """`-` for a negative number, `(` for one in an accountant's brackets, `<`, `>`, `- ` with a space between."""
    before = before.rstrip("$")
    apart = before.endswith(" ")
    mark, rest = before.rstrip()[-1:], before.rstrip()[:-1]
    if mark == "-":
        if rest[-1:].isalnum() or rest.rstrip()[-1:].isdecimal():
            return ""  # it joins, as in "C-14" and "10 - 12"
        if rest[-1:] and rest[-1] in "+#)]}'\"°%.":
            return "- "  # it may do so here too, as in "C++-17"
        return "" if apart and rest.strip() else "- " if apart else "-"
    if mark == "(" and not apart:
        return "(" if behind == ")" and not rest.strip("$ ") else ""
    return mark if mark in ("<", ">") else ""


def _points_before(figures: list[_Figure]) -> int:
    return sum(figure.digits.startswith(".") for figure in figures)


def _marked_otherwise(answer: str, gold: str) -> Difference:
    """The same runs of digits with other marks between them."""
    if _DOTTED.search(answer) or _DOTTED.search(gold) or set(_between(answer)) ^ set(_between(gold)) <= {".", ","}:
        return Difference("low", "marks-differ", "There are other marks between the digits of answer and gold.")
    return Difference("medium", "marks-differ", "A decimal point stands against another mark between digits.")


_APART = Difference("medium", "digits-joined", "Digits stand apart in one of the two, and not in the other.")


def _joined_digits(answer: str, gold: str, written: tuple[str, str], question: str) -> Difference:
    """The digits are the same and the numbers are not: which of them were joined, and how much that matters."""
    grouped = _grouped_otherwise(answer, gold)
    if grouped is not None:
        return grouped
    marks = set(_between(answer)) ^ set(_between(gold))
    if _DOTTED.search(answer) or _DOTTED.search(gold) or marks <= {" "}:
        return _APART
    # "1.000" is a thousand to some
    pointed = _closed(_POINTED, answer) == _closed(_POINTED, gold)
    if marks <= {"."}:
        doubtful = pointed or notation.is_pointed_name(*written, question)
        severity: Severity = "medium" if doubtful else "high"
        return Difference(severity, "decimal-point-left-out", "A point before or between digits was left out.")
    doubtful = (
        pointed or notation.is_code(*written, question) or (marks <= {"^"} and notation.is_power_of_ten(*written))
    )
    severity = "medium" if doubtful else "high"
    return Difference(severity, "digits-joined", "A mark between digits was left out, which joined two numbers.")


def _grouped_otherwise(answer: str, gold: str) -> Difference | None:
    """Whether the digits are those of one long number, of one with grouped thousands, or of a time of day."""
    marks = set(_between(answer)) ^ set(_between(gold))
    dotted = _DOTTED.search(answer) or _DOTTED.search(gold)
    if sum(c.isdecimal() for c in gold) >= LONG_NUMBER and (dotted or "." not in marks):
        return Difference("low", "digits-joined", "A long number is written with other marks between its digits.")
    forms = (_SPACED, _LAKHS_WITHIN, _TIME, _DOTTED_TIME)
    if any(_closed(form, answer) == _closed(form, gold) for form in forms):
        return Difference("low", "digits-joined", "A number in groups, or a time of day, is written with other marks.")
    return None


def _closed(form: re.Pattern[str], text: str) -> list[str]:
    """The runs of digits of a text, when marks within what has this form are taken out."""
    return _DIGITS.findall(form.sub(lambda match: "".join(_DIGITS.findall(match.group())), text))


def _between(text: str) -> Iterator[str]:
    """The marks between two numbers that stand side by side."""
    end = None
    for match in _DIGITS.finditer(text):
        if end is not None and 0 < match.start() - end <= 3 and not any(c.isalnum() for c in text[end : match.start()]):
            yield text[end : match.start()].strip() or " "
        end = match.end()


def _signs(answer: str, gold: str, written: tuple[str, str], question: str) -> Iterator[Difference]:
    """Signs that are part of a short name: `C` and `C++`, `O-` and `O+`. One that stands in both was not left out."""
    answer, gold = (_ARROW.sub(" ", text) for text in (answer, gold))
    looked_at = [marks for marks in ("+#", "-") if _kept(answer, marks) != _kept(gold, marks)]
    ours, theirs = ([name for marks in looked_at for name in _names(text, marks)] for text in (answer, gold))
    if ours == theirs:
        return
    moves = frozenset(move for text in written for move in notation.moves(text, question))
    left, right = (notation.without_checks(text, moves) for text in (answer, gold))
    if moves and all(_names(left, marks) == _names(right, marks) for marks in looked_at):
        yield Difference("low", "sign-left-out", "The sign for check or mate behind a move of chess was left out.")
        return
    hyphens = looked_at == ["-"] and notation.is_syllable(*written, question)
    severity: Severity = "medium" if hyphens else "high"
    yield Difference(severity, "sign-left-out", "A sign that is part of a short name was left out.")


def _kept(text: str, marks: str) -> str:
    """The letters and digits of a text, and these marks in their places between them."""
    return "".join(c for c in text if c.isalnum() or c in marks)


def _names(text: str, marks: str) -> list[str]:
    """The short names with one or two of these signs behind them, in order."""
    found = []
    for match in _WORD.finditer(text):
        name = match.group()
        if len(name) > SHORT_NAME or name.isdecimal():
            continue
        tail = text[match.end() : match.end() + 3]
        signs = tail[: len(tail) - len(tail.lstrip(marks))]
        rest = text[match.end() + len(signs) : match.end() + len(signs) + 1]
        # before a bracket or an arrow a hyphen joins
        if (
            signs
            and (not rest or rest.isspace() or rest in _BEHIND_A_NAME)
            and (marks != "-" or len(name) < SHORT_NAME)
        ):
            found.append(name + ("#" if signs == "++" and name[-1].isdecimal() else signs))  # mate, behind a move
    return found


def _boundaries(answer: str, gold: str) -> Iterator[Difference]:
    """Where words end: with other ends they may be other words."""
    ours, theirs = _words(answer), _words(gold)
    if ours == theirs:
        return
    # a space, a hyphen, a point or an apostrophe within a word is a matter of spelling
    if _words(answer, spelling=True) == _words(gold, spelling=True):
        return
    marks = (set(answer) ^ set(gold)) & set(",;|")
    if marks and not any(c.isdecimal() for c in answer):
        yield Difference("medium", "words-joined", "A mark between words was left out, which joined them to others.")
    else:
        yield Difference("low", "words-joined", "The words of answer and gold begin and end in other places.")


def _words(text: str, *, spelling: bool = False) -> list[str]:
    if spelling:
        text = re.sub(r"[-.'’`\"]", "", text)
    return _WORD.findall(text.replace("_", " "))
