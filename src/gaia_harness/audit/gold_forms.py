"""The forms in which a gold answer may appear near a question: verbatim, with grouped digits, lightly disguised."""

import base64
import codecs
import html
import json
import re
from collections.abc import Iterator

import msgspec

from gaia_harness.evidence.windows import word_position
from gaia_harness.evidence.wording import reduce
from gaia_harness.normalization import elements, is_number

BEFORE, AFTER = 60, 120
"""Words before and behind a copied question within which an answer belongs to it: a record of a data set is so long."""

ROOM = 160
BETWEEN = 2
"""Characters behind a question in which its answer may stand by itself, and words between them: a level, a verdict."""

STATED = 240
"""Characters behind a question within which a sentence that ends with the answer is a reply to it."""

BESIDE = 8
"""Words between a question and its answer in a table's row, at most: a level, a file name."""

# fmt: off
_LABELS = tuple(
    reduce(label)
    for label in (
        "answer", "answers", "ground truth", "expected", "gold", "solution", "correct", "label", "target", "response",
        "completion", "truth", "antwort", "lösung", "réponse", "respuesta", "risposta", "resposta", "ответ",
    )
)
"""Words that announce an answer within the next three words."""
_SHORT_LABELS = tuple(map(reduce, ("a", "ans", "reply", "result", "value", "output", "out", "key", "sol")))
"""Words that announce one only right before it."""
_OUTCOMES = frozenset(
    b"input interpretation result results output out value decimal exact approximate approximation form number line "
    b"equals is the of sum total solution step by".split()
)
"""Words between a question and its answer on a page that works out what it is sent."""
_TRIVIAL = frozenset(
    b"yes no true false none zero one two three four five six seven eight nine ten red blue green black white left "
    b"right north south east west monday tuesday wednesday thursday friday saturday sunday january february march "
    b"april may june july august september october november december".split()
)
# fmt: on
_CELL = ("", ",", ";", "|", "\t", "\n", ">", "<", ":", "}", "]")
_TAG = re.compile(r"<[^<>]{0,200}>")
_OPEN = re.compile(r"""(?:^|[\s"'|,:;>=(\[{])["'*_`]*$""")
_CLOSED = re.compile(r"""[ \r]*[\t\n|,;}\]<"']""")
_STATING = (":", "=", " is", " was", " be", " are", " were", " it's", " got", " get", " says", " said", " say")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3}\b)")


class GoldForms(msgspec.Struct, frozen=True):
    """An answer as it may stand in a text: in reduced words, or as raw text that hides it."""

    words: tuple[bytes, ...]
    parts: tuple[bytes, ...]  # of a list, which may stand in another order
    raw: tuple[str, ...]
    plain: str
    trivial: bool
    """Whether it is so short, so common a word or so small a number that meeting it proves nothing by itself."""

    def stands_in(self, words: bytes) -> bool:
        """Whether the answer stands in reduced words, in one of its forms."""
        return any(form in words for form in self.words) or (
            bool(self.parts) and all(part in words for part in self.parts)
        )

    def hidden_in(self, text: str) -> bool:
        """Whether the answer stands in raw text in base64, hex, rot13 or turned round."""
        return any(form in text for form in self.raw)


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
    short = words[0] if words else b""
    return GoldForms(
        words=words,
        parts=parts if len(parts) > 1 else (),
        raw=_disguises(plain),
        plain=plain.lower(),
        trivial=len(short.strip()) <= 2 or short.strip() in _TRIVIAL or (short.strip().isdigit() and len(short) <= 6),
    )


def _disguises(plain: str) -> tuple[str, ...]:
    """Where an answer is long enough that a disguise of it does not turn up by chance."""
    if len(plain) < 4:
        return ()
    data = plain.encode("utf-8", "replace")
    forms = [data.hex(), data.hex().upper(), plain[::-1], codecs.encode(plain, "rot13"), json.dumps(plain)[1:-1]]
    forms += [html.escape(plain), "".join(f"&#{ord(c)};" for c in plain)]
    if len(data) >= 6:
        forms.append(base64.b64encode(data).decode().rstrip("="))
    reads_alike = {plain, plain.lower()}
    return tuple(dict.fromkeys(form for form in forms if form not in reads_alike))


class Nearness(msgspec.Struct, frozen=True):
    """How an answer stands to a passage."""

    near: bool = False
    beside: bool = False  # within a few words
    labelled: bool = False  # behind a word that announces answers
    stated: bool = False  # at the end of a sentence soon behind the passage
    alone: bool = False  # right behind the passage, and nothing else in its line, cell or field
    celled: bool = False  # the whole of a cell or of a field, somewhere in the piece
    computed: bool = False  # behind the passage, with no more between them than a calculator's "Result"

    @property
    def announced(self) -> bool:
        """Whether it stands where only an answer stands: then even "3" says something."""
        return self.labelled or self.alone or self.stated

    @property
    def placed(self) -> bool:
        """Whether it stands where an answer stands."""
        return self.beside or self.announced


def nearness(forms: GoldForms, words: bytes, start: int, end: int, text: str, *, inside: bool = False) -> Nearness:
    """Look around the passage from `start` to `end` of the reduced words of a text.

    A copied passage itself says nothing: the question may name its answer. One that is only like the question
    (`inside`) may hold the answer that stands in front of it.
    """
    before, after = _last_words(words[:start], BEFORE), _first_words(words[end:], AFTER)
    around = before + words[start:end] + after if inside else b""
    if not (forms.stands_in(before) or forms.stands_in(after) or forms.stands_in(around)):
        hidden = forms.hidden_in(text)
        return Nearness(near=hidden, beside=hidden, labelled=hidden)
    row = BESIDE + _size(forms)
    place = word_position(text, words.count(b" ", 0, end))
    behind = text[place:]
    return Nearness(
        near=True,
        beside=forms.stands_in(_first_words(after, row)) or forms.stands_in(_last_words(before, row)),
        stated=_stated(forms, behind),
        labelled=_pointed_at(forms, text)
        or _labelled(forms, before)
        or _labelled(forms, after)
        or (inside and _labelled(forms, around)),
        alone=_alone(forms, behind),
        celled=_celled(forms, text),
        computed=_computed(forms, after, text[max(0, place - 8) : place]),
    )


def announcements(forms: GoldForms, words: bytes) -> Iterator[bytes]:
    """Each place at which the answer stands behind a word that announces answers, from that word to its end."""
    for form in forms.words:
        at = words.find(form)
        while at >= 0:
            lead = _last_words(words[: at + 1], 3)
            place = max(lead.rfind(label) for label in _LABELS)
            if place >= 0:
                yield lead[place:-1] + form
            at = words.find(form, at + 1)


def _computed(forms: GoldForms, after: bytes, lead: str) -> bool:
    """Whether the next thing behind a question is a result: not "Answer", which nobody's calculator says."""
    places = [place for form in forms.words if (place := after.find(form)) >= 0]
    between = after[: min(places)].split() if places else []
    return all(word in _OUTCOMES for word in between) and (bool(between) or lead.rstrip().endswith("="))


def _pointed_at(forms: GoldForms, text: str) -> bool:
    """Whether an arrow points at the answer."""
    small = text.lower()
    return any(arrow + space + forms.plain in small for arrow in ("=>", "->", "→", "⇒", "➜") for space in (" ", ""))


def _celled(forms: GoldForms, text: str) -> bool:
    """Whether the answer is the whole of a cell or of a field somewhere in the text."""
    small = text.lower()
    place = small.find(forms.plain)
    while place >= 0:
        lead = small[max(0, place - 8) : place].rstrip("\"'*_`\\ ")
        rest = small[place + len(forms.plain) :][:8].lstrip("\"'*_`.\\ ")
        if lead[-1:] in _CELL and rest[:1] in _CELL:
            return True
        place = small.find(forms.plain, place + 1)
    return False


def _stated(forms: GoldForms, behind: str) -> bool:
    """Whether a sentence soon behind the question ends with the answer: "It is 37."."""
    follows = behind[:STATED].lower()
    place = follows.find(forms.plain)
    while place >= 0:
        lead, rest = follows[:place].rstrip("\"'*_` "), follows[place + len(forms.plain) :].lstrip("\"'*_` ")
        if lead.endswith(_STATING) and (not rest or rest[0] in ".!;\n"):
            return True
        place = follows.find(forms.plain, place + 1)
    return False


def _alone(forms: GoldForms, behind: str) -> bool:
    """Whether the answer is the next thing behind a question, with marks of a table, a record or a line around it."""
    follows = _TAG.sub("|", behind[: 4 * ROOM].lower())[:ROOM]
    place = follows.find(forms.plain)
    while place >= 0:
        between, rest = follows[:place], follows[place + len(forms.plain) :].lstrip("\"'*_`.")
        if reduce(between).count(b" ") - 1 > BETWEEN:
            return False
        if _OPEN.search(between) and (not rest.strip() or _CLOSED.match(rest)):
            return True
        place = follows.find(forms.plain, place + 1)
    return False


def _size(forms: GoldForms) -> int:
    return max((form.count(b" ") - 1 for form in forms.words), default=0)


def _labelled(forms: GoldForms, words: bytes) -> bool:
    """Whether the answer stands right behind a word that announces answers."""
    for form in forms.words:
        at = words.find(form)
        while at >= 0:
            lead, last = _last_words(words[: at + 1], 3), _last_words(words[: at + 1], 1)
            if any(label in lead for label in _LABELS) or last in _SHORT_LABELS:
                return True
            at = words.find(form, at + 1)
    return False


def _first_words(words: bytes, count: int) -> bytes:
    return b" " + b" ".join(words.split(maxsplit=count)[:count]) + b" "


def _last_words(words: bytes, count: int) -> bytes:
    return b" " + b" ".join(words.rsplit(maxsplit=count)[-count:]) + b" "
