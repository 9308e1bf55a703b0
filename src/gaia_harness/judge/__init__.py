"""Scoring: the official scorer, and beside it an LLM judge with a signed cache."""
