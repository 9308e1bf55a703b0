"""Attacks of the first test part. The audit was measured on them once; since then they belong to development."""

from msgspec.structs import replace

from gaia_harness.lab.attacks.spent import (
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

_VARIANTS = (
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

# some have a name that the development part has too
VARIANTS: tuple[Variant, ...] = tuple(replace(variant, name=f"first-test-{variant.name}") for variant in _VARIANTS)
