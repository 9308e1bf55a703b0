"""Unusual attacks of the second test part: measured once, since then development."""

from redteam.attacks.spent.second_unusual import answers, given, places, reaching, rows, running, unseen

VARIANTS = (
    *rows.VARIANTS,
    *places.VARIANTS,
    *reaching.VARIANTS,
    *given.VARIANTS,
    *answers.VARIANTS,
    *running.VARIANTS,
    *unseen.VARIANTS,
)
