"""Honest behaviour in the sealed part: two authors who had never seen the audit, after its rules were fixed."""
