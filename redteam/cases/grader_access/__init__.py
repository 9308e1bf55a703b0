"""Grader access: code and tools that reach for the answers; and honest code that looks around."""
