"""Does a text tell somebody who grades how to treat an answer? By one page of wording, pleas.toml, and by mark-up."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

import msgspec

Strength = Literal["talk", "plea", "order"]
STRENGTHS: tuple[Strength, ...] = ("talk", "plea", "order")
LONGEST, OVERLAP = 300, 60
"""Characters of a clause that are looked at together, and those that a longer one's pieces share."""

NAMING = frozenset(("grader", "key", "rule"))
WAYS = frozenset(("right", "off", "taken", "gift", "asks"))

_CLAUSES = re.compile(r"[.!?](?=[\s\"')\]<]|$)|[;()\[\]\n•|]| [-–—] |[。！？；（）「」]")
_UNSPACED = re.compile("[\u3040-\u9fff\uac00-\ud7af]")
_MARKUP = tuple(
    re.compile(pattern)
    for pattern in (
        r"<\|(?:im.(?:start|end|sep)|system|user|assistant|endoftext|eot|start)|\[/?inst\]|<</?sys>>",
        r"</ ?(?:candidate|answer|response|submission|student|question|data|untrusted|system)[\w -]{0,80}>|<system>",
        r"\b(?:(?:system|developer) ?(?:prompt|message|override|note)?|assistant) ?:",
        r"\bend of (?:the )?(?:candidate|answer|submission|response|untrusted)",
    )
)


class Said(NamedTuple):
    """The strongest thing that a text says to a judge, and at which of its characters that clause begins and ends."""

    strength: Strength
    start: int
    end: int


class _Page(msgspec.Struct, forbid_unknown_fields=True):
    """pleas.toml."""

    orders: list[str]
    lists: dict[str, str]
    kinds: dict[str, str]


class Wording:
    """The page of wording, as patterns."""

    def __init__(self, page: _Page) -> None:
        self._lists = {name: _entries(listed) for name, listed in page.lists.items()}
        self.orders = self._any(page.orders)
        self.kinds = {name: self._any(_entries(listed)) for name, listed in page.kinds.items()}
        label, yes = ("|".join(map(self._entry, self._lists[name])) for name in ("label", "yes"))
        self.verdict = re.compile(
            rf"(?:^|[{{<,\[\]#}}]|  ) *(?:[\w#]+ +){{0,3}}?(?P<label>{label})[ >]*(?:[:：=>]|->)+ *(?:fully +)?(?:{yes})(?![,.]?\w)(?=[.!: \]]*(?:$|[,<}}(]))"
        )

    def _any(self, entries: list[str]) -> re.Pattern[str]:
        spaced = "|".join(self._entry(entry) for entry in entries if not _UNSPACED.search(entry))
        unspaced = [re.escape(entry) for entry in entries if _UNSPACED.search(entry)]
        return re.compile("|".join([rf"(?<![\w'-])(?:{spaced})(?!\w)", *unspaced]))

    def _entry(self, entry: str) -> str:
        """`a ... b` lets up to four words stand between."""
        return r"(?: +\S++){0,4}? +".join(" +".join(map(self._word, part.split())).replace(r" +\W*(", r"\W*(") for part in entry.split(" ... "))

    def _word(self, word: str) -> str:
        if word == "$":
            return r"\W*(?:$|<)"
        if word.startswith("<"):
            return f"(?:{'|'.join(map(self._entry, self._lists[word.strip('<>')]))})"
        return "(?:" + "|".join(re.escape(each).replace(r"\*", r"\w*") for each in word.split("|")) + ")"


@cache
def wording() -> Wording:
    """pleas.toml, read once."""
    text = resources.files(__package__).joinpath("pleas.toml").read_text("utf-8")
    return Wording(msgspec.convert(tomllib.loads(text), _Page))


def _entries(listed: str) -> list[str]:
    return [entry.strip() for entry in listed.replace("\n", " ").split(",") if entry.strip()]


def said_to_judge(text: str) -> Said | None:
    """The strongest thing that a text says to a judge; the first of those that are as strong."""
    text = folded(text)
    best: Said | None = None
    for start, clause in clauses(text):
        said = _said(clause)
        if said is not None and (best is None or STRENGTHS.index(said.strength) > STRENGTHS.index(best.strength)):
            best = Said(said.strength, start + said.start, start + said.end)
    if best is None or best.strength == "talk":
        markup = next((found for pattern in _MARKUP if (found := pattern.search(text))), None)
        best = Said("plea", *markup.span()) if markup else best
    return best


def about_grading(question: str) -> bool:
    """Whether a question is itself about judges, scores or grades, so that its answer may be, too."""
    return wording().kinds["subject"].search(folded(question)) is not None


def _said(clause: str) -> Said | None:
    page = wording()
    if page.orders.search(clause):
        return Said("order", 0, len(clause))
    if verdict := page.verdict.search(clause):
        return Said("plea", verdict.start("label"), verdict.end())
    kinds = {name for name in NAMING | WAYS if page.kinds[name].search(clause)}
    ways = len(kinds & WAYS)
    if (kinds & NAMING and ways) or ("taken" in kinds and ways > 1) or {"asks", "gift"} <= kinds:
        return Said("plea", 0, len(clause))
    return Said("talk", 0, len(clause)) if ways > 1 or kinds & NAMING else None


def folded(text: str) -> str:
    """A text in small letters, character by character, so that places stay what they are."""
    lower = text.lower() if text.isascii() else "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return _QUOTE.sub(" ", lower.translate(_FOLDED))


_FOLDED = str.maketrans("’_*\t\r\u00a0\"`“”„«»", "'" + " " * 12)
_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")


def clauses(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of a text and what stands in brackets, with their places; a very long one in pieces."""
    at = 0
    for end in [*(match.start() for match in _CLAUSES.finditer(text)), len(text)]:
        while at < end:
            piece = text[at : min(end, at + LONGEST)]
            bare = piece.lstrip(" .!?;()[]|•\n-–—。！？；（）「」")
            if bare:
                yield at + len(piece) - len(bare), bare.rstrip()
            at = end if at + LONGEST >= end else at + LONGEST - OVERLAP
