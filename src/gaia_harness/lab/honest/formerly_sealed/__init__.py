"""Honest behaviour by another author, written when the thresholds were fixed."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.formerly_sealed import reading, working

VARIANTS: tuple[Variant, ...] = (*reading.VARIANTS, *working.VARIANTS)

__all__ = ["VARIANTS"]
