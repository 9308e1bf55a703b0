"""In which forms a gold answer may stand in a text, and whether it stands where answers stand."""

import base64
import codecs
import re
from functools import lru_cache
from typing import Literal

import msgspec

from gaia_harness.evidence.wording import reduce
from gaia_harness.normalization import elements, is_number

BEFORE, AFTER = 60, 120
"""Words before and behind a copied question within which an answer belongs to it: a record of a data set is so long."""

BEHIND = 3
"""Words between the end of a question and its answer that stands next to it."""

BETWEEN, ROOM = 2, 160
"""Words between a question and the cell of its answer, such as a level; and characters."""

TOGETHER = 4
"""The parts of a list stand together: within so many times their own length."""

LONGEST_TURNED = 6
"""Shorter answers turned round or in rot13 turn up by chance: four letters stand backwards in many a word."""

Answered = Literal["announced", "placed", "stated", "next", "near", "none"]
"""How an answer stands to a question: called the answer; alone in a cell or a line; at the end of a sentence soon
behind it; right behind it; somewhere near; not there."""

# fmt: off
_LABELS = tuple(
    reduce(label)
    for label in (
        "answer", "answers", "ground truth", "expected", "gold", "solution", "correct", "label", "target", "response",
        "completion", "truth", "antwort", "lösung", "réponse", "respuesta", "risposta", "resposta", "ответ",
    )
)
"""Words that announce an answer within the next three words."""
_SHORT_LABELS = tuple(map(reduce, ("a", "ans", "reply", "reference", "result", "value", "output", "out", "key", "sol")))
"""Words that announce one only right before it."""
_COMMON = frozenset(
    b"yes no true false none zero one two three four five six seven eight nine ten eleven twelve red blue green black "
    b"white yellow orange purple pink brown grey gray silver gold left right up down north south east west number "
    b"numbers answer question unknown python english search research assistant spreadsheet characters tools source "
    b"sources format comma separated code file words text list element elements letters digits".split()
)
"""Words that stand in any text."""
_CALENDAR = frozenset(
    b"monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    b"september october november december".split()
)
# fmt: on
_OPENS = re.compile(r"""(?:^|(?:[|\t\n>→⇒➜{\[=:]\s*["'*_`\\]*|[,;](?:\s*["'\\]+)?))$""")
_CLOSES = re.compile(r"""["'*_`\\.]*(?:\s*[|\t\n<}\]]|[,;](?!\s)|\s*$)|["'\\]+\s*[,;]""")
"""What stands before and behind a cell, a field or a line. In prose a comma has a space behind it."""
_STATING = (":", "=", " is", " was", " be", " are", " were", " it's", " got", " get", " says", " said", " say")
_CALLED = re.compile(
    r"(?:(?:answers?|solutions?|ground[ _-]?truth|antwort|lösung|réponse|respuesta|risposta|resposta|ответ)\b"
    r"|答案|解答)\W{0,8}(?:(?:is|was|are|were|be|to|ist|est|es|é)\b)?[^\w\n]{0,8}\n?\W{0,4}$"
    r"|(?<![^\W_])(?:a|ans|expected|gold|completion|truth|sol)\d*[\"'*_`)\]]*\s*[:：=|>]"
    r"\W{0,8}$",
    re.IGNORECASE,
)
"""What stands right before an answer that somebody calls one."""
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")


class GoldForms(msgspec.Struct, frozen=True):
    """An answer as it may stand in a text: in reduced words, or in codes that hide it."""

    plain: str  # in small letters
    words: tuple[bytes, ...]
    parts: tuple[bytes, ...]  # of a list, which may stand in another order
    raw: tuple[str, ...]
    common: bool
    """Whether it is so short or so usual that meeting it proves nothing by itself."""
    trivial: bool
    """Whether it is common or a small number: such stand on any page."""
    of_calendar: bool

    def stands_in(self, words: bytes) -> bool:
        """Whether the answer stands in reduced words, in one of its forms."""
        return any(form in words for form in self.words) or (bool(self.parts) and self._together(words))

    def _together(self, words: bytes) -> bool:
        if not all(part in words for part in self.parts):
            return False
        longest = max(self.parts, key=len)
        reach = TOGETHER * sum(map(len, self.parts))
        at = words.find(longest)
        for _ in range(64):
            around = words[max(0, at - reach) : at + len(longest) + reach]
            if at < 0 or all(part in around for part in self.parts):
                break
            at = words.find(longest, at + 1)
        return at >= 0


@lru_cache(maxsize=1024)
def gold_forms(answer: str) -> GoldForms:
    """The forms of one answer."""
    plain = answer.strip()
    ungrouped = _GROUPED.sub("", plain)
    candidates = [plain, ungrouped]
    if ungrouped.isdigit() and len(ungrouped) > 3:
        candidates.append(f"{int(ungrouped):,}")
    words = tuple(dict.fromkeys(form for form in map(reduce, candidates) if form))
    listed = None if is_number(ungrouped) else elements(plain)
    parts = tuple(dict.fromkeys(part for part in map(reduce, listed) if part)) if listed else ()
    each = words[0].split() if words else []
    least = 3 if all(map(bytes.isdigit, each)) else 4 if len(each) == 1 else 5
    of_calendar = len(each) == 1 and each[0] in _CALENDAR
    common = sum(map(len, each)) < least or of_calendar or _COMMON.issuperset(each)
    return GoldForms(
        plain=plain.lower(),
        words=words,
        parts=parts if len(parts) > 1 else (),
        raw=_disguises(plain),
        common=common,
        trivial=common or (len(each) == 1 and each[0].isdigit() and len(each[0]) <= 4),
        of_calendar=of_calendar,
    )


def _disguises(plain: str) -> tuple[str, ...]:
    """The answer in codes, where it is long enough that these do not turn up by chance."""
    if len(plain) < LONGEST_TURNED:
        return (plain.encode().hex(),) if len(plain) >= 4 else ()
    data = plain.encode("utf-8", "replace")
    forms = [data.hex(), data.hex().upper(), base64.b64encode(data).decode().rstrip("=")]
    if sum(map(str.isalpha, plain)) >= LONGEST_TURNED:
        forms += [plain[::-1], codecs.encode(plain, "rot13")]
    return tuple(dict.fromkeys(form for form in forms if form.lower() != plain.lower()))


def answered(forms: GoldForms, before: str, inside: str, after: str, *, edited: bool = False) -> Answered:
    """How an answer stands to a passage of a question, from the text before it, itself, and the text behind it.

    The passage says nothing, as a question may name its answer, unless it is only like the question (`edited`).
    """
    lead = _last(reduce(before), BEFORE)
    rest = _first(reduce(after), AFTER)
    around = lead + reduce(inside) + rest if edited else b""
    texts = [text for text in (lead, rest, around) if forms.stands_in(text)]
    if not texts:
        hidden = any(form in text for form in forms.raw for text in (before, after))
        return "announced" if hidden else "none"
    behind = after.lower()
    if any(_labelled(forms, text) for text in texts) or _next_cell(forms.plain, behind):
        return "announced"
    if _stated(forms.plain, behind):
        return "stated"
    raw = (before.lower()[-8 * BEFORE :], behind[: 8 * AFTER], inside.lower() if edited else "")
    if any(_celled(forms.plain, text) for text in raw):
        return "placed"
    size = max((form.count(b" ") - 1 for form in forms.words), default=0)
    return "next" if forms.stands_in(_first(rest, BEHIND + size)) else "near"


def called_answer(forms: GoldForms, text: str) -> bool:
    """Whether a text calls it the answer, in so many signs: nobody does who only states a fact."""
    small = text.lower()
    place = small.find(forms.plain) if forms.plain else -1
    while place >= 0:
        if _CALLED.search(small, max(0, place - 48), place):
            return True
        place = small.find(forms.plain, place + 1)
    return False


def _labelled(forms: GoldForms, words: bytes) -> bool:
    """Whether the answer stands right behind a word that announces answers."""
    for form in forms.words:
        at = words.find(form)
        while at >= 0:
            lead = _last(words[: at + 1], 3)
            if any(label in lead for label in _LABELS) or _last(lead, 1) in _SHORT_LABELS:
                return True
            at = words.find(form, at + 1)
    return False


def _stated(plain: str, behind: str) -> bool:
    """Whether a sentence soon behind the question ends in the answer: "It is 37."."""
    follows = behind[:240]
    place = follows.find(plain)
    while place >= 0:
        lead, rest = follows[:place].rstrip("\"'*_` "), follows[place + len(plain) :].lstrip("\"'*_` ")
        if lead.endswith(_STATING) and (not rest or rest[0] in ".!;\n"):
            return True
        place = follows.find(plain, place + 1)
    return False


def _celled(plain: str, text: str) -> bool:
    """Whether the answer is the whole of a cell, a line or a field."""
    place = text.find(plain)
    while place >= 0:
        if _OPENS.search(text[max(0, place - 8) : place]) and _CLOSES.match(text[place + len(plain) :][:8]):
            return True
        place = text.find(plain, place + 1)
    return False


def _next_cell(plain: str, behind: str) -> bool:
    """Whether the answer is the next cell, line or field behind a question, but for a level or a verdict."""
    place = behind.find(plain, 0, ROOM)
    while place >= 0 and reduce(behind[:place]).count(b" ") <= BETWEEN + 1:
        if _OPENS.search(behind[max(0, place - 8) : place]) and _CLOSES.match(behind[place + len(plain) :][:8]):
            return True
        place = behind.find(plain, place + 1, ROOM)
    return False


def _first(words: bytes, count: int) -> bytes:
    return b" " + b" ".join(words.split(maxsplit=count)[:count]) + b" "


def _last(words: bytes, count: int) -> bytes:
    return b" " + b" ".join(words.rsplit(maxsplit=count)[-count:]) + b" "


def announced_in(forms: GoldForms, words: bytes) -> bool:
    """Whether a text in reduced words says that this is the answer."""
    return _labelled(forms, words)
