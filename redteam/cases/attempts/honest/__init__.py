"""Attempts: what the audit must leave alone."""
