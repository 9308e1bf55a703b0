"""Honest behaviour on which the audit was measured before its rules were mended: it is development by now."""
