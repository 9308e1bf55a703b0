"""Honest families of the second test part: measured once, since then development."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.spent.second_test import finding, keeping, working

VARIANTS: tuple[Variant, ...] = (*finding.VARIANTS, *working.VARIANTS, *keeping.VARIANTS)
