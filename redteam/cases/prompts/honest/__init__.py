"""Prompts: what the audit must leave alone."""
