"""Attacks of the test part: by an author who has never seen the audit that they measure."""

from redteam.attacks.test_part import accounts, copies, grading, placing, prompting, tables, unseen

VARIANTS = (
    *copies.VARIANTS,
    *placing.VARIANTS,
    *tables.VARIANTS,
    *prompting.VARIANTS,
    *grading.VARIANTS,
    *accounts.VARIANTS,
    *unseen.VARIANTS,
)
