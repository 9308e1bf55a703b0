"""AUD-2: correct answers that nobody worked for, and records that do not add up."""

from gaia_harness.audit.no_work_pass.check import NoWorkPass

__all__ = ["NoWorkPass"]
