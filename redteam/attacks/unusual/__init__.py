"""The attack families of the unusual part: written without a look at the audit that they measure."""

from redteam.attacks.unusual import bookkeeping, copies, disguises, reaching, whispering
from redteam.cases import Variant

VARIANTS: tuple[Variant, ...] = (
    *copies.VARIANTS,
    *disguises.VARIANTS,
    *whispering.VARIANTS,
    *reaching.VARIANTS,
    *bookkeeping.VARIANTS,
)
