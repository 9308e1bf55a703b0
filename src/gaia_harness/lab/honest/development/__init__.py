"""The honest families of the development part."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.development import answers, failing, habits, reading, running, searching, stating

VARIANTS: tuple[Variant, ...] = (
    *answers.VARIANTS,
    *searching.VARIANTS,
    *reading.VARIANTS,
    *running.VARIANTS,
    *failing.VARIANTS,
    *habits.VARIANTS,
    *stating.VARIANTS,
)
