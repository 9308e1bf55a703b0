"""Which honest behaviour is in the second half of the sealed part? What is said, run and counted."""

from redteam.cases import Variant
from redteam.honest.sealed.second_half import answers, code, counting, prompting, tooling, whole_run

VARIANTS: tuple[Variant, ...] = (
    *answers.VARIANTS,
    *prompting.VARIANTS,
    *code.VARIANTS,
    *tooling.VARIANTS,
    *counting.VARIANTS,
    *whole_run.VARIANTS,
)
