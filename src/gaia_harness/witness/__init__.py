"""Who says so: the log of a run."""
