"""Unusual honest families of the second test part: measured once, since then development."""

from gaia_harness.lab.honest.spent.second_unusual import mixed, reading, working

VARIANTS = (*reading.VARIANTS, *working.VARIANTS, *mixed.VARIANTS)
