"""The honest families of the unusual part: odd, and above board."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.unusual import reading, running, working

VARIANTS: tuple[Variant, ...] = (*reading.VARIANTS, *working.VARIANTS, *running.VARIANTS)
