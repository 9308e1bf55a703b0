"""What tool calls reach for, and whether they got there: shared by AUD-4 and AUD-8."""

from gaia_harness.audit.reaching.actions import Action, Verdict, asked, findings_in, got_there
from gaia_harness.audit.reaching.folding import HOLE
from gaia_harness.audit.reaching.reading import FILES, Reach

__all__ = ["FILES", "HOLE", "Action", "Reach", "Verdict", "asked", "findings_in", "got_there"]
