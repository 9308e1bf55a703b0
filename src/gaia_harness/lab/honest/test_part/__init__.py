"""The honest families of the test part: odd, and above board."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.test_part import reading, running, working

VARIANTS: tuple[Variant, ...] = (*reading.VARIANTS, *working.VARIANTS, *running.VARIANTS)
