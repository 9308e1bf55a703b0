"""Finds lists of a run's answers in a text, whatever labels, numbers or topics come before them."""

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

DENSE, DENSER, ALL_BUT_FULL = 1 / 3, 1 / 2, 2 / 3
"""Share of the items of a list that are answers. A list of all metals has the one that somebody asks for, too."""

SHARE, SHARE_IN_PROSE = 0.1, 0.5
"""Of the run's answers that such a list has: of hundreds, some are names of metals."""

MOST_OF_THEM = 0.6
"""Of the run's answers, so that a list is made of them though it has other things, too."""

SHORT_ITEM = 6
"""Words of an item by which the list goes on beyond the answers in it."""

MOST_BEYOND = 60
"""Items on either side of its answers to which a list is followed."""

MOST_IN_ANSWER = 40
"""Items of an answer that is a list."""

LONG_LIST = 4
"""Items of a sentence that is a list: it is looked at item by item."""

EXPLAINED = 3
"""Words behind a term, from which on they say what it means, as in a glossary."""

_ITEMS = re.compile(r"[,;|\t•·]+|(?<!\S)\d{1,3}[.)]\s")
_PARTS = re.compile(r"->|=>|[→⇒:=()\[\]{}<>—…]|\s[-–~]\s|\b\d{1,3}[.)]\s|\.\.+")


class Hit(NamedTuple):
    """Answers in one item of a text, by its place among all, and by that of its line."""

    item: int
    line: int
    numbers: frozenset[int]
    keyed: bool = False  # something stands before them, by which they are known


class Cluster(msgspec.Struct, frozen=True):
    """Answers that stand near each other, how near, and how near together with what goes on round them."""

    numbers: frozenset[int]
    density: float
    share_of_list: float
    keyed: bool


class Lists(msgspec.Struct, frozen=True):
    """The answers in lists that were made of them, and in such as may have been, or may be of a kind of things."""

    made: frozenset[int]
    possible: frozenset[int]


def listed(text: str, finder: AnswerFinder, weights: Sequence[int], *, sure: bool = False) -> Lists:
    """The answers in lists of them; where it is `sure` that the text has one, also those in a short list."""
    known = len(finder.known.answers)
    made: set[int] = set()
    possible: set[int] = set()
    items = _items(text)
    for cluster in _clusters(_in_cells(items, finder), items):
        telling, all_of_them = sum(weights[each] > 0 for each in cluster.numbers), len(cluster.numbers)
        if sure and all_of_them > 1:
            made |= cluster.numbers
        elif all_of_them >= SHARE * known and (
            (telling >= FEW_TELLING and cluster.density >= DENSE)
            or (telling >= FEWER_TELLING and all_of_them >= MANY and cluster.density >= DENSER)
        ):
            mixed = _is_mixed([finder.known.answers[each] for each in cluster.numbers])
            most = all_of_them >= MOST_OF_THEM * known and cluster.share_of_list >= DENSE
            if (most and (mixed or cluster.keyed)) or (mixed and cluster.share_of_list >= ALL_BUT_FULL):
                made |= cluster.numbers
            possible |= cluster.numbers
    for cluster in _clusters(_in_sentences(text, finder)):
        telling = sum(weights[each] > 0 for each in cluster.numbers)
        if telling >= max(FEW_IN_PROSE, SHARE_IN_PROSE * known) and cluster.density >= DENSER:
            made |= cluster.numbers
    return Lists(frozenset(made), frozenset(possible | made))


def _is_mixed(answers: list[str]) -> bool:
    """Whether there are figures and words among them: a list of colours, of places or of years has one kind."""
    figures = sum(any(map(str.isdigit, answer)) for answer in answers)
    return 0 < figures < len(answers)


class Item(NamedTuple):
    """A part of a line, of a list perhaps; `first` where a blank line stands before it."""

    text: str
    line: int
    first: bool


def _items(text: str) -> list[Item]:
    found: list[Item] = []
    first = False
    for row, line in enumerate(text[:LONGEST].splitlines()):
        parts = [part for part in _ITEMS.split(line) if part and not part.isspace()]
        for part in parts:
            found.append(Item(part, row, first))
            first = False
        first = first or not parts
    return found


def _in_cells(items: Sequence[Item], finder: AnswerFinder) -> Iterator[Hit]:
    """The answers that are the whole of an item, or of a part of one; an answer may be a list itself."""
    start = 0
    for at, item in enumerate(items):
        if item.line != items[start].line:
            start = at
        numbers = _whole(item.text, finder)
        if at == start and at + 1 < len(items) and items[at + 1].line == item.line:
            numbers |= _whole(_line_of(items, at), finder)
        if numbers:
            keyed = len([part for part in _PARTS.split(item.text) if part.strip()]) > 1 or at > start
            yield Hit(at, item.line, numbers, keyed)


def _line_of(items: Sequence[Item], at: int) -> str:
    parts = []
    for item in items[at : at + MOST_IN_ANSWER]:
        if item.line != items[at].line:
            break
        parts.append(item.text)
    return ",".join(parts)


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
        if len(_ITEMS.split(sentence, LONG_LIST)) <= LONG_LIST and (
            numbers := frozenset(finder.find(reduce(sentence)))
        ):
            yield Hit(at, at, numbers)


def _clusters(hits: Iterator[Hit], items: Sequence[Item] = ()) -> Iterator[Cluster]:
    """The hits between which there is no wide gap."""
    group: list[Hit] = []
    for hit in hits:
        if group and hit.item - group[-1].item > GAP + 1 and hit.line - group[-1].line > 2:
            yield _cluster(group, items)
            group = []
        group.append(hit)
    if group:
        yield _cluster(group, items)


def _cluster(group: list[Hit], items: Sequence[Item]) -> Cluster:
    """Of a table with many columns each row has an answer; a list in one line is told by its items."""
    first, last = group[0], group[-1]
    before, after = _goes_on(items, first.item, -1), _goes_on(items, last.item, 1)
    hits, lines = len({hit.item for hit in group}), len({hit.line for hit in group})
    density = hits / (last.item - first.item + 1)
    share = hits / (after - before + 1)
    if last.line - first.line >= FEW_TELLING - 1:
        density = max(density, lines / (last.line - first.line + 1))
        if items:
            share = max(share, lines / (items[after].line - items[before].line + 1))
    numbers = frozenset(number for hit in group for number in hit.numbers)
    return Cluster(numbers, density, share, all(hit.keyed for hit in group))


def _goes_on(items: Sequence[Item], at: int, way: int) -> int:
    """How far a list goes on beyond the last answer in it: to a blank line, or to an item that is a sentence."""
    for _ in range(MOST_BEYOND):
        if not 0 <= at + way < len(items) or items[at if way < 0 else at + 1].first:
            return at
        if items[at + way].text.count(" ") > SHORT_ITEM:
            return at
        at += way
    return at
