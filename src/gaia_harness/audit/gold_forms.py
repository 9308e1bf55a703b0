"""In which forms a gold answer may stand in a text, and whether it stands where answers stand."""

import base64
import codecs
import hashlib
import re
import zlib
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import AnyStr, Literal

import msgspec

from gaia_harness.audit.phrases import Words, phrases_of
from gaia_harness.evidence.wording import reduce

BEFORE, AFTER = 480, 720  # characters around a copied question in which its answer stands: a record is so long
FAR = 2000  # behind it, where the answer is near and no more: a row with the annotator's steps is so long
BEHIND, TELLING_BEHIND = 3, 12  # words between a question and an answer behind it; one that is no trivial one
NEXT_CELL = 16  # characters between a question and the cell of its answer: a level fits there
SOON = 240  # characters behind a question in which a sentence that says the answer ends
ROW, MOST_LINES = 5, 200  # words in a row as an annotator has them; lines of a solution, each of which is a step
LEAST_CODED = 6  # letters of an answer that is looked for in codes, spelled out or with gaps, too

DIGESTS = ("md5", "sha1", "sha256")

Answered = Literal["announced", "stated", "beside", "near", "none"]
"""How an answer stands to a question: called the answer, or in the next cell; at the end of a sentence soon behind it;
right behind it, or alone in a cell; somewhere near, if it is no trivial one; not there."""

_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in gold_forms.toml."""

    labels: Words
    short_labels: Words
    common: Words
    calendar: Words
    opens: re.Pattern[str]
    level: re.Pattern[str]
    closes: re.Pattern[str]
    stating: re.Pattern[str]
    stops: re.Pattern[str]
    called: re.Pattern[str]


@cache
def _phrases() -> Phrases:
    return phrases_of(Phrases, "gold_forms.toml")


class GoldForms(msgspec.Struct, frozen=True):
    """An answer as it may stand in a text: in small letters, in reduced words, or in codes."""

    plain: str
    words: tuple[bytes, ...]
    codes: tuple[str, ...]  # hex, base64, turned round, rot13
    digests: tuple[str, ...]  # by which a guess can be checked: their first eight digits
    common: bool  # so short or so usual that meeting it proves nothing by itself
    trivial: bool  # common or a small number: such stand on any page
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
    spelled, codes = "", tuple[str, ...]()
    if len(letters) >= LEAST_CODED:  # a short one stands so in many a word by chance
        spelled, data = " ".join(letters), plain.encode("utf-8", "replace")
        codes = (data.hex(), base64.b64encode(data).decode().rstrip("="), plain[::-1], codecs.encode(plain, "rot13"))
    words = tuple(dict.fromkeys(form for form in map(reduce, (plain, ungrouped, grouped, spelled)) if form))
    each = words[0].split() if words else []
    least = 3 if all(map(bytes.isdigit, each)) else 4 if len(each) == 1 else 5
    of_calendar = _phrases().calendar.issuperset(each)
    common = sum(map(len, each)) < least or of_calendar or _phrases().common.issuperset(each)
    return GoldForms(
        plain=plain.lower(),
        words=words,
        codes=tuple(code for code in codes if code.lower() != plain.lower()),  # figures and Cyrillic have no rot13
        digests=_digests(plain) if plain else (),
        common=common,
        trivial=common or (len(each) == 1 and each[0].isdigit() and len(each[0]) <= 4),
        of_calendar=of_calendar,
    )


def _digests(plain: str) -> tuple[str, ...]:
    texts = [text.encode("utf-8", "replace") for text in dict.fromkeys((plain, plain.lower()))]
    made = [f"{zlib.crc32(text):08x}" for text in texts]
    made += [hashlib.new(name, text, usedforsecurity=False).hexdigest()[:8] for name in DIGESTS for text in texts]
    return tuple(made)


def answered(forms: GoldForms, text: str, start: int, end: int) -> Answered:
    """How an answer stands to a passage. The passage itself says nothing, as a question may name its answer."""
    known = _phrases()
    before, after = text[max(0, start - BEFORE) : start], known.level.sub(" ", text[end : end + AFTER])
    lead, rest, far = reduce(before), reduce(after), reduce(text[end : end + FAR])
    if not forms.stands_in(lead) and not forms.stands_in(far):
        return "announced" if any(code in before or code in after for code in forms.codes) else "none"
    next_cell = after[: NEXT_CELL + len(forms.plain)]
    if _alone(next_cell, forms.plain, known.opens, known.closes):
        return "announced"
    if announced_in(forms, lead) or announced_in(forms, rest):
        return "announced"
    if called_answer(forms, before) or called_answer(forms, after):  # "A: 17", and not "a 17th of it"
        return "announced"
    if _alone(after[:SOON], forms.plain, known.stating, known.stops):
        return "stated"
    most = BEHIND if forms.trivial else TELLING_BEHIND
    if (
        any(rest.find(form) >= 0 and rest.count(b" ", 0, rest.find(form)) <= most for form in forms.words)
        or _alone(after, forms.plain, known.opens, known.closes)
        or _alone(before, forms.plain, known.opens, known.closes)
    ):
        return "beside"
    return "none" if forms.trivial else "near"


def _alone(text: str, plain: str, before: re.Pattern[str], behind: re.Pattern[str]) -> bool:
    """Whether the answer stands between these: as the whole of a cell, or at the end of a sentence."""
    small = text.lower()
    return any(
        before.search(small[max(0, place - 16) : place]) and behind.match(small[place + len(plain) :][:8])
        for place in places_in(small, plain)
    )


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


def rows_of(words: bytes, size: int) -> Iterator[bytes]:
    """Every so many words in a row, as they stand in reduced words."""
    each = words.split()
    return (b" " + b" ".join(each[at : at + size]) + b" " for at in range(len(each) - size + 1))


def steps_of(solution: str | None, asked: bytes) -> list[set[bytes]]:
    """The rows of words of each step of an annotator's solution, without those of its question."""
    lines = map(reduce, (solution or "").splitlines()[:MOST_LINES])
    steps = ({row for row in rows_of(line, ROW) if row not in asked} for line in lines)
    return [rows for rows in steps if rows]


def are_given(steps: list[set[bytes]], rows: set[bytes]) -> bool:
    """Whether these rows are a third of the annotator's wording, with most of two steps."""
    given = [(len(step & rows), len(step)) for step in steps]
    return sum(2 * some > all_ for some, all_ in given) > 1 and 3 * len(rows) >= len(set().union(*steps))


def places_in(text: AnyStr, form: AnyStr) -> Iterator[int]:
    """Where a form stands in a text."""
    place = text.find(form) if form else -1
    while place >= 0:
        yield place
        place = text.find(form, place + 1)
