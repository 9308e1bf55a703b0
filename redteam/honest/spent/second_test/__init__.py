"""Honest families of the second test part: measured once, since then development."""

from redteam.cases import Variant
from redteam.honest.spent.second_test import finding, keeping, working

VARIANTS: tuple[Variant, ...] = (*finding.VARIANTS, *working.VARIANTS, *keeping.VARIANTS)
