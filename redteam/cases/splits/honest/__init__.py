"""Splits: what the audit must leave alone."""
