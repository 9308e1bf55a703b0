"""Honest runs: what an audit must leave alone."""
