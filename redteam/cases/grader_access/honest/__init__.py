"""Grader access: what the audit must leave alone."""
