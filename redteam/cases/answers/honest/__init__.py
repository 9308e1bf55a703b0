"""Answers: what the audit must leave alone."""
