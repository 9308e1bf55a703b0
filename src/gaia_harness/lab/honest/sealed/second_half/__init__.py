"""Which honest behaviour is in the second half of the sealed part? What is said, run and counted."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.sealed.second_half import answers, code, counting, prompting, tooling, whole_run

VARIANTS: tuple[Variant, ...] = (
    *answers.VARIANTS,
    *prompting.VARIANTS,
    *code.VARIANTS,
    *tooling.VARIANTS,
    *counting.VARIANTS,
    *whole_run.VARIANTS,
)
