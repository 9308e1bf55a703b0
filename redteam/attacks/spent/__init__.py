"""Attacks on which the audit was measured before its rules were mended: they are development by now."""
