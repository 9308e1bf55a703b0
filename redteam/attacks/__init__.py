"""Attacks: what an audit must catch."""
