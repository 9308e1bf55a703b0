"""Looks at several runs at once: which there are, and whether one is better than another."""
