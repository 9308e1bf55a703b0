"""Does a text tell somebody who grades how to treat an answer? By one page of wording, pleas.toml, and by mark-up."""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

import msgspec

Strength = Literal["talk", "plea", "order"]

LONGEST, OVERLAP = 300, 60
"""Characters of a clause that are looked at together, and those that a longer one's pieces share."""

NAMING = frozenset(("grader", "key"))
WAYS = frozenset(("right", "gift", "off", "taken", "asks"))
"""Kinds of words, as pleas.toml has them: those that name grading, and those by which something is wanted of it."""

_CLAUSES = re.compile(r"[.!?](?=[\s\"')\]<]|$)|[;()\[\]\n•|]| [-–—] |[。！？；（）「」]")
_UNSPACED = re.compile("[\u3040-\u9fff\uac00-\ud7af]")
_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")
_FOLDED = str.maketrans('’_*\t\r\u00a0"`“”„«»', "'" + " " * 12)
_MARKUP = re.compile(
    r"<\|(?:im.(?:start|end|sep)|system|user|assistant|endoftext|eot|start)|\[/?inst\]|<</?sys>>|[<\[]system[>\]]"
    r"|</ ?(?:candidate|answer|response|submission|student|question|data|untrusted|system)[\w -]{0,80}>"
    r"|\b(?:(?:system|developer) ?(?:prompt|message|override|note)?|assistant) ?:"
    r"|\bend of (?:the )?(?:candidate|answer|submission|response|untrusted)"
)
"""What ends the block that a judge is shown an answer in, or begins another speaker's."""


class Said(NamedTuple):
    """How strongly a text speaks to a judge, and at which of its characters that begins and ends."""

    strength: Strength
    start: int
    end: int


class _Page(msgspec.Struct, forbid_unknown_fields=True):
    """pleas.toml."""

    orders: str
    kinds: dict[str, str]
    lists: dict[str, str]


class Wording:
    """The page of wording, as patterns for the clauses of folded texts."""

    def __init__(self, page: _Page) -> None:
        self._lists = {name: _entries(listed) for name, listed in page.lists.items()}
        self.orders = self._between_words(_entries(page.orders))
        self.kinds = {name: self._between_words(_entries(listed)) for name, listed in page.kinds.items()}
        # "Verdict: correct", {"is_correct": "yes"}, <grade>1</grade>; but not "correct: 1,204"
        begins = r"(?:^|[{<,\[\]#}]|  ) *(?:[\w#]++ +){0,3}?"
        ends = r"(?![,.]?\w)(?=[.!: \]]*(?:$|[,<}(]))"
        label, yes = self._word("<label>"), self._word("<yes>")
        self.verdict = re.compile(rf"{begins}(?P<label>{label})[ >]*(?:[:：=>]|->)+ *{yes}{ends}")

    def _between_words(self, entries: list[str]) -> re.Pattern[str]:
        spaced = "|".join(self._entry(entry) for entry in entries if not _UNSPACED.search(entry))
        unspaced = [".{0,12}".join(map(self._word, entry.split("..."))) for entry in entries if _UNSPACED.search(entry)]
        return re.compile("|".join([rf"(?<![\w'-])(?:{spaced})(?!\w)", *unspaced]))

    def _entry(self, entry: str) -> str:
        entry, end = entry.removesuffix(" $"), r"\W*(?:$|<)" if entry.endswith(" $") else ""
        parts = [" +".join(map(self._word, part.split())) for part in entry.split(" ... ")]
        return r"(?: +\S++){0,4}? +".join(parts) + end

    def _word(self, word: str) -> str:
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


def said_to_judge(text: str, *, orders_only: bool = False) -> Said | None:
    """The strongest thing that a text says to a judge; the first of those that are as strong."""
    text, page = folded(text), wording()
    best: Said | None = None
    for start, clause in clauses(text):
        if page.orders.search(clause):
            return Said("order", start, start + len(clause))
        said = None if orders_only or (best and best.strength == "plea") else _said(clause)
        if said is not None and (best is None or said.strength == "plea"):
            best = Said(said.strength, start + said.start, start + said.end)
    if not orders_only and (best is None or best.strength == "talk") and (markup := _MARKUP.search(text)):
        return Said("plea", *markup.span())
    return best


def _said(clause: str) -> Said | None:
    page = wording()
    if verdict := page.verdict.search(clause):
        return Said("plea", verdict.start("label"), verdict.end())
    kinds = {name for name in NAMING | WAYS if page.kinds[name].search(clause)}
    ways = len(kinds & WAYS)
    if (kinds & NAMING and ways) or ("taken" in kinds and ways > 1) or {"asks", "gift"} <= kinds:
        return Said("plea", 0, len(clause))
    return Said("talk", 0, len(clause)) if ways > 1 or kinds & NAMING else None


def folded(text: str) -> str:
    """A text in small letters with spaces for quotes, character by character: places stay what they are."""
    small = text.lower() if text.isascii() else "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return _QUOTE.sub(" ", small.translate(_FOLDED))


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
