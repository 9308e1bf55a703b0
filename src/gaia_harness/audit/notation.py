"""Differences between answers that are only notation: chess moves, ions, codes, calibres, negative heights, quotes."""

import re
from collections.abc import Iterator

LONGEST_FORMULA = 60
MOST_MOVES = 50

_MOVE = r"[a-h]?[1-8]?x?[a-h][1-8]"
_SURE_MOVE = re.compile(rf"(?<!\w)(?:[Oo]-[Oo](?:-[Oo])?|[KQRBN]{_MOVE}|{_MOVE}=\(?[QRBN]\)?)(?!\w)")
_LIKELY_MOVE = re.compile(rf"(?<!\w)(?:[Oo]-[Oo](?:-[Oo])?|[A-Za-z]?{_MOVE}(?:=?\(?[A-Za-z]\)?)?)(?!\w)")
_OF_A_GAME = re.compile(r"\b(?:chess|notation|moves?|checkmate|pawns?|rooks?|knights?|castl(?:es?|ed|ing))\b")

_FORMULA = re.compile(r"[a-z0-9\s^_+\-(){}\[\]$\\]+")
_FORMULA_MARKS = str.maketrans("", "", "^_(){}[]$\\")
_CHARGE_IN_FRONT = re.compile(r"([+-])(\d)(?!\w)")

_MARKED_DIGITS = re.compile(r"\d[^\w\s]+\d")
_CHAINED_DIGITS = re.compile(r"(?<!\d)\d{1,6}([-/:' ])\d{1,6}\1\d")
_NAMED_DIGITS = re.compile(r"(?<!\w)[A-Z]\w{0,30}\.? \d{1,9}[^\w\s]\d")
_OF_A_CODE = re.compile(
    r"\b(?:codes?|plates?|serial|identifiers?|postcode|zip|isbn|issn|accession|inventory|shelf ?mark|call number"
    r"|catalogue|catalog|model|part number|licen[cs]e|registration|tele(?:phone|fax)|phone|fax|extension|pin"
    r"|combination|patent|docket|case number|reference number|numbered|designation|version|flight|grid)\b"
)
_OF_A_POINTED_NAME = re.compile(
    r"\b(?:acp|magnum|mag|lr|bmg|winchester|remington|calibres?|calibers?|cal|cartridges?|rifles?|pistols?|revolvers?"
    r"|bullets?|ammunition|guns?|firearms?|weapons?|colt|wesson|savage|batting|average"
    r"|file ?name|file ?type|file extension)\b"
)
_POINTED_NAME = re.compile(r"(?<![\w.])\.\d+(?:[A-Za-z]|\s[A-Z][a-z]{2}|\s[A-Z]{2})")
_POWER_OF_TEN = re.compile(r"[x*×·]\s?10\s?\^")
_OF_A_DIRECTION = re.compile(
    r"\b(?:below|beneath|under|negative|minus|depths?|deep|deeper|deepest|drop(?:s|ped)?|falls?|fell|fallen"
    r"|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|lost|loss(?:es)?|loses?|deficits?|debts?|debit|colder|cooler|lower"
    r"|lowered|reduc(?:e|es|ed|tion)|shr[aiu]nk|changes?|changed|differ(?:s|ed|ence|ences)?|south|southern|west"
    r"|western|latitude|longitude|coordinates|bce?|magnitude|absolute|discount|shift)\b"
    r"|°[\d.' ]{0,12}[nsew](?!\w)"
)
_OF_A_SYLLABLE = re.compile(
    r"\b(?:prefix(?:es)?|suffix(?:es)?|affix(?:es)?|infix|syllables?|words?|dictionary|morphemes?|stems?|roots?"
    r"|particles?|articles?|spell(?:ed|ing)?|spelt|abbreviat(?:ed|ion))\b"
)

_QUOTES = "\"'` \t\n"
_MORSE = frozenset("-._ /|,")
_FACE = re.compile(r"[:;=]-?[()\[\]/\\|*<>]")


def moves(text: str, question: str) -> Iterator[str]:
    """The moves of chess in a text, without signs and in lower case: `e4` where the question is about a game."""
    form = _LIKELY_MOVE if _OF_A_GAME.search(question) else _SURE_MOVE
    for number, match in enumerate(form.finditer(text)):
        if number >= MOST_MOVES:
            return
        yield match.group().lower()


def without_checks(text: str, found: frozenset[str]) -> str:
    """A text in lower case without the signs for check and mate behind these moves."""
    for move in found:
        text = re.sub(rf"(?<!\w){re.escape(move)}[+#]+", move, text)
    return text


def same_formula(answer: str, gold: str) -> bool:
    """Whether two texts in lower case are one formula with a charge: `Ca(2+)`, `Ca^{2+}`, `Ca+2` and `Ca2+`."""
    formula = _formula(answer)
    return formula is not None and formula == _formula(gold)


def _formula(text: str) -> str | None:
    text = text.strip("\"'`.! ")
    if len(text) > LONGEST_FORMULA or _FORMULA.fullmatch(text) is None:
        return None
    bare = text.translate(_FORMULA_MARKS).strip()
    if not bare[:1].isalpha() or not ("+" in bare or "-" in bare):
        return None
    return "".join(_CHARGE_IN_FRONT.sub(r"\2\1", bare).split())


def is_code(answer: str, gold: str, question: str) -> bool:
    """Whether marks between digits are those of a code, by its parts, its letters, a name before it or the question."""
    return _OF_A_CODE.search(question) is not None or any(
        _CHAINED_DIGITS.search(text)
        or _NAMED_DIGITS.search(text)
        or any(_has_letters(word) for word in text.split() if _MARKED_DIGITS.search(word))
        for text in (answer, gold)
    )


def _has_letters(word: str) -> bool:
    """Before a digit, or in upper case; behind its digits a small letter is a unit."""
    letter = next((at for at, c in enumerate(word) if c.isalpha()), len(word))
    digit = max((at for at, c in enumerate(word) if c.isdecimal()), default=-1)
    return "=" not in word and (letter < digit or any(c.isupper() for c in word))


def is_pointed_name(answer: str, gold: str, question: str) -> bool:
    """Whether a point before or between digits is part of a name that people write without it too, as calibres are."""
    return any(_OF_A_POINTED_NAME.search(text) for text in (question, answer.lower(), gold.lower())) or any(
        _POINTED_NAME.search(text) for text in (answer, gold)
    )


def is_power_of_ten(answer: str, gold: str) -> bool:
    """Whether an exponent stands behind a ten: what is copied from print has lost the mark before it."""
    return any(_POWER_OF_TEN.search(text) for text in (answer, gold))


def has_direction(*texts: str) -> bool:
    """Whether the words say which way a number goes, so that its sign may be left to them."""
    return any(_OF_A_DIRECTION.search(text) for text in texts)


def is_syllable(answer: str, gold: str, question: str) -> bool:
    """Whether a hyphen behind letters only says where these go in a word; a grade or a blood group has capitals."""
    return _OF_A_SYLLABLE.search(question) is not None or (answer + gold).islower()


def same_signs(answer: str, gold: str) -> bool:
    """Whether two answers of signs alone are the same but for quotes, a full stop, a nose, or spaces in Morse code."""
    ours, theirs = (text.strip(_QUOTES) for text in (answer, gold))
    if ours and theirs and (ours == theirs or ours.removesuffix(".") == theirs or ours == theirs.removesuffix(".")):
        return True
    if _FACE.fullmatch(ours) and _FACE.fullmatch(theirs):
        return ours.replace("-", "") == theirs.replace("-", "")
    if not set(ours) | set(theirs) <= _MORSE:
        return False
    left, right = ("".join(c for c in text.replace("_", "-") if c in "-.") for text in (ours, theirs))
    return left == right and len(left) > 1
