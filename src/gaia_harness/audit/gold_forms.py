"""In which forms a gold answer may stand in a text, and whether it stands where answers stand."""

import base64
import codecs
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import AnyStr, Literal

import msgspec

from gaia_harness.audit.phrases import Words, phrases_of
from gaia_harness.evidence.wording import reduce

BEFORE, AFTER = 60, 120
"""Words before and behind a copied question within which an answer belongs to it: a record of a data set is so long."""

BEHIND = 3
"""Words between the end of a question and its answer that stands next to it."""

BETWEEN, ROOM = 2, 160
"""Words between a question and the cell of its answer, such as a level; and characters."""

LEAST_CODED = 6
"""Letters of an answer that is looked for in codes and spelled out, too."""

Answered = Literal["announced", "placed", "near", "none"]
"""How an answer stands to a question: called the answer, or in the next cell; alone in a cell or a line, or right
behind it; somewhere near; not there."""

_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in gold_forms.toml."""

    labels: Words
    short_labels: Words
    common: Words
    calendar: Words
    opens: re.Pattern[str]
    closes: re.Pattern[str]
    called: re.Pattern[str]


@cache
def _phrases() -> Phrases:
    return phrases_of(Phrases, "gold_forms.toml")


class GoldForms(msgspec.Struct, frozen=True):
    """An answer as it may stand in a text: in small letters, in reduced words, or in codes."""

    plain: str
    words: tuple[bytes, ...]
    codes: tuple[str, ...]
    common: bool
    """Whether it is so short or so usual that meeting it proves nothing by itself."""
    trivial: bool
    """Whether it is common or a small number: such stand on any page."""
    of_calendar: bool

    def stands_in(self, words: bytes) -> bool:
        """Whether the answer stands in reduced words, in one of its forms."""
        return any(form in words for form in self.words)


@lru_cache(maxsize=1024)
def gold_forms(answer: str) -> GoldForms:
    """The forms of one answer; of an empty one there are none, and it stands nowhere."""
    plain = answer.strip()
    ungrouped = _GROUPED.sub("", plain)
    grouped = f"{int(ungrouped):,}" if ungrouped.isdecimal() and 3 < len(ungrouped) < 20 else ""
    letters = [letter for letter in plain if letter.isalnum()]
    spelled = " ".join(letters) if len(letters) >= LEAST_CODED else ""
    words = tuple(dict.fromkeys(form for form in map(reduce, (plain, ungrouped, grouped, spelled)) if form))
    each = words[0].split() if words else []
    least = 3 if all(map(bytes.isdigit, each)) else 4 if len(each) == 1 else 5
    of_calendar = _phrases().calendar.issuperset(each)
    common = sum(map(len, each)) < least or of_calendar or _phrases().common.issuperset(each)
    return GoldForms(
        plain=plain.lower(),
        words=words,
        codes=_codes(plain),
        common=common,
        trivial=common or (len(each) == 1 and each[0].isdigit() and len(each[0]) <= 4),
        of_calendar=of_calendar,
    )


def _codes(plain: str) -> tuple[str, ...]:
    """The answer in hex, in base64, turned round and in rot13: a short one stands so in many a word by chance."""
    if sum(map(str.isalnum, plain)) < LEAST_CODED:
        return ()
    data = plain.encode("utf-8", "replace")
    codes = (data.hex(), base64.b64encode(data).decode().rstrip("="), plain[::-1], codecs.encode(plain, "rot13"))
    return tuple(code for code in codes if code.lower() != plain.lower())  # figures and Cyrillic have no rot13


def answered(forms: GoldForms, before: str, inside: str, after: str, *, edited: bool = False) -> Answered:
    """How an answer stands to a passage of a question, from the text before it, itself, and the text behind it.

    The passage says nothing, as a question may name its answer, unless it is only like the question (`edited`).
    """
    lead, rest = _last(reduce(before), BEFORE), _first(reduce(after), AFTER)
    around = lead + reduce(inside) + rest if edited else b""
    texts = [text for text in (lead, rest, around) if forms.stands_in(text)]
    if not texts:
        return "announced" if any(code in text for code in forms.codes for text in (before, after)) else "none"
    plain, behind = forms.plain, after.lower()
    next_cell = any(
        reduce(behind[:place]).count(b" ") <= BETWEEN + 1 and _is_cell(behind, place, plain)
        for place in places_in(behind[:ROOM], plain)
    )
    if next_cell or any(announced_in(forms, text) for text in texts):
        return "announced"
    raw = (before.lower()[-8 * BEFORE :], behind[: 8 * AFTER], inside.lower() if edited else "")
    alone = any(_is_cell(text, place, plain) for text in raw for place in places_in(text, plain))
    size = max((form.count(b" ") - 1 for form in forms.words), default=0)
    return "placed" if alone or forms.stands_in(_first(rest, BEHIND + size)) else "near"


def called_answer(forms: GoldForms, text: str) -> bool:
    """Whether a text calls it the answer, in so many signs: nobody does who only states a fact."""
    small, called = text.lower(), _phrases().called
    return any(called.search(small, max(0, place - 48), place) for place in places_in(small, forms.plain))


def announced_in(forms: GoldForms, words: bytes) -> bool:
    """Whether the answer stands in reduced words right behind one that announces answers."""
    known = _phrases()
    for form in forms.words:
        for at in places_in(words, form):
            lead = words[max(0, at - 80) : at + 1].split()[-3:]
            if not known.labels.isdisjoint(lead) or (lead and lead[-1] in known.short_labels):
                return True
    return False


def _is_cell(text: str, place: int, plain: str) -> bool:
    """Whether the answer is the whole of a cell, a line or a field."""
    before, behind = text[max(0, place - 8) : place], text[place + len(plain) :][:8]
    return _phrases().opens.search(before) is not None and _phrases().closes.match(behind) is not None


def places_in(text: AnyStr, form: AnyStr) -> Iterator[int]:
    """Where a form stands in a text."""
    place = text.find(form) if form else -1
    while place >= 0:
        yield place
        place = text.find(form, place + 1)


def _first(words: bytes, count: int) -> bytes:
    return b" " + b" ".join(words.split(maxsplit=count)[:count]) + b" "


def _last(words: bytes, count: int) -> bytes:
    return b" " + b" ".join(words.rsplit(maxsplit=count)[-count:]) + b" "
