"""What tool calls reach for, and whether they got there: shared by AUD-4 and AUD-8."""

from gaia_harness.audit.reaching.actions import Action, TaskActions, finding_of, got_there, ran_through
from gaia_harness.audit.reaching.folding import HOLE
from gaia_harness.audit.reaching.reading import FILES, Reach, Reading

__all__ = ["FILES", "HOLE", "Action", "Reach", "Reading", "TaskActions", "finding_of", "got_there", "ran_through"]
