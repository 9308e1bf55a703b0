"""Tells passages that ask a question from passages that state the fact. Honest sources state, copies ask."""

import re
from itertools import pairwise

from gaia_harness.audit.gold_forms import GoldForms

LEAD = 48
"""Characters before a sentence in which a label may stand that makes it a question."""

AROUND = 1200
"""Characters around a passage in which its answer may be announced."""

ROOM = 160
"""Characters behind a passage within which its question mark may stand: the last words of a copy may be others."""

BEHIND = 240
"""Characters behind a passage within which a sentence that states the answer is a reply to it."""

NEXT = 5
"""Characters behind a passage within which an arrow points from it to its answer."""

LONGEST = 600
"""Characters before and behind a passage in which its sentence is looked for."""

# a full stop behind one or two letters is an abbreviation's; a line that begins with a capital is another cell or line
_END = re.compile(
    r"(?<!\b[^\W\d_])(?<!\b[^\W\d_]{2})[.!](?=[\s\"'”’»)\]]|\[\d|$)|[?？。！](?![\w=&/%])|\n(?=\s*[^\sa-zà-ÿ])"
)
_ASKED = re.compile(r"[?？](?![\w=&/%])")
_QUESTION = re.compile(
    r"(?:^|[^\w])(?:q|questions?|query|task|prompt|problem|puzzle|riddle|frage|pregunta|domanda|pergunta|вопрос|问题|問題)"
    r"[\"'*_`]*\s*(?:no\.?\s*)?#?\d*[\"'*_`)\]]*\s*[:：=|>.)-]",
    re.IGNORECASE,
)
_ANSWER = re.compile(
    r"(?:(?:answers?|solutions?|ground[ _-]?truth|antwort|lösung|réponse|respuesta|risposta|resposta|ответ)\b"
    r"|答案|解答)\W{0,8}(?:(?:is|was|are|were|be|to|ist|est|es|é)\b)?[^\w\n]{0,8}\n?\W{0,4}$"
    r"|(?<![^\W_])(?:a|ans|expected|gold|completion|truth|sol)\d*[\"'*_`)\]]*\s*[:：=|>]"
    r"\W{0,8}$",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"(?:^|\b(?:is|was|were|are|by|called|named|of|had|has|at|in|for|on|to|as|the|namely|est|était|ist|war|fue|es|era))"
    r"(?:\s+(?:the|a|an|le|la|der|die|das|el))?[\s\"'“‘«*_`]*$|,\s+$"
)
"""What stands in a sentence right before the answer that it states."""
_SUBJECT = re.compile(r"[\"'”’»*_`]*(?:\s+[^\W_]+){0,4}\s*[\"'“]*")
_POINTS = re.compile(r"=>|->|→|⇒|➜")
_BEHIND_WORD = re.compile(r"\W+$")
_FIELD = re.compile(r"[:=|>\t]\W*$")
"""What may stand between the answer and the words behind it; what makes the answer a field and not a word."""


def asks(text: str, start: int, end: int, gold: GoldForms | None) -> bool:
    """Whether the passage from `start` to where `end` begins has the form of a question, or its answer that of one."""
    end -= len(text[start:end]) - len(_BEHIND_WORD.sub("", text[start:end]))
    first, last = _sentences(text, start, end)
    mark = _ASKED.search(text, start, min(last, end + ROOM))
    said = None if gold is None else _said(text, first, start, end, last, gold)
    if mark is not None and not (said is not None and said <= mark.start() and mark.start() >= end):
        return True
    if said is None and (_QUESTION.search(text[max(0, first - LEAD) : start]) or _POINTS.search(text, end, end + NEXT)):
        return True
    return gold is not None and said is None and _announced(text[max(0, first - AROUND) : last + AROUND], gold)


def _said(text: str, first: int, start: int, end: int, last: int, gold: GoldForms) -> int | None:
    """Where a sentence in a question's words says the answer itself: as what it speaks of, or at its end."""
    plain = gold.plain
    if not plain or plain in text[start:end].lower():
        return None
    behind = text[end:last].lower()
    place = behind.find(plain)
    if place >= 0 and _SAYS.search(behind[:place]):
        return end + place
    before = text[first:start].lower()
    place = before.rfind(plain)
    if place < 0:
        return None
    between = before[place + len(plain) :]
    return first + place if _SUBJECT.fullmatch(between) and not _FIELD.search(before[:place]) else None


def begins(text: str, start: int) -> bool:
    """Whether a sentence, a line, a cell or a field begins there: not in the middle of a clause, as a relative does."""
    lead = text[max(0, start - 12) : start].rstrip("\"'“‘«*_`([{")
    if not lead.strip() or text[start : start + 1].isupper() or lead.endswith(("\\n", "\n\n")):
        return True
    return not (lead.rstrip()[-1].isalnum() or lead.endswith(", "))


def stating(text: str, start: int, end: int, gold: GoldForms) -> list[tuple[int, int]]:
    """Sentences in a passage, or soon behind it, that hold the answer and have nothing of a question."""
    first, last = _sentences(text, start, min(len(text), end + BEHIND))
    ends = [match.end() for match in _END.finditer(text, first, last)]
    return [
        (begins, stops)
        for begins, stops in pairwise((first, *ends, last))
        if gold.plain
        and gold.plain in text[begins:stops].lower()
        and not _POINTS.search(text, begins, stops)
        and not asks(text, begins, stops, gold)
    ]


def _sentences(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the first sentence of a passage begins and its last one ends."""
    first = max(0, start - LONGEST)
    for match in _END.finditer(text, first, start):
        first = match.end()
    closing = _END.search(text, end, end + LONGEST)
    return first, closing.end() if closing else min(len(text), end + LONGEST)


def _announced(text: str, gold: GoldForms) -> bool:
    """Whether an answer stands behind a label of answers, in so many signs."""
    small = text.lower()
    place = small.find(gold.plain) if gold.plain else -1
    while place >= 0:
        if _ANSWER.search(small[max(0, place - LEAD) : place]):
            return True
        place = small.find(gold.plain, place + 1)
    return False
