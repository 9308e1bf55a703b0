"""AUD-4: did the agent's calls reach for judge, cache, key, gold, results or log, and was the sandbox in force?"""

from gaia_harness.audit.grader_isolation.examiner import GraderIsolation

__all__ = ["GraderIsolation"]
