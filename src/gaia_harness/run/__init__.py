"""Putting it together: configuration, runner, results and summary, resume."""
