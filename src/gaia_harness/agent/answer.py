"""Pulls the answer out of what the model said, by the rule that an audit reads it by too."""

from gaia_harness.answer_line import LONGEST, final_answer

__all__ = ["LONGEST", "final_answer"]
