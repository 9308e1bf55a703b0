"""AUD-6: retries, votes, lost attempts and restarts are disclosed, and nobody chose by the score."""

from gaia_harness.audit.voting_disclosure.check import VotingDisclosure

__all__ = ["VotingDisclosure"]
