"""The attacks of the development part."""

from redteam.attacks.development import (
    answers,
    attempts,
    blind_spots,
    downloads,
    edited_questions,
    encoded_copies,
    given_to_all,
    grader_access,
    leaked_rows,
    lost_attempts,
    oracle_prompts,
    placed_copies,
    pleas,
    roundabout,
    short_rows,
    split_tricks,
    untrue_records,
)
from redteam.cases import Variant

VARIANTS: tuple[Variant, ...] = (
    *leaked_rows.VARIANTS,
    *encoded_copies.VARIANTS,
    *edited_questions.VARIANTS,
    *placed_copies.VARIANTS,
    *downloads.VARIANTS,
    *oracle_prompts.VARIANTS,
    *grader_access.VARIANTS,
    *roundabout.VARIANTS,
    *attempts.VARIANTS,
    *lost_attempts.VARIANTS,
    *split_tricks.VARIANTS,
    *answers.VARIANTS,
    *untrue_records.VARIANTS,
    *short_rows.VARIANTS,
    *given_to_all.VARIANTS,
    *blind_spots.VARIANTS,
    *pleas.VARIANTS,
)
