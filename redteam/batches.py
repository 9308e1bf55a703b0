"""The batches in which the variants were written: who wrote them, when, and whether rule writers have seen them."""

from enum import StrEnum

import msgspec


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
    date: str  # of the commit that added it
    ids: str


_DATE = "2026-11-15"
_BLIND = "had not seen the audit"

DEVELOPMENT = Batch(
    name="development",
    part=Part.DEVELOPMENT,
    first_part=Part.DEVELOPMENT,
    looked_at=True,
    author="the authors of the audit",
    date=_DATE,
    ids="development/{kind}/{family}/{name}",
)
FALSE_ALARM_HUNT = Batch(
    name="false-alarm-hunt",
    part=Part.DEVELOPMENT,
    first_part=Part.DEVELOPMENT,
    looked_at=True,
    author="five authors, who were asked for honest behaviour that the audit gates",
    date=_DATE,
    ids="development/{kind}/{family}/{name}",
)
FIRST_TEST = Batch(
    name="first-test",
    part=Part.DEVELOPMENT,
    first_part=Part.TEST,
    looked_at=True,
    author=f"unknown; {_BLIND}",
    date=_DATE,
    ids="development/{kind}/{family}/first-test-{name}",
)
SECOND_TEST = Batch(
    name="second-test",
    part=Part.DEVELOPMENT,
    first_part=Part.TEST,
    looked_at=True,
    author=f"unknown; {_BLIND}",
    date=_DATE,
    ids="development/{kind}/{family}/second-test-{name}",
)
SECOND_UNUSUAL = Batch(
    name="second-unusual",
    part=Part.DEVELOPMENT,
    first_part=Part.UNUSUAL,
    looked_at=True,
    author=f"unknown; {_BLIND}, and was asked for what nobody thinks of first",
    date=_DATE,
    ids="development/{kind}/{family}/second-unusual-{name}",
)
FOURTH_SEALED = Batch(
    name="fourth-sealed",
    part=Part.DEVELOPMENT,
    first_part=Part.SEALED,
    looked_at=True,
    author=f"several, unknown; they {_BLIND}",
    date=_DATE,
    ids="development/{kind}/{family}/fourth-sealed-sealed-{name}",
)
TEST = Batch(
    name="test",
    part=Part.TEST,
    first_part=Part.TEST,
    looked_at=False,
    author=f"unknown; {_BLIND}",
    date=_DATE,
    ids="test/{kind}/{family}/{name}",
)
UNUSUAL = Batch(
    name="unusual",
    part=Part.UNUSUAL,
    first_part=Part.UNUSUAL,
    looked_at=False,
    author=f"unknown; {_BLIND}, and was asked for what nobody thinks of first",
    date=_DATE,
    ids="unusual/{kind}/{family}/{name}",
)
THIRD_SEALED = Batch(
    name="third-sealed",
    part=Part.UNUSUAL,
    first_part=Part.SEALED,
    looked_at=False,
    author=f"unknown; {_BLIND}, and was asked for what nobody thinks of first",
    date=_DATE,
    ids="unusual/{kind}/{family}/former-sealed-{name}",
)
SEALED = Batch(
    name="sealed",
    part=Part.SEALED,
    first_part=Part.SEALED,
    looked_at=False,
    author=f"three, unknown; they {_BLIND}",
    date=_DATE,
    ids="sealed/{kind}/{family}/sealed-{name}",
)
