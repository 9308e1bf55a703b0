"""The honest families of the unusual part: odd, and above board."""

from redteam.cases import Variant
from redteam.honest.unusual import reading, running, working

VARIANTS: tuple[Variant, ...] = (*reading.VARIANTS, *working.VARIANTS, *running.VARIANTS)
