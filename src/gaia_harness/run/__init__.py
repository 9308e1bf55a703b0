"""Running tasks: configuration, runner, results, summary, resume."""
