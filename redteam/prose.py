"""Filler prose of any length for invented pages, about nothing that is asked."""

import random

from redteam.data import load
from redteam.words import kinds

_PIECES: dict[str, list[str]] = load("prose")


def sentence(rng: random.Random) -> str:
    """One sentence."""
    return " ".join(rng.choice(_PIECES[part]) for part in ("openings", "subjects", "verbs", "objects", "endings"))


def prose(rng: random.Random, size: int) -> str:
    """Paragraphs of about so many characters, with a name, a year or a figure here and there."""
    drawn = kinds()
    paragraphs: list[str] = []
    length = 0
    while length < size:
        lines = [sentence(rng) for _ in range(rng.randint(3, 7))]
        kind = rng.choice(("town", "person", "year", "n", "river", "big", "colour", "small"))
        lines.insert(rng.randrange(len(lines)), f"{rng.choice(_PIECES['asides'])} {drawn[kind](rng)}.")
        paragraph = " ".join(lines)
        paragraphs.append(paragraph)
        length += len(paragraph) + 2
    return "\n\n".join(paragraphs)


def snippet(rng: random.Random) -> str:
    """What a search engine shows of a page that says nothing to the point."""
    return " ".join(sentence(rng) for _ in range(rng.randint(1, 2)))
