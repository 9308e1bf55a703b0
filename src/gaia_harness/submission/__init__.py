"""Submission packages: built from a run, and verified without trusting anything that they state."""
