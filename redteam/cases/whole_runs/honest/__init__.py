"""Whole runs: what the audit must leave alone."""
