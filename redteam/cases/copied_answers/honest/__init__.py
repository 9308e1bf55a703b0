"""Copied answers: what the audit must leave alone."""
