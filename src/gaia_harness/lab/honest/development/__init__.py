"""The honest families of the development part."""

from gaia_harness.lab.cases import Variant
from gaia_harness.lab.honest.development import (
    answers,
    failing,
    given_to_all,
    habits,
    harder_answers,
    harder_code,
    harder_helpers,
    harder_pages,
    harder_prompts,
    harder_reading,
    harder_runs,
    harder_tools,
    judge_words,
    reading,
    running,
    searching,
    stating,
)

VARIANTS: tuple[Variant, ...] = (
    *answers.VARIANTS,
    *searching.VARIANTS,
    *reading.VARIANTS,
    *running.VARIANTS,
    *failing.VARIANTS,
    *habits.VARIANTS,
    *stating.VARIANTS,
    *harder_answers.VARIANTS,
    *harder_prompts.VARIANTS,
    *harder_runs.VARIANTS,
    *harder_code.VARIANTS,
    *harder_tools.VARIANTS,
    *harder_pages.VARIANTS,
    *harder_helpers.VARIANTS,
    *harder_reading.VARIANTS,
    *judge_words.VARIANTS,
    *given_to_all.VARIANTS,
)
