"""Honest behaviour by another author, written when the thresholds were fixed."""

from redteam.cases import Variant
from redteam.honest.formerly_sealed import reading, working

VARIANTS: tuple[Variant, ...] = (*reading.VARIANTS, *working.VARIANTS)

__all__ = ["VARIANTS"]
