"""Splits: what the audit must catch, and blind spots."""
