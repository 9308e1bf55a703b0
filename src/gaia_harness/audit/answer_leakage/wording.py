"""Which words of a question ask, and does a passage ask it too? Honest pages state the fact in the same words."""

import re
from functools import lru_cache

import msgspec

from gaia_harness.evidence.fingerprint import GRAM
from gaia_harness.evidence.wording import reduce

LEAD = 48
"""Characters before a sentence in which a label may stand that makes it a question."""

ROOM = 160
"""Characters behind a passage within which its question mark may stand: the last words of a copy may be others."""

NEXT = 5
"""Characters behind a passage within which an arrow points from it to its answer."""

LONGEST = 600
"""Characters before and behind a passage in which its sentence is looked for."""


_QUOTED = re.compile(
    r'"[^"\n]{8,}"|“[^”\n]{8,}”|«[^»\n]{8,}»|„[^“\n]{8,}“|「[^」\n]{4,}」|(?<!\w)\'[^\'\n]{12,}\'(?!\w)|‘[^’\n]{12,}’(?!\w)'
    r"|[\"“«](?:[^\"“”«»\n]+\n){1,12}[^\"“”«»\n]+[\"”»]"  # verse
    r"|(?<=:)\s*\n[ \t]*\n(?:[^\n]+\n){2,12}(?=[ \t]*\n)"  # lines set apart
)
_SENTENCE = re.compile(r"[^.!?。？！\n]*[.!?。？！\n]*")
_QUESTION_WORD = re.compile(
    r"\b(who|whom|whose|what|which|when|where|why|how|wer|welche[rsnm]?|wann|warum|wie|wieviele?|quel(?:le)?s?|quand|où|"
    r"combien|quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cuánt[oa]s?|quale|quali|quant[ie]|quem|qual|quais|кто|какой|"
    r"какая|какое|какие|когда|где|сколько)\b|[谁誰哪何什怎几幾]|多少",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\W*(?:please\s+)?(?:give|name|list|find|tell|state|answer|provide|compute|calculate|determine|write|report|express|"
    r"round|identify|say|work|look|show|return|specify|count|convert|estimate|check|consult)\s+(?-i:[^\W\d_A-Z])",
    re.IGNORECASE,
)
"""A sentence that tells one what to do. Before a number or a capital the same word is a name: "Report 14"."""
_NAMES = re.compile(r"(?<=[^\s.!?:\"“] )[^\W\d_a-z][\w'’-]+|\d[\w.,-]*\d|\d")
"""Words with a capital that do not begin a sentence, and numbers."""

# a full stop behind one or two letters is an abbreviation's; a line that begins with a capital is another cell or line
_END = re.compile(
    r"(?<!\b[^\W\d_])(?<!\b[^\W\d_]{2})[.!](?=[\s\"'”’»)\]]|\[\d|$)|[?？。！](?![\w=&/%])|\n(?=\s*[^\sa-zà-ÿ])"
)
_MARK = re.compile(r"[?？](?![\w=&/%])")
_LABEL = re.compile(
    r"(?:^|[^\w])(?:q|questions?|query|task|prompt|problem|puzzle|riddle|frage|pregunta|domanda|pergunta|вопрос|问题|問題)"
    r"[\"'*_`]*\s*(?:no\.?\s*)?#?\d*[\"'*_`)\]]*\s*[:：=|>.)-]",
    re.IGNORECASE,
)
_ARROW = re.compile(r"=>|->|→|⇒|➜")
_SAYS = re.compile(
    r"(?:^|\b(?:is|was|were|are|by|called|named|of|had|has|at|in|for|on|to|as|the|namely|est|était|ist|war|fue|es|era))"
    r"(?:\s+(?:the|a|an|le|la|der|die|das|el))?[\s\"'“‘«*_`]*$|,\s+$"
)
"""What stands in a sentence right before the answer that it states."""
_SUBJECT = re.compile(r"[\"'”’»*_`]*(?:\s+[^\W_]+){0,4}\s*[\"'“]*")
_FIELD = re.compile(r"[:=|>\t]\W*$")
"""What may stand between an answer that is a sentence's subject and the question's words; what makes it a field."""


class Asked(msgspec.Struct, frozen=True):
    """A sentence of a question that asks: its first word, and its words that ask, as numbers of words."""

    first: int
    words: tuple[int, ...]


class Wording(msgspec.Struct, frozen=True):
    """A question in reduced words."""

    words: tuple[bytes, ...]
    at: tuple[int, ...]  # where each five-word piece begins, as the fingerprint numbers them
    size: int  # words of a piece
    quoted: frozenset[int]
    asked: tuple[Asked, ...]
    names: frozenset[bytes]  # by which it is told from others of its kind

    @property
    def own(self) -> int:
        """How many words are its own and not quoted."""
        return len(self.words) - len(self.quoted)


@lru_cache(maxsize=512)
def wording(question: str) -> Wording:
    """Divide a question."""
    words = tuple(reduce(question).split())
    size = min(GRAM, len(words))
    first: dict[tuple[bytes, ...], int] = {}
    for start in range(len(words) - size + 1):
        first.setdefault(words[start : start + size], start)
    quoted: set[int] = set()
    for match in _QUOTED.finditer(question):
        start = len(reduce(question[: match.start()]).split())
        quoted.update(range(start, start + len(reduce(match.group()).split())))
    asked: list[Asked] = []
    at = last = 0
    marked = _MARK.search(question) is not None
    for match in _SENTENCE.finditer(question):
        sentence = match.group()
        count = len(reduce(sentence).split())
        if count:
            last = at
            places = [at + place for place in _question_words(sentence, marked=marked) if at + place not in quoted]
            asked += [Asked(at, tuple(places))] if places else []
        at += count
    return Wording(
        words=words,
        at=tuple(first.values()),
        size=size,
        quoted=frozenset(quoted) if len(quoted) < len(words) else frozenset(),
        asked=tuple(asked) or (Asked(last, (last,)),),
        names=frozenset(word for match in _NAMES.finditer(question) for word in reduce(match.group()).split()),
    )


def _question_words(sentence: str, *, marked: bool) -> list[int]:
    """Where in a sentence that asks its question words stand, or the verb that tells one what to do, in words."""
    tells = _TELLS.match(sentence) is not None
    if not (tells or _MARK.search(sentence) or (not marked and _QUESTION_WORD.match(sentence.lstrip()))):
        return []
    found = [] if tells else list(_QUESTION_WORD.finditer(sentence))
    places = {len(reduce(sentence[: match.start()]).split()) for match in found}
    return sorted({0, *places} if tells else places)


def asks(text: str, start: int, end: int, gold: str, *, announced: bool) -> bool:
    """Whether a passage has the form of a question: a mark, a label, or an answer that is `announced` as one.

    `gold` is the answer in small letters, empty where the question names it: a sentence that says it asks nothing.
    """
    while end > start and not text[end - 1].isalnum():
        end -= 1
    first = max(0, start - LONGEST)
    for match in _END.finditer(text, first, start):
        first = match.end()
    closing = _END.search(text, end, end + LONGEST)
    last = closing.end() if closing else min(len(text), end + LONGEST)
    mark = _MARK.search(text, start, min(last, end + ROOM))
    said = _said(text, first, start, end, last, gold)
    if mark is not None and not (said is not None and said <= mark.start() and mark.start() >= end):
        return True
    if said is not None:
        return False
    pointed = _ARROW.search(text, end, end + NEXT) is not None
    return announced or pointed or _LABEL.search(text[max(0, first - LEAD) : start]) is not None


def _said(text: str, first: int, start: int, end: int, last: int, gold: str) -> int | None:
    """Where a sentence in a question's words says the answer itself: among them, as its subject, or at its end."""
    if not gold:
        return None
    inside = text[start:end].lower().find(gold)
    if inside >= 0:
        return start + inside
    behind = text[end:last].lower()
    place = behind.find(gold)
    if place >= 0 and _SAYS.search(behind[:place]):
        return end + place
    before = text[first:start].lower()
    place = before.rfind(gold)
    if place < 0:
        return None
    between = before[place + len(gold) :]
    return first + place if _SUBJECT.fullmatch(between) and not _FIELD.search(before[:place]) else None


def begins(text: str, start: int) -> bool:
    """Whether a sentence, a line, a cell or a field begins there: not in the middle of a clause, as a relative does."""
    lead = text[max(0, start - 12) : start].rstrip("\"'“‘«*_`([{")
    if not lead.strip() or text[start : start + 1].isupper() or lead.endswith(("\\n", "\n\n")):
        return True
    return not (lead.rstrip()[-1].isalnum() or lead.endswith(", "))
