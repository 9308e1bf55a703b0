"""Whole runs: honest runs of the size of the validation split."""
