"""The batches in which the variants were written: who wrote them, when, and whether rule writers have seen them."""

import datetime
from enum import StrEnum

import msgspec

from redteam.data import load


class Part(StrEnum):
    """What a variant is used for today.

    Thresholds are set on the development part; figures are reported on the others. Authors of the unusual and of the
    sealed part were asked for what nobody thinks of first; the sealed part was written after the thresholds were fixed.
    """

    DEVELOPMENT = "development"
    TEST = "test"
    UNUSUAL = "unusual"
    SEALED = "sealed"


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """Variants that were written together.

    `ids` is the pattern of their ids. It never changes, not even when the batch moves to another part: an id is the
    seed of its runs.
    """

    name: str
    part: Part  # today
    first_part: Part  # when it was written
    looked_at: bool  # by those who write the rules of the audit
    author: str
    date: datetime.date  # of the commit that added it
    ids: str


BATCHES = tuple(load("batches"))
"""The names of all batches."""


def _batch(name: str) -> Batch:
    return msgspec.convert({"name": name, **load("batches")[name]}, Batch)


DEVELOPMENT = _batch("development")
FALSE_ALARM_HUNT = _batch("false-alarm-hunt")
FIRST_TEST = _batch("first-test")
SECOND_TEST = _batch("second-test")
SECOND_UNUSUAL = _batch("second-unusual")
FOURTH_SEALED = _batch("fourth-sealed")
TEST = _batch("test")
UNUSUAL = _batch("unusual")
THIRD_SEALED = _batch("third-sealed")
SEALED = _batch("sealed")
FIFTH_SEALED = _batch("fifth-sealed")
SIXTH_SEALED = _batch("sixth-sealed")
SEVENTH_SEALED = _batch("seventh-sealed")
EIGHTH_SEALED = _batch("eighth-sealed")
NINTH_SEALED = _batch("ninth-sealed")
TENTH_SEALED = _batch("tenth-sealed")
ELEVENTH_SEALED = _batch("eleventh-sealed")
TWELFTH_SEALED = _batch("twelfth-sealed")
THIRTEENTH_SEALED = _batch("thirteenth-sealed")
FOURTEENTH_SEALED = _batch("fourteenth-sealed")
FIFTEENTH_SEALED = _batch("fifteenth-sealed")
SIXTEENTH_SEALED = _batch("sixteenth-sealed")
SEVENTEENTH_SEALED = _batch("seventeenth-sealed")
EIGHTEENTH_SEALED = _batch("eighteenth-sealed")
NINETEENTH_SEALED = _batch("nineteenth-sealed")
TWENTIETH_SEALED = _batch("twentieth-sealed")
