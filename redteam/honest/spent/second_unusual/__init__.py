"""Unusual honest families of the second test part: measured once, since then development."""

from redteam.honest.spent.second_unusual import mixed, reading, working

VARIANTS = (*reading.VARIANTS, *working.VARIANTS, *mixed.VARIANTS)
