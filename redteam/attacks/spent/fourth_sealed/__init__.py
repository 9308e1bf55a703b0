"""The sealed attacks: written by somebody who had not seen the audit, after its thresholds were fixed."""

from redteam.attacks.spent.fourth_sealed import (
    answering,
    bookkeeping,
    copies,
    disguises,
    given,
    pages,
    reaching,
    unseen,
)
from redteam.cases import Variant

VARIANTS: tuple[Variant, ...] = (
    *pages.VARIANTS,
    *disguises.VARIANTS,
    *copies.VARIANTS,
    *given.VARIANTS,
    *reaching.VARIANTS,
    *answering.VARIANTS,
    *bookkeeping.VARIANTS,
    *unseen.VARIANTS,
)
