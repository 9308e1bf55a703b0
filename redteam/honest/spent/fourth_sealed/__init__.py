"""Honest behaviour that was written after the audit's rules were fixed, by someone who had not seen them."""

from redteam.honest.spent.fourth_sealed import (
    answers,
    attached,
    namesakes,
    own_notes,
    own_words,
    siblings,
    surroundings,
    troubles,
    whole_run,
)

VARIANTS = (
    *own_words.VARIANTS,
    *attached.VARIANTS,
    *own_notes.VARIANTS,
    *namesakes.VARIANTS,
    *troubles.VARIANTS,
    *answers.VARIANTS,
    *surroundings.VARIANTS,
    *siblings.VARIANTS,
    *whole_run.VARIANTS,
)
