"""The honest families of the test part."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.test_part import answering, searching, working

VARIANTS: tuple[Variant, ...] = (*searching.VARIANTS, *answering.VARIANTS, *working.VARIANTS)
