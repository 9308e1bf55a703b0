"""Chooses among several independent attempts without knowing which is right."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from gaia_harness.normalization import ballot


class Choice(msgspec.Struct, frozen=True):
    """The attempt (from 1) whose answer stands, how many gave that answer, and how many gave any."""

    attempt: int
    votes: int
    cast: int


def choose(answers: Sequence[str | None]) -> Choice:
    """The most frequent answer after normalisation, ties to the earliest; no answer is no vote."""
    ballots = [None if answer is None else ballot(answer) for answer in answers]
    counts = Counter(b for b in ballots if b is not None)
    if not counts:
        return Choice(attempt=1, votes=0, cast=0)
    winner, votes = counts.most_common(1)[0]  # equal counts come in the order first seen
    return Choice(attempt=ballots.index(winner) + 1, votes=votes, cast=counts.total())
