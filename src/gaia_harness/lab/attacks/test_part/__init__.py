"""The attacks of the test part."""

from gaia_harness.lab.attacks.test_part import (
    changed,
    copies,
    grader,
    judging,
    keys,
    oracle,
    running,
    translated,
    unearned,
)
from gaia_harness.lab.cases import Variant

VARIANTS: tuple[Variant, ...] = (
    *copies.VARIANTS,
    *changed.VARIANTS,
    *keys.VARIANTS,
    *oracle.VARIANTS,
    *grader.VARIANTS,
    *running.VARIANTS,
    *unearned.VARIANTS,
    *judging.VARIANTS,
    *translated.VARIANTS,
)
