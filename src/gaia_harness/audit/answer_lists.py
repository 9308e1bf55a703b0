"""Does a text list a run's answers, whatever stands before them: topics, beginnings, numbers, nothing at all?"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from gaia_harness.audit.given_texts import sentences
from gaia_harness.audit.prompt_texts import AnswerFinder
from gaia_harness.evidence.wording import reduce

LONGEST = 256 << 10
"""Characters of a text that are taken apart: a table of a whole data set has some ten KB."""

GAP = 4
"""Items without an answer between two with one, at most: a row may have a topic, a level, a note."""

FEW_TELLING = 3
"""Answers that are no mere "3" or "yes", each the whole of a cell, that make a list of answers."""

FEWER_TELLING, MANY = 2, 5
"""Or so many of them, among so many of all kinds."""

FEW_IN_PROSE = 4
"""The same where they stand in sentences, of which any may have one by chance."""

DENSE, DENSER = 1 / 3, 1 / 2
"""Share of the items of a list that are answers. A list of all metals has the one that somebody asks for, too."""

SHARE, SHARE_IN_PROSE = 0.1, 0.3
"""Of the run's answers that such a list has: of hundreds, some are names of metals."""

EXPLAINED = 3
"""Words behind a term, from which on they say what it means, as in a glossary."""

_ITEMS = re.compile(r"[,;|\t•·]+")
_PARTS = re.compile(r"->|=>|[→⇒:=()\[\]{}<>—…]|\s[-–~]\s|\b\d{1,3}[.)]\s|\.\.+")


class Hit(NamedTuple):
    """Answers in one item of a text, by its place among all, and by that of its line."""

    item: int
    line: int
    numbers: frozenset[int]


class Cluster(msgspec.Struct, frozen=True):
    """Answers that stand near each other, and how near."""

    numbers: frozenset[int]
    density: float


def listed(text: str, finder: AnswerFinder, weights: Sequence[int], *, sure: bool = False) -> set[int]:
    """The answers in lists of them; where it is `sure` that the text has one, also those in a short list."""
    known = len(finder.known.answers)
    found: set[int] = set()
    for cluster in _clusters(_in_cells(text, finder)):
        telling, all_of_them = sum(weights[each] > 0 for each in cluster.numbers), len(cluster.numbers)
        if (sure and all_of_them > 1) or (
            all_of_them >= SHARE * known
            and (
                (telling >= FEW_TELLING and cluster.density >= DENSE)
                or (telling >= FEWER_TELLING and all_of_them >= MANY and cluster.density >= DENSER)
            )
        ):
            found |= cluster.numbers
    for cluster in _clusters(_in_sentences(text, finder)):
        telling = sum(weights[each] > 0 for each in cluster.numbers)
        if telling >= max(FEW_IN_PROSE, SHARE_IN_PROSE * known) and cluster.density >= DENSER:
            found |= cluster.numbers
    return found


def _in_cells(text: str, finder: AnswerFinder) -> Iterator[Hit]:
    """The answers that are the whole of an item, or of a part of one."""
    at = 0
    for row, line in enumerate(text[:LONGEST].splitlines()):
        items = _ITEMS.split(line)
        if len(items) > 1 and (numbers := _whole(line, finder)):  # an answer may be a list itself
            yield Hit(at, row, numbers)
        for item in items:
            if item and not item.isspace():
                if numbers := _whole(item, finder):
                    yield Hit(at, row, numbers)
                at += 1


def _whole(item: str, finder: AnswerFinder) -> frozenset[int]:
    """The answers that an item is, or one of its parts; a word that is explained behind it is none."""
    parts = _PARTS.split(item)
    reduced = [words for words in map(reduce, parts) if words]
    if len(reduced) > 1 and sum(words.count(b" ") - 1 for words in reduced[1:]) >= EXPLAINED:
        reduced = reduced[1:]
    if len(parts) > 1:
        reduced.append(reduce(item))
    return frozenset(number for words in reduced for number in finder.whole(words))


def _in_sentences(text: str, finder: AnswerFinder) -> Iterator[Hit]:
    for at, (_, sentence) in enumerate(sentences(text)):
        if numbers := frozenset(finder.find(reduce(sentence))):
            yield Hit(at, at, numbers)


def _clusters(hits: Iterator[Hit]) -> Iterator[Cluster]:
    """The hits between which there is no wide gap."""
    group: list[Hit] = []
    for hit in hits:
        if group and hit.item - group[-1].item > GAP + 1 and hit.line - group[-1].line > 2:
            yield _cluster(group)
            group = []
        group.append(hit)
    if group:
        yield _cluster(group)


def _cluster(group: list[Hit]) -> Cluster:
    """Of a table with many columns each row has an answer; a list in one line is told by its items."""
    first, last = group[0], group[-1]
    density = len({hit.item for hit in group}) / (last.item - first.item + 1)
    if last.line - first.line >= FEW_TELLING - 1:
        density = max(density, len({hit.line for hit in group}) / (last.line - first.line + 1))
    return Cluster(frozenset(number for hit in group for number in hit.numbers), density)
