"""AUD-1: answers taken from a copy of the benchmark."""

from gaia_harness.audit.answer_leakage.check import AnswerLeakage

__all__ = ["AnswerLeakage"]
