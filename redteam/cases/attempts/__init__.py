"""Attempts: hidden retries and selected votes; and honest votes, crashes and restarts."""
