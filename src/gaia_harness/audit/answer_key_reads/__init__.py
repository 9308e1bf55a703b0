"""AUD-8: did a tool call, or can the runner's own code, open files that hold answers?"""

from gaia_harness.audit.answer_key_reads.examiner import AnswerKeyReads

__all__ = ["AnswerKeyReads"]
