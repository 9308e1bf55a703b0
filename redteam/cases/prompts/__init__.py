"""Prompts: what the scaffold tells the agent, from given answers to honest critiques, notes and helpers."""
