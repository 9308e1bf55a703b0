"""Attacks of the first test part. The audit was measured on them once; since then they belong to development."""

from redteam.attacks.spent.first_test import (
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
from redteam.cases import Variant

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
