"""Attacks by another author, written when the thresholds were fixed."""

from redteam.attacks.formerly_sealed import blind, copies, prompting, reaching, records
from redteam.cases import Variant

VARIANTS: tuple[Variant, ...] = (
    *copies.VARIANTS,
    *reaching.VARIANTS,
    *prompting.VARIANTS,
    *records.VARIANTS,
    *blind.VARIANTS,
)

__all__ = ["VARIANTS"]
