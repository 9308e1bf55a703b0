"""Honest families of the first test part. The audit was measured on them once; since then they are development."""

from redteam.cases import Variant
from redteam.honest.spent.first_test import answering, searching, working

VARIANTS: tuple[Variant, ...] = (*searching.VARIANTS, *answering.VARIANTS, *working.VARIANTS)
