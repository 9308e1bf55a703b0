"""Finds passages of a question in a text, apart from those that the agent itself sent."""

from collections.abc import Sequence

import msgspec

from gaia_harness.evidence.wording import reduce

Place = tuple[int, int]
"""Where a piece of a question begins in reduced words, and which one it is."""


OTHERWISE = 8
"""Of so many words that come back, one may be written otherwise than it was sent."""

MOST_LOOKS = 64
"""Places in what was sent at which a passage is compared with it."""


class Passage(msgspec.Struct, frozen=True):
    """Part of a text in reduced words, and how much of the question stands there."""

    share: float
    start: int
    end: int


class Echoes:
    """What the agent sent: a passage of it that comes back word for word is no copy."""

    def __init__(self, sent: str) -> None:
        self._sent = reduce(sent) if sent else b""
        self._sent_words: list[bytes] | None = None
        self._known: dict[bytes, bool] = {}

    def __bool__(self) -> bool:
        return bool(self._sent)

    def taken_out(self, places: Sequence[Place], words: bytes, size: int) -> list[Place]:
        """The places that are not part of a passage which the agent itself has just sent, word for word."""
        kept: list[Place] = []
        run: list[Place] = []
        for place in places:
            if run and words.count(b" ", run[-1][0], place[0]) > 1:  # not the very next word
                kept += self._unless_sent(run, words, size)
                run = []
            run.append(place)
        return kept + self._unless_sent(run, words, size)

    def _unless_sent(self, run: list[Place], words: bytes, size: int) -> list[Place]:
        if not run:
            return run
        passage = words[run[0][0] : _end(words, run[-1][0], size) + 1]
        if passage not in self._known:
            self._known[passage] = passage in self._sent or self._nearly_sent(passage.split())
        return [] if self._known[passage] else run

    def _nearly_sent(self, passage: list[bytes]) -> bool:
        """Whether it was sent with a word or two written otherwise: a search page corrects what it was asked."""
        if self._sent_words is None:
            self._sent_words = self._sent.split()
        sent = self._sent_words
        size, room = len(passage), len(passage) // OTHERWISE
        if not room or len(sent) < size:
            return False
        looks = MOST_LOOKS
        for place in range(room + 1):  # one of the first words must be as it was sent
            at = -1
            while looks:
                try:
                    at = sent.index(passage[place], at + 1)
                except ValueError:
                    break
                looks -= 1
                start = at - place
                if 0 <= start <= len(sent) - size:
                    pairs = zip(passage, sent[start : start + size], strict=True)
                    if sum(word != other for word, other in pairs) <= room:
                        return True
        return False


def _end(words: bytes, start: int, count: int) -> int:
    """Where the space behind so many words is."""
    for _ in range(count):
        start = words.find(b" ", start + 1)
    return start


def passages_of(places: Sequence[Place], pieces: int, reach: int, words: bytes, size: int) -> list[Passage]:
    """Where most of a question's pieces stand within `reach` bytes, one passage of every cluster, fullest first."""
    found: list[tuple[float, int, int]] = []
    best = (0.0, 0, 0)
    counts: dict[int, int] = {}
    left = 0
    for index, (start, piece) in enumerate(places):
        while start - places[left][0] > reach:
            gone = places[left][1]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            left += 1
        if left == index and index:  # nothing of what was before is within reach
            found.append(best)
            best = (0.0, 0, 0)
        counts[piece] = counts.get(piece, 0) + 1
        share = len(counts) / pieces
        if share > best[0]:
            best = (share, places[left][0], start)
    if places:
        found.append(best)
    found.sort(key=lambda passage: -passage[0])
    return [Passage(share, start, _end(words, last, size)) for share, start, last in found]


def cover_of(words: bytes, weights: dict[bytes, float], reach: int) -> Passage:
    """The largest weighted share of a question's content words within `reach` words, and where."""
    whole = sum(weights.values())
    parts = words.split()
    places = [(index, word) for index, word in enumerate(parts) if word in weights]
    counts: dict[bytes, int] = {}
    best, left, held = (0.0, 0, 0), 0, 0.0
    for index, word in places:
        if not counts.get(word):
            held += weights[word]
        counts[word] = counts.get(word, 0) + 1
        while index - places[left][0] > reach:
            gone = places[left][1]
            counts[gone] -= 1
            if not counts[gone]:
                held -= weights[gone]
            left += 1
        if held / whole > best[0]:
            best = (held / whole, places[left][0], index)
    share, first, last = best
    start = len(b" ".join((b"", *parts[:first])))
    return Passage(share, start, start + len(b" ".join((b"", *parts[first : last + 1]))))
